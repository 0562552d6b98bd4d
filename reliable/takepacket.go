package reliable

import (
	"github.com/gannet-net/gannet/framing"
	"github.com/gannet-net/gannet/framing/packet"
)

// takePacket lets the frames of a packet take effect, in their order. The packet has passed packet.Check.
func (e *Endpoint) takePacket(now int64, plain []byte, number int64) framing.Drop {
	p := e.packets
	if drop := e.withinCredit(plain); drop != framing.Accepted {
		return drop
	}
	p.received.add(now, number)
	e.confirmed = true
	e.hear(now)
	if e.state == StateClosed {
		return e.takeFarewell(plain)
	}
	var parser packet.Parser
	var f packet.Frame
	asks, reliable, fresh, again := false, false, false, false
	for parser.Reset(plain); e.state != StateClosed && parser.Next(&f); {
		switch f.Kind {
		case packet.KindUnreliable:
			asks = true
			e.takeUnreliable(now, &f.Unreliable)
		case packet.KindReliable:
			asks, reliable = true, true
			if e.takeReliable(now, &f.Reliable) {
				fresh = true
			} else {
				again = true
			}
		case packet.KindAck:
			if !e.takeAck(now, &f.Ack) {
				e.end(now, ProtocolError, "")
				return framing.DropProtocol
			}
		case packet.KindCredit:
			asks, reliable = true, true
			e.takeCredit(&f.Credit)
		case packet.KindClock:
			e.takeClock(now, f.Clock.Time)
		case packet.KindDisconnect:
			e.peerCode, e.peerText = f.Disconnect.Code, string(f.Disconnect.Text)
			e.handleDisconnect(now)
		}
	}
	if again && !fresh {
		e.reverse.again(now, p.repeated) // a repair; copies that ride with new messages are none
	}
	if asks && e.mayExchange() {
		e.owe(now, reliable)
	}
	return framing.Accepted
}

// takeFarewell looks for the peer's goodbye, which ends our own.
func (e *Endpoint) takeFarewell(plain []byte) framing.Drop {
	var parser packet.Parser
	var f packet.Frame
	for parser.Reset(plain); parser.Next(&f); {
		if f.Kind == packet.KindDisconnect {
			e.goodbyes = 0
			return framing.Accepted
		}
	}
	return framing.DropClosed
}

// withinCredit judges the reliable frames of a packet before any of them has an effect (PROTOCOL.md 11).
func (e *Endpoint) withinCredit(plain []byte) framing.Drop {
	if e.state != StateConnected {
		return framing.Accepted
	}
	var parser packet.Parser
	var f packet.Frame
	bytes := 0
	for parser.Reset(plain); parser.Next(&f); {
		if f.Kind != packet.KindReliable {
			continue
		}
		r := &f.Reliable
		s := e.receiveStream(modeOf(r.Stream), r.Stream.Channel())
		seq := wide(r.Seq, s.window.next)
		ahead := seqAfter(seq, s.window.next)
		if ahead < 0 || s.window.holds(seq) {
			continue
		}
		bytes += len(r.Payload)
		switch {
		case ahead >= Window:
			return framing.DropWindow
		case s.window.bytes+bytes > streamWindow, e.windowBytes()+bytes > sessionWindow:
			return framing.DropWindowBytes
		}
	}
	return framing.Accepted
}

// windowBytes is what all receive windows hold.
func (e *Endpoint) windowBytes() int {
	n := 0
	for i := range e.packets.streams {
		n += e.packets.streams[i].window.bytes
	}
	return n
}

// takeReliable takes a reliable message or fragment, and reports whether it had not come before. While this side closes, nothing new is stored; the ack says no more than that the packet came.
func (e *Endpoint) takeReliable(now int64, f *packet.Reliable) (fresh bool) {
	if e.state != StateConnected {
		return true
	}
	s := e.receiveStream(modeOf(f.Stream), f.Stream.Channel())
	return e.arrive(now, s, wide(f.Seq, s.window.next), f.Payload, f.First, f.Last)
}

func (e *Endpoint) takeUnreliable(now int64, f *packet.Unreliable) {
	if e.state != StateConnected {
		return
	}
	r := received{at: now, channel: f.Channel, mode: Unreliable}
	if f.Sequenced {
		r.mode = Sequenced
	}
	if f.Count > 0 {
		whole, complete := e.fragment(now, f, r.mode)
		if !complete {
			return
		}
		e.offerLossy(whole, f)
		return
	}
	r.payload = e.pool.copyOf(f.Payload)
	e.offerLossy(r, f)
}

// offerLossy hands a lossy message to the application, unless it is stale or there is no room.
func (e *Endpoint) offerLossy(r received, f *packet.Unreliable) {
	if f.Sequenced && !e.packets.fresh(f.Channel, f.Seq) {
		e.stats.Stale++
		e.pool.put(r.payload)
		return
	}
	if !e.unread.makeRoom(e, len(r.payload)) {
		e.stats.Drops.Count(framing.DropUnread)
		e.pool.put(r.payload)
		return
	}
	e.unread.pushLossy(r)
}

// dropPackets forgets what came and is not complete: the rest will not come any more.
func (e *Endpoint) dropPackets() {
	p := e.packets
	for i := range p.streams {
		for j := range p.streams[i].window.slots {
			if slot := &p.streams[i].window.slots[j]; slot.payload != nil {
				e.pool.put(slot.payload)
			}
		}
	}
	p.streams = nil
	for len(p.sets) > 0 {
		e.dropSet(0)
	}
	p.sent = sentPackets{first: p.sent.next, next: p.sent.next}
}
