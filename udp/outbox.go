package udp

import (
	"io"
	"net/netip"

	"github.com/gannet-net/gannet/framing"
)

// maxBatch is how many datagrams leave, or are read, with one call at most.
const maxBatch = 64

// outbox collects what leaves with one call: the datagrams of one entry to the engine, whoever they are for, one after another in one piece of
// memory. It begins with room for one datagram, since most clients never send more at once, and grows up to maxBatch.
type outbox struct {
	writer BatchWriter // nil: each datagram leaves at once

	data     []byte
	sizes    []int // of messages, each a datagram or a run of them
	segments []int // of the datagrams of a message
	to       []netip.AddrPort
	from     []netip.Addr
	open     bool // the last message takes more datagrams
}

func newOutbox(sock Socket) outbox {
	o := outbox{data: make([]byte, 0, framing.MaxDatagram)}
	if o.writer, _ = sock.(BatchWriter); o.writer != nil {
		o.resize(1)
	}
	return o
}

// resize gives o room for n datagrams of any size.
func (o *outbox) resize(n int) {
	o.data = append(make([]byte, 0, n*framing.MaxDatagram), o.data...)
	o.sizes = append(make([]int, 0, n), o.sizes...)
	o.segments = append(make([]int, 0, n), o.segments...)
	o.to = append(make([]netip.AddrPort, 0, n), o.to...)
	o.from = append(make([]netip.Addr, 0, n), o.from...)
}

func (o *outbox) isFull() bool {
	return len(o.sizes) == cap(o.sizes) || cap(o.data)-len(o.data) < framing.MaxDatagram
}

// endsFull reports whether the last message is a full run, and there is no room for another one. It leaves then: what is left of the room would be a run of few, which costs the
// system as much.
func (o *outbox) endsFull() bool {
	last := len(o.sizes) - 1
	return o.open && !o.continues(last, o.segments[last]) && cap(o.data)-len(o.data) < o.sizes[last]
}

// add takes one datagram. If it may be joined with those before and after it, it may continue the run of the last one. add tells how many more are in runs now: with the
// second of a run, the first is.
func (o *outbox) add(d []byte, to netip.AddrPort, from netip.Addr, joins bool) (inRuns uint64) {
	o.data = append(o.data, d...) // which is there already if it was made in blank
	last := len(o.sizes) - 1
	if joins && o.open && o.to[last] == to && o.from[last] == from && o.continues(last, len(d)) {
		inRuns = 1
		if o.sizes[last] == o.segments[last] {
			inRuns = 2
		}
		o.sizes[last] += len(d)
		o.open = len(d) == o.segments[last]
		return inRuns
	}
	o.sizes = append(o.sizes, len(d))
	o.segments = append(o.segments, len(d))
	o.to = append(o.to, to)
	o.from = append(o.from, from)
	o.open = joins
	return 0
}

// continues reports whether a datagram of that size can be the next of the last message.
func (o *outbox) continues(last, size int) bool {
	segment, sum := o.segments[last], o.sizes[last]
	return size > 0 && size <= segment && sum < maxRun*segment && sum+size <= maxRunBytes
}

func (o *outbox) clear() {
	o.data, o.sizes, o.segments, o.to, o.from, o.open = o.data[:0], o.sizes[:0], o.segments[:0], o.to[:0], o.from[:0], false
}

// blank is where the next datagram is made: empty, with room for the largest. It is valid until the next call of blank or write.
func (e *engine) blank() []byte {
	o := &e.out
	switch {
	case o.writer == nil || !o.isFull() && !o.endsFull():
	case cap(o.sizes) < maxBatch:
		o.resize(2 * cap(o.sizes))
	default:
		e.sendOut()
	}
	used := len(o.data)
	return o.data[used : used : used+framing.MaxDatagram]
}

// write sends one datagram, made in blank, before the entry to the engine is over. One that cannot be sent is lost like any other.
func (e *engine) write(d []byte, to netip.AddrPort, from netip.Addr) {
	e.writeJoined(d, to, from, false)
}

// writeJoined is write of a datagram that may leave in a run. It tells how many more are in runs now.
func (e *engine) writeJoined(d []byte, to netip.AddrPort, from netip.Addr, joins bool) (inRuns uint64) {
	if e.out.writer != nil {
		return e.out.add(d, to, from, joins)
	}
	e.writeNow(d, to, from)
	return 0
}

func (e *engine) writeNow(d []byte, to netip.AddrPort, from netip.Addr) {
	e.counters.writes++
	if err := e.sock.Write(d, to, from); err != nil {
		e.writeFailed(err)
		return
	}
	e.counters.sent(1, len(d))
}

func (e *engine) writeFailed(err error) {
	e.counters.writeErrors++
	e.logs.add(e.now, logWrite, "datagrams could not be sent", err)
}

// sendOut sends what the outbox has. Where one message cannot be sent, those behind it are.
func (e *engine) sendOut() {
	o := &e.out
	data, first := o.data, 0
	for first < len(o.sizes) {
		n, err := o.writer.WriteBatch(data, o.sizes[first:], o.segments[first:], o.to[first:], o.from[first:])
		e.counters.writes++
		if n == 0 && err == nil {
			err = io.ErrNoProgress
		}
		for range n {
			e.counters.sentMessage(o.sizes[first], o.segments[first])
			data, first = data[o.sizes[first]:], first+1
		}
		if err != nil {
			e.notSent(data[:o.sizes[first]], first, err)
			data, first = data[o.sizes[first]:], first+1
		}
	}
	o.clear()
}

// notSent is about a message of the outbox. The datagrams of a run are sent again, one at a time.
func (e *engine) notSent(d []byte, i int, err error) {
	o := &e.out
	segment := o.segments[i]
	if len(d) <= segment {
		e.writeFailed(err)
		return
	}
	if runRefused(err) {
		e.offload.send = OffloadRefused
	}
	for ; len(d) > 0; d = d[min(segment, len(d)):] {
		e.writeNow(d[:min(segment, len(d))], o.to[i], o.from[i])
	}
}
