// Command udpecho shows and measures gannet: a demo, an echo host and its client, latency under loss in virtual time, a lossy relay, a
// decoder of captured datagrams, and keys and tokens of the secure protocol.
//
//	udpecho                                   demo: host and clients through a lossy relay; checks every promise
//	udpecho host -listen ADDR                 sends each message back in its own mode
//	udpecho client -invite CODE               sends, checks the echoes, prints latency, loss and bytes
//	udpecho sim -loss 5 -delay 25ms           latency under loss in virtual time
//	udpecho sim -bulk 100000000 -link 20      bulk through a bottleneck in virtual time
//	udpecho endure -for 10m                   a long run on real sockets: memory, goroutines, descriptors and latency over time
//	udpecho soak -seeds N                     worlds of faults in virtual time; holds every invariant
//	udpecho proxy -listen ADDR -to ADDR       real-time relay that delays, loses, copies and reorders
//	udpecho decode FILE.pcap | HEX            datagrams in words; -key FILE opens sealed ones with a key log
//	udpecho token new-key | new-token-key | show | issue | inspect
//	                                          keys of hosts and issuers, and connect tokens
//
// "udpecho COMMAND -h" lists the flags of a command. Results go to standard output; with -json they are one JSON object. Progress and
// errors go to standard error.
//
// # JSON
//
// Times are in milliseconds with a name that ends in _ms, sizes in bytes. Client and sim have
//
//	p50_ms p90_ms p99_ms p999_ms max_ms        nearest-rank quantiles: of round trips (client), of latencies at delivery (sim)
//	sent delivered duplicates out_of_order     messages
//	wire_bytes_forward wire_bytes_reverse      client to host and back, with 28 bytes of headers for each datagram
//	bytes_ratio                                wire_bytes_forward over what one copy of each message takes
//	repairs spurious                           datagrams sent again, and those of them that are known to be needless
//
// In sim max_ms is the mean of the maxima of blocks of 10,000 messages, and there are also
//
//	greatest_ms max_stderr_ms                  the greatest latency of all, and the standard error of max_ms
//	floor_p99_ms floor_p999_ms                 with -burst-time: what no sender could have beaten
//	adapt_ms adapt_steps                       with -loss-step: how long adapting to the loss took, and over how many steps
//	datagrams_forward datagrams_reverse        datagrams each way
//	lone_acks piggybacked                      with -wire secure: datagrams of nothing but an ack, and repairs in packets of newer messages
//	parities fragments_rebuilt                 likewise: parities of messages in fragments, and lost fragments that were rebuilt from them
//	first_flight_pct fragments_ratio           of messages in fragments: share complete before a repair could come, and bytes as a multiple of all fragments
//	xors rebuilt                               likewise: parities in packets of newer messages, and lost messages that were rebuilt from them
//	trace_hash seed                            equal for runs that were equal in every bit
//
// With -bulk sim has instead (docs/bulk.md)
//
//	goodput_mbit ceiling_mbit                  of all flows, and what could be reached at most
//	queue_mean_ms queue_p95_ms queue_p99_ms    of the bottleneck, start-up left out
//	overshoot_ms overshoot_time_ms             the longest queue of start-up, and for how long it was above 10 ms
//	game_p99_added_ms game_p99_added_apart_ms  by how much bulk makes a game slower, on the same connection and on another
//	bulk_loss_pct                              packets of bulk that were lost at the bottleneck
//	jain ratio                                 of several flows, after a third of the run: index of fairness, fastest over slowest
//	share cubic_mbit                           with -against: bulk's part of what came through, and the goodput of the other
//	step_queue_ms step_rate_ms                 with -step: until the queue stayed below 15 ms, and until 90 % of the old rate
//	trace_hash                                 equal for runs that were equal in every bit
//
// Client has also asked (what -n said), lost (sent and not echoed), told (those of them whose connection ended, so that this side knew), sessions
// (connections, of which there is more than one with -rejoin), ends (why each but the last one ended), silence_ms (the longest time between two echoes), rate_hz (at which it sent), encrypted, verified (the host proved to have the key that
// the client knew), interrupted (true after a signal) and error (why it ended early). The last two are absent if there is nothing to say.
//
// The demo has pass and problems (the promises that did not hold), clients, seconds, streams, round_trip_reliable and round_trip_unreliable
// (quantiles as above), network (what the relay did), payload_bytes, wire_bytes, sent_again, spurious and closed_by_client.
//
// Endure has pass and problems, clients, seconds, rate_hz, loss_pct, reliable and unreliable (messages as above), network, sent_again, host and client_process (their
// vitals when idle, at the start, in the middle and at the end of play, and after it; heap_growth_kib from the middle to the end, and heap_growth_allowed_kib;
// rss_slope_mib_per_hour over the second half), middle_seconds, second_half_waited (most messages of one client that were on their way at once, on which what is allowed depends),
// p99_drift_pct and unreliable_p99_drift_pct over the second half, within_memory_gate, within_drift_gate, and points (memory, and round trips and waited since the point
// before).
//
// The exit status is 0 if all went well, 1 after an error at run time or a broken promise, and 2 after a mistake in the
// arguments. SIGINT and SIGTERM make host, client and proxy say goodbye, print what they have, and end with 0 within a second; the demo, sim
// and endure have no result then and end with 1.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"strings"
	"syscall"
	"time"

	"github.com/gannet-net/gannet/framing"
	"github.com/gannet-net/gannet/framing/handshake"
)

