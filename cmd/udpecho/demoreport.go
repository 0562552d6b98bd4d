package main

import (
	"fmt"
	"strings"

	"github.com/gannet-net/gannet/framing"
	"github.com/gannet-net/gannet/framing/handshake"
	"github.com/gannet-net/gannet/sim"
	"github.com/gannet-net/gannet/transport"
	"github.com/gannet-net/gannet/udp"
)

// demoReport is what the demo prints.
type demoReport struct {
	Pass     bool     `json:"pass"`
	Problems []string `json:"problems"`

	Clients int     `json:"clients"`
	Seconds float64 `json:"seconds"`

	Streams map[string]*streamReport `json:"streams"`

	RoundTrip           latencyReport `json:"round_trip_reliable"`
	RoundTripUnreliable latencyReport `json:"round_trip_unreliable"`

	Network wayReport `json:"network"`

	PayloadBytes uint64 `json:"payload_bytes"` // of all messages that were delivered, both ways
	WireBytes    uint64 `json:"wire_bytes"`    // entering the relay, headers of the packets included
	SentAgain    uint64 `json:"sent_again"`
	Needless     uint64 `json:"spurious"`
	LeftByClient int    `json:"closed_by_client"`

	roundTrips distribution
}

// streamReport sums the messages of one kind in one direction over all clients.
type streamReport struct {
	Sent       int `json:"sent"`
	Delivered  int `json:"delivered"`
	Duplicates int `json:"duplicates"`
	OutOfOrder int `json:"out_of_order"`
}

func (s *streamReport) add(more *streamReport) {
	s.Sent += more.Sent
	s.Delivered += more.Delivered
	s.Duplicates += more.Duplicates
	s.OutOfOrder += more.OutOfOrder
}

// wayReport is what the relay did, both ways together.
type wayReport struct {
	Datagrams  uint64 `json:"datagrams"`
	Lost       uint64 `json:"lost"`
	Duplicated uint64 `json:"duplicated"`
	Overtaken  uint64 `json:"overtaken"`
}

func networkReport(up, down *sim.Counts) wayReport {
	return wayReport{
		Datagrams: up.Sent + down.Sent, Lost: up.Lost() + down.Lost(),
		Duplicated: up.Duplicated + down.Duplicated, Overtaken: up.Reordered + down.Reordered,
	}
}

// protocolWords say what is known of what was spoken.
var protocolWords = map[udp.Protocol]string{
	udp.Secure: handshake.Version + ": encrypted, and the clients knew the key of the host.",
	udp.Base:   framing.BaseVersion + ": not encrypted.",
}

// streamNames are the four streams in the order in which they are printed.
var streamNames = []string{"reliable to the host", "reliable back", "unreliable to the host", "unreliable back"}

func (d *demo) report(problems error) *demoReport {
	r := &demoReport{Pass: problems == nil, Problems: []string{}, Clients: len(d.clients), Seconds: rounded(d.finished.Seconds()),
		Streams: map[string]*streamReport{}}
	if problems != nil {
		r.Problems = strings.Split(problems.Error(), "\n")
	}
	var reliable, unreliable []int64
	for _, s := range d.all() {
		for i, l := range []*ledger{s.up.reliable, s.down.reliable, s.up.unreliable, s.down.unreliable} {
			r.addStream(streamNames[i], l)
		}
		reliable = append(reliable, s.down.reliable.latencies()...)
		unreliable = append(unreliable, s.down.unreliable.latencies()...)
		if end, ok := s.client.end.(*transport.DisconnectError); ok && end.Cause == transport.ClosedLocally {
			r.LeftByClient++
		}
	}
	r.roundTrips = newDistribution(reliable)
	r.RoundTrip, r.RoundTripUnreliable = r.roundTrips.report(), newDistribution(unreliable).report()
	d.addNetwork(r)
	return r
}

