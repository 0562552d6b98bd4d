package reliable

import (
	"math"
	"time"

	"github.com/gannet-net/gannet/framing/packet"
)

const (
	ackLazily  = int64(100 * time.Millisecond) // for packets without reliable messages
	ackSpacing = int64(2 * time.Millisecond)   // between acks that nothing else carries
	ackTick    = int64(55 * time.Millisecond)  // how long an ack waits for a packet of the application's own tick
	ackRepeat  = int64(3 * time.Millisecond)
	repeatFrom = lossScale * 7 / 100  // share of acks lost from which on they are sent twice
	repeatTo   = lossScale * 4 / 1000 // and below which no longer: twice what is left after that would be lost

	tickPackets = 12 // since the last ack, from which on acks do not wait for a tick: that is no game

	// How many packets since the last ack ask for a form that names more, and for an ack at once.
	ackMore   = 16
	ackRanges = 32
	ackAtOnce = 128

	// After so many gaps an ack leaves at once: it names 16 runs of packets, and the next is to name these once more.
	ackGaps = maxRanges / 2
)

// answer is what this side owes to the peer's packets.
type answer struct {
	owed     bool   // something that asks for an ack was not acked
	reliable bool   // a reliable message among it
	twice    bool   // acks are sent twice
	recent   bool   // something that asks for an ack came since the last heartbeat
	gaps     uint8  // in the numbers of the packets received since the last ack
	since    uint16 // how many these are
	at       int64  // when an ack leaves at the latest
	repeatAt int64  // when the last lone ack leaves again
	sentAt   int64
}

func (a *answer) due(now int64) bool { return a.owed && now >= a.at || now >= a.repeatAt }

// owe notes that a packet came that asks for an ack.
func (e *Endpoint) owe(now int64, reliable bool) {
	a := &e.packets.answer
	by := now + ackLazily
	switch {
	case reliable && e.cfg.AckOnTick && a.since+1 < tickPackets:
		by = now + ackTick
	case reliable:
		by = max(now, a.sentAt+ackSpacing)
	}
	if !a.owed || by < a.at {
		a.at = by
	}
	a.owed, a.recent = true, true
	a.reliable = a.reliable || reliable
	a.since = min(a.since, math.MaxUint16-1) + 1
	if a.hurries() {
		a.at = now
	}
}

// hurries reports whether so much came since the last ack that one leaves at once.
func (a *answer) hurries() bool { return a.since >= ackAtOnce || a.gaps >= ackGaps }

// came takes note of the number of a packet that was opened.
func (p *packetWire) came(now, number int64) {
	if a := &p.answer; number > p.received.highest+1 && a.gaps < ackGaps {
		a.gaps++
	}
	p.received.add(now, number)
}

// AcksAtOnce reports whether so much came since the last ack that the peer may be waiting for the next, or that one could not name more, and nothing else has to leave for which it
// would be better to see what has come in besides.
func (e *Endpoint) AcksAtOnce() bool {
	return e.packets != nil && e.packets.answer.owed && e.packets.answer.hurries() && e.state == StateConnected && e.queue.due.next() > e.now
}

// putAck puts an ack into the packet if one is owed, or one that may have been lost is to be repeated.
func (e *Endpoint) putAck(now int64) {
	p := e.packets
	a := &p.answer
	again := now >= a.repeatAt
	if p.received.highest < 0 || !a.owed && !again && !e.heartbeatDue && !e.clockDue(now) {
		return
	}
	f := packet.Ack{
		Form: packet.Bitmap32, Largest: uint16(p.received.highest),
		Delay: uint8(min((now-p.received.at)/packet.DelayUnit, packet.MaxDelay)),
	}
	switch {
	case !a.owed && !again && !(a.recent && e.heartbeatDue):
		f.Form = packet.Bare // what it says was said before
	case a.since > ackRanges:
		f.Form, f.Runs = packet.Ranges, p.received.runs(e.pool.runs[:0])
	case a.since > ackMore:
		f.Form, f.Bitmap = packet.Bitmap64, p.received.below()
	default:
		f.Bitmap = p.received.below() & 0xFFFFFFFF
	}
	e.pool.builder.AppendAck(f)
	if e.heartbeatDue {
		a.recent = false
	}
	e.ackLeaves(now, a.owed && a.reliable && e.queue.waiting[0]+e.queue.waiting[1] == 0)
}

// ackLeaves notes that an ack leaves, and has it repeated if it is a lone one and many get lost.
func (e *Endpoint) ackLeaves(now int64, lone bool) {
	a := &e.packets.answer
	a.repeatAt = never
	if e.reverse.share > repeatFrom {
		a.twice = true
	} else if e.reverse.share < repeatTo {
		a.twice = false
	}
	if lone && a.twice && !e.cfg.AckOnTick {
		a.repeatAt = now + ackRepeat
	}
	a.owed, a.reliable, a.at, a.sentAt, a.since, a.gaps = false, false, never, now, 0, 0
}
