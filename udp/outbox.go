package udp

import (
	"net/netip"

	"github.com/gannet-net/gannet/framing"
)

// An outbox begins with room for few datagrams, since most clients never send more at once, and grows up to maxBatch.
const (
	firstBatch = 4
	maxBatch   = 64
)

// outbox collects what leaves with one call: the datagrams of one entry to the engine, whoever they are for, one after another in one piece of
// memory.
type outbox struct {
	writer BatchWriter // nil: each datagram leaves at once

	data  []byte
	sizes []int
	to    []netip.AddrPort
	from  []netip.Addr
}

func newOutbox(sock Socket) outbox {
	o := outbox{data: make([]byte, 0, framing.MaxDatagram)}
	if o.writer, _ = sock.(BatchWriter); o.writer != nil {
		o.resize(firstBatch)
	}
	return o
}

// resize gives o room for n datagrams of any size.
func (o *outbox) resize(n int) {
	o.data = append(make([]byte, 0, n*framing.MaxDatagram), o.data...)
	o.sizes = append(make([]int, 0, n), o.sizes...)
	o.to = append(make([]netip.AddrPort, 0, n), o.to...)
	o.from = append(make([]netip.Addr, 0, n), o.from...)
}

func (o *outbox) isFull() bool {
	return len(o.sizes) == cap(o.sizes) || cap(o.data)-len(o.data) < framing.MaxDatagram
}

func (o *outbox) add(d []byte, to netip.AddrPort, from netip.Addr) {
	o.data = append(o.data, d...) // which is there already if it was made in blank
	o.sizes = append(o.sizes, len(d))
	o.to = append(o.to, to)
	o.from = append(o.from, from)
}

func (o *outbox) clear() {
	o.data, o.sizes, o.to, o.from = o.data[:0], o.sizes[:0], o.to[:0], o.from[:0]
}

// blank is where the next datagram is made: empty, with room for the largest. It is valid until the next call of blank or write.
func (e *engine) blank() []byte {
	o := &e.out
	switch {
	case o.writer == nil || !o.isFull():
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
	if e.out.writer != nil {
		e.out.add(d, to, from)
		return
	}
	e.counters.writes++
	if err := e.sock.Write(d, to, from); err != nil {
		e.writeFailed(err)
		return
	}
	e.counters.sent(len(d))
}

func (e *engine) writeFailed(err error) {
	e.counters.writeErrors++
	e.logs.add(e.now, logWrite, "datagrams could not be sent", err)
}

// sendOut sends what the outbox has. Where one datagram cannot be sent, those behind it are.
func (e *engine) sendOut() {
	o := &e.out
	data, first := o.data, 0
	for first < len(o.sizes) {
		n, err := o.writer.WriteBatch(data, o.sizes[first:], o.to[first:], o.from[first:])
		e.counters.writes++
		for range n {
			e.counters.sent(o.sizes[first])
			data, first = data[o.sizes[first]:], first+1
		}
		if err != nil {
			e.writeFailed(err)
			data, first = data[o.sizes[first]:], first+1
		}
	}
	o.clear()
}
