package udp

import (
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"syscall"
	"time"

	"github.com/gannet-net/gannet/reliable"
	"github.com/gannet-net/gannet/secure"
	"github.com/gannet-net/gannet/transport"
)

// ErrHostClosed is returned by Accept, Broadcast and Attach once the host is closing. It satisfies errors.Is(err, net.ErrClosed).
var ErrHostClosed = fmt.Errorf("udp: host closed: %w", net.ErrClosed)

// ConfigError is returned by Listen and Dial for a setting that cannot be used.
type ConfigError struct {
	Field   string // of Config
	Problem string // what is wrong, and what to do
}

func (e *ConfigError) Error() string { return "udp: Config." + e.Field + ": " + e.Problem }

// machineError makes a ConfigError of an error of the machine, which begins with the name of the field.
func machineError(err error) *ConfigError {
	field, problem, _ := strings.Cut(err.Error(), " ")
	return &ConfigError{field, problem}
}

// DialTimeoutError is returned by a dial that was not admitted within Config.DialTimeout. It satisfies
// errors.Is(err, os.ErrDeadlineExceeded) and implements net.Error.
type DialTimeoutError struct {
	Addr  string // as it was given to Dial
	After time.Duration
	Err   error // how far it came, a *secure.DialError as a rule; nil on the base protocol
}

func (e *DialTimeoutError) Error() string {
	s := fmt.Sprintf("udp: dial %s: ", e.Addr)
	if unheard := (*secure.DialError)(nil); e.Err != nil && !(errors.As(e.Err, &unheard) && *unheard == secure.DialError{}) {
		return s + fmt.Sprintf("no connection within %v: %v", e.After, e.Err)
	}
	s += fmt.Sprintf("no answer within %v: nobody listens there, a firewall is in the way, ", e.After)
	if e.Err != nil {
		return s + "or the host speaks the base protocol alone"
	}
	return s + "or the host's Plain policy does not allow this address (it starts at loopback only)"
}

// Unwrap returns Err.
func (e *DialTimeoutError) Unwrap() error { return e.Err }

// Is makes errors.Is see os.ErrDeadlineExceeded.
func (e *DialTimeoutError) Is(target error) bool { return target == os.ErrDeadlineExceeded }

// Timeout is always true.
func (e *DialTimeoutError) Timeout() bool { return true }

// Temporary is always false: the dial has been repeated already.
func (e *DialTimeoutError) Temporary() bool { return false }

// BroadcastError is returned by Broadcast when the message could not be queued for every peer. It was queued for all others.
type BroadcastError struct {
	Failed, Peers int   // how many did not take it, of how many
	First         error // why the first of them did not; transport.ErrQueueFull as a rule
}

func (e *BroadcastError) Error() string {
	return fmt.Sprintf("udp: broadcast: %d of %d peers did not take the message: %v", e.Failed, e.Peers, e.First)
}

// Unwrap returns First.
func (e *BroadcastError) Unwrap() error { return e.First }

// add counts one peer.
func (e *BroadcastError) add(err error) {
	e.Peers++
	if err == nil {
		return
	}
	if e.Failed++; e.First == nil {
		e.First = err
	}
}

// orNil is nil if every peer took the message. Only if not is there something on the heap.
func (e *BroadcastError) orNil() error {
	if e.Failed == 0 {
		return nil
	}
	failed := *e
	return &failed
}

// hint is what to do about an address that cannot be used, "" if nothing is known.
func hint(err error) string {
	var bad *net.AddrError
	switch {
	case errors.As(err, &bad) && bad.Err == "missing port in address":
		return `: give one, as in "127.0.0.1:7777"`
	case errors.Is(err, syscall.EADDRINUSE):
		return ": another program has this port: choose another one, or port 0 for a free one"
	case errors.Is(err, syscall.EADDRNOTAVAIL):
		return `: this machine does not have this address: ":port" listens on all that it has`
	}
	return ""
}

// refusedText makes the short reason of a Refuse (PROTOCOL.md 3.3), which is no longer than the version asked for, readable.
func refusedText(reason, version string) string {
	if full := "version"; reason == full[:min(len(full), len(version))] {
		return fmt.Sprintf("it speaks another version than %q: set the same Config.Version on both sides", version)
	}
	return reason
}

// sendError turns an error of the machine into the one that package transport promises. ended is why the connection ended, nil
// while it stands.
func sendError(err, ended error) error {
	switch {
	case err == reliable.ErrQueueFull:
		return transport.ErrQueueFull
	case err == reliable.ErrNotConnected:
		return transport.ErrNotConnected
	case err == reliable.ErrNotOnBase:
		return transport.ErrNotOnBase
	case err == reliable.ErrClosed && ended != nil:
		return ended
	case err == reliable.ErrClosed:
		return &transport.DisconnectError{Cause: transport.ClosedLocally}
	}
	if tooLarge, ok := errors.AsType[*reliable.TooLargeError](err); ok {
		return &transport.TooLargeError{Size: tooLarge.Size, Limit: tooLarge.Limit}
	}
	return err
}