func (r *demoReport) addStream(name string, l *ledger) {
	s := r.Streams[name]
	if s == nil {
		s = &streamReport{}
		r.Streams[name] = s
	}
	s.add(&streamReport{l.sent, l.delivered, l.duplicates, l.outOfOrder})
	r.PayloadBytes += uint64(l.bytes)
}

func (d *demo) addNetwork(r *demoReport) {
	up, down := &d.left.up, &d.left.down
	r.Network = networkReport(up, down)
	r.WireBytes = onWire(up.Sent, up.SentBytes) + onWire(down.Sent, down.SentBytes)
	for _, c := range d.clients {
		if c != nil {
			s := c.conn.Stats()
			r.SentAgain += sentAgain(s)
			r.Needless += s.SpuriousRepairs
		}
	}
}

func (r *demoReport) text(o *demoOptions) string {
	var b strings.Builder
	section := func(name, format string, args ...any) {
		fmt.Fprintf(&b, "%-10s %s\n", name, fmt.Sprintf(format, args...))
	}
	fmt.Fprintf(&b, "gannet: one host and %d clients in one process, on UDP sockets of this machine, %.1f s\n\n", r.Clients, r.Seconds)
	section("protocol", "%s", protocolWords[protocol(o.base)])
	section("tried", "Each client sent %d reliable and %d unreliable messages in %v. The host sent each back.", o.perClient(), o.perClient(), o.length)
	section("", "A relay between them was told to delay by %v, give or take %v, to lose %v %%, to duplicate", o.link.delay, o.link.jitter, o.link.loss)
	section("", "%v %% and to hold back %v %% of the datagrams, each way.", o.link.dup, o.link.reorder)
	n := r.Network
	section("network", "Of %d datagrams %d were lost and %d duplicated; %d were overtaken by later ones.", n.Datagrams, n.Lost, n.Duplicated, n.Overtaken)
	b.WriteString("\n" + r.table() + "\n")
	section("latency", "of reliable messages, there and back: p50 %.1f ms, p90 %.1f ms, p99 %.1f ms, max %.1f ms;",
		r.RoundTrip.P50, r.RoundTrip.P90, r.RoundTrip.P99, r.RoundTrip.Max)
	u := r.RoundTripUnreliable
	section("", "of the unreliable ones that arrived: p50 %.1f ms, p90 %.1f ms, p99 %.1f ms, max %.1f ms", u.P50, u.P90, u.P99, u.Max)
	b.WriteString("\n" + r.roundTrips.histogram() + "\n")
	section("cost", "%d bytes of messages were delivered; %d bytes entered the network, headers included.", r.PayloadBytes, r.WireBytes)
	section("", "The clients sent %d datagrams again because no ack came; %d of them are known to be needless.", r.SentAgain, r.Needless)
	section("end", "%d clients left by themselves, the host closed the others.", r.LeftByClient)
	b.WriteString("\n" + r.verdict())
	return b.String()
}

func (r *demoReport) table() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%-10s %-24s%8s %8s %8s %8s %8s\n", "delivered", "", "sent", "arrived", "lost", "twice", "overtaken")
	for _, name := range streamNames {
		s := r.Streams[name]
		if s == nil {
			s = &streamReport{}
		}
		fmt.Fprintf(&b, "%-10s %-24s%8d %8d %8d %8d %8d\n", "", name, s.Sent, s.Delivered, s.Sent-s.Delivered, s.Duplicates, s.OutOfOrder)
	}
	return b.String()
}

const promisesInWords = "every reliable message arrived exactly once, in order and unchanged, both ways; no message was made up; each side had\n" +
	"one connected and one disconnected event for each connection; nothing was left over.\n"

func (r *demoReport) verdict() string {
	if !r.Pass && len(r.Streams) == 0 {
		return "NOTHING WAS TRIED, because no client could connect:\n  " + strings.Join(r.Problems, "\n  ") + "\n"
	}
	if r.Pass {
		return "ALL PROMISES HELD: " + promisesInWords
	}
	return "A PROMISE WAS BROKEN:\n  " + strings.Join(r.Problems, "\n  ") + "\n"
}