const (
	exitOK      = 0
	exitRuntime = 1
	exitUsage   = 2
)

// command is one of the things that udpecho does.
type command struct {
	name    string
	summary string
	run     func(ctx context.Context, con console, args []string) error
}

var commands = []command{
	{"demo", "a host and clients through a lossy relay, every promise checked; what runs without a command", runDemo},
	{"host", "echo host", runHost},
	{"client", "sends to an echo host and measures", runClient},
	{"sim", "latency under loss in virtual time", runSim},
	{"endure", "host and clients on real sockets for a long time: memory, descriptors, latency", runEndure},
	{"soak", "worlds of faults in virtual time, every invariant held", func(_ context.Context, con console, args []string) error { return runSoak(con, args) }},
	{"proxy", "relay in real time with loss, delay and more", runProxy},
	{"decode", "datagrams of a capture, or from hex, in words", runDecode},
	{"token", "keys of hosts and issuers, and connect tokens", runToken},
}

// graceAtMost is when a signal ends the process whatever a command is waiting for, such as input.
const graceAtMost = 2 * time.Second

func main() {
	ctx, _ := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, func() {
		time.Sleep(graceAtMost)
		os.Exit(exitRuntime)
	})
	os.Exit(run(ctx, console{os.Stdout, os.Stderr}, os.Args[1:]))
}

// run does what the arguments say and returns the exit status.
func run(ctx context.Context, con console, args []string) int {
	name, rest := split(args)
	switch name {
	case "help":
		con.printf("%s", overview())
		return exitOK
	case "version":
		con.printf("%s", version())
		return exitOK
	}
	for _, c := range commands {
		if c.name == name {
			return con.finish(name, c.run(ctx, con, rest))
		}
	}
	return con.finish("", unknownCommand(name))
}

// split finds the command; flags alone belong to the demo.
func split(args []string) (name string, rest []string) {
	switch {
	case len(args) == 0:
		return "demo", nil
	case args[0] == "-h" || args[0] == "-help" || args[0] == "--help":
		return "help", nil
	case args[0] == "-version" || args[0] == "--version":
		return "version", nil
	case strings.HasPrefix(args[0], "-"):
		return "demo", args
	}
	return args[0], args[1:]
}

// version tells what was built, and what it speaks.
func version() string {
	built := "unknown"
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		built = info.Main.Version
	}
	return fmt.Sprintf("udpecho %s, built with %s, speaks %s and %s\n", built, runtime.Version(), handshake.Version, framing.BaseVersion)
}

func unknownCommand(name string) error {
	return usagef("there is no command %q; run \"udpecho help\" for the list", name)
}

func overview() string {
	var b strings.Builder
	b.WriteString("usage: udpecho [COMMAND] [FLAGS]\n\n")
	for _, c := range commands {
		fmt.Fprintf(&b, "  %-8s %s\n", c.name, c.summary)
	}
	b.WriteString("\n\"udpecho COMMAND -h\" lists the flags of a command, \"udpecho version\" tells what was built.\n")
	return b.String()
}

// usageError is a mistake in the arguments.
type usageError struct{ text string }

func (e *usageError) Error() string { return e.text }

func usagef(format string, args ...any) error { return &usageError{fmt.Sprintf(format, args...)} }

// exitStatus is how the process ends after err.
func exitStatus(err error) int {
	var usage *usageError
	switch {
	case err == nil, errors.Is(err, flag.ErrHelp):
		return exitOK
	case errors.As(err, &usage):
		return exitUsage
	}
	return exitRuntime
}
