package udp

import (
	"errors"
	"net"
	"net/netip"
	"slices"
	"time"

	"github.com/gannet-net/gannet/framing"
)

// Read errors other than net.ErrClosed are waited out: after sleep, or while an interface is down, reads work again. Those that go
// on for patienceWithErrors mean that the socket is broken for good, unless they are about datagrams that found nobody: those end when
// the sessions with those peers do.
const (
	firstBackOff       = time.Millisecond
	lastBackOff        = 100 * time.Millisecond
	patienceWithErrors = int64(time.Second)
	permanentErrors    = 2 * passErrors
)

// took handles one datagram that was read, or an error in its place, and says how long to wait before the next.
func (e *engine) took(d []byte, from netip.AddrPort, at netip.Addr, err error) time.Duration {
	switch {
	case e.down:
	case errors.Is(err, net.ErrClosed):
		if !e.closing {
			e.fail(err)
		}
	case err != nil && (len(d) > 0 || errors.Is(err, errTooLong)):
		// A datagram that did not fit. What was read of it is not looked at.
		e.counters.received(len(d))
		e.counters.drops.Count(framing.DropOversize)
	case err != nil:
		return e.readFailed(err)
	case !from.IsValid():
		e.counters.received(len(d))
		e.counters.drops.Count(framing.DropNoPeer)
	default:
		e.reading = readFaults{}
		e.receive(d, from, at)
	}
	return 0
}

// tookAll handles what one read brought, in passes as in a game loop, so that the answers of each leave together. It says how long to wait before the next,
// or that there will be none.
func (e *engine) tookAll(in *inbox) (wait time.Duration, over bool) {
	over = errors.Is(in.err, net.ErrClosed)
	for more := true; more; more = in.holds() {
		e.enter()
		for range passDatagrams {
			d, from, at, err, ok := in.pop()
			if !ok {
				break
			}
			e.noteRead(in)
			wait = e.took(d, from, at, err)
		}
		e.followOffload(in)
		over = over || e.down
		e.leave()
	}
	return wait, over
}

// noteRead counts the reads and runs, and is called with each datagram.
func (e *engine) noteRead(in *inbox) {
	n := &e.counters
	e.offload.joined = in.joined
	if in.newRead {
		n.reads++
	}
	if in.newRun {
		n.runsReceived++
	}
	if in.joined {
		n.joinedReceived++
	}
}

// readFaults are the read errors since the last read that worked.
type readFaults struct {
	count   int
	since   int64
	backOff time.Duration
}

func (e *engine) readFailed(err error) time.Duration {
	e.counters.readErrors++
	e.logs.add(e.now, logRead, "reading the socket failed", err)
	if isUnreached(err) {
		return firstBackOff
	}
	f := &e.reading
	if f.count++; f.count == 1 {
		f.since, f.backOff = e.now, firstBackOff
	}
	left := f.since + patienceWithErrors - e.now
	if left <= 0 && f.count >= permanentErrors {
		e.fail(err)
		return 0
	}
	wait := f.backOff
	f.backOff = min(2*f.backOff, lastBackOff)
	if left > 0 {
		wait = min(wait, time.Duration(left))
	}
	return wait
}

// isUnreached reports whether a read error is about a destination and not about the socket.
func isUnreached(err error) bool {
	return slices.ContainsFunc(unreached, func(u error) bool { return errors.Is(err, u) })
}
