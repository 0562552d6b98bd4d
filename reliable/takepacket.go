package reliable

import (
	"github.com/gannet-net/gannet/framing"
	"github.com/gannet-net/gannet/framing/packet"
)

// read reads the frames of a packet. They are good until the next packet is read.
func (p *Pool) read(plain []byte) ([]packet.Frame, packet.Fault) {
	var parser packet.Parser
	parser.Reset(plain)
	for n := 0; ; n++ {
		if n == len(p.frames) {
			p.frames = append(p.frames, packet.Frame{})
		}
		if !parser.Next(&p.frames[n]) {
			return p.frames[:n], parser.Fault()
		}
	}
}

// takePacket lets the frames of a packet take effect, in their order. The packet has passed inspect, which tells whether it has messages
// that did not come before. While this side closes these are neither taken nor acked.
func (e *Endpoint) takePacket(now int64, frames []packet.Frame, number int64, news bool) framing.Drop {
	p := e.packets
	if !news || e.state != StateClosing {
		p.came(now, number)
	}
	e.hear(now)
	if e.state == StateClosed {
		return e.takeFarewell(now, frames)
	}
	asks, reliable, fresh, again := false, false, false, false
	trip := never
	for i := range frames {
		if e.state == StateClosed {
			break
		}
		f := &frames[i]
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
			if e.state == StateClosed {
				return framing.DropProtocol
			}
		case packet.KindAck:
			trip = e.takeAck(now, &f.Ack)
		case packet.KindCredit:
			asks, reliable = true, true
			e.takeCredit(&f.Credit)
		case packet.KindClock:
			e.takeClock(now, f.Clock.Time, trip)
		case packet.KindParity:
			asks, reliable = true, reliable || !f.Parity.Lossy
			if e.takeParity(now, &f.Parity); e.state == StateClosed {
				return framing.DropProtocol
			}
		case packet.KindXor:
			if e.takeXor(now, &f.Xor); e.state == StateClosed {
				return framing.DropProtocol
			}
		case packet.KindPathChallenge:
			asks = true
			p.asked(&f.Path)
		case packet.KindPathResponse:
			asks = true
			p.responded(&f.Path)
		case packet.KindTicket:
			asks = true
			e.takeTicket(&f.Ticket)
		case packet.KindDisconnect:
			e.handleDisconnect(now)
			if e.last != nil {
				e.last.Code, e.last.Reason = f.Disconnect.Code, printable(string(f.Disconnect.Text))
			}
		}
	}
	if again && !fresh {
		e.reverse.again(now, p.repeated) // a repair; copies that ride with new messages are none
	}
	if asks && (e.state == StateConnected || e.state == StateClosing && !news) {
		e.owe(now, reliable)
	}
	return framing.Accepted
}

// takeFarewell looks for the peer's goodbye, which ends our own. A peer that goes on has not heard it, and is told again.
func (e *Endpoint) takeFarewell(now int64, frames []packet.Frame) framing.Drop {
	for i := range frames {
		if frames[i].Kind == packet.KindDisconnect {
			e.goodbyes, e.farewells, e.parted = 0, 0, true
			return framing.Accepted
		}
	}
	if e.goodbyes == 0 && e.farewells > 0 {
		e.farewells--
		e.goodbyes, e.goodbyeAt = 1, now
	}
	return framing.DropClosed
}

// inspect judges a packet before any of its frames has an effect (PROTOCOL.md 11). news tells whether it has messages that did not
// come before.
func (e *Endpoint) inspect(frames []packet.Frame) (news bool, drop framing.Drop) {
	acks, challenges, counted, sequenced := 0, 0, 0, 0
	for i := range frames {
		f := &frames[i]
		switch f.Kind {
		case packet.KindUnreliable:
			news = true
		case packet.KindReliable:
			fresh, over := e.weigh(&f.Reliable, &counted, &sequenced)
			news = news || fresh
			if drop == framing.Accepted && e.state == StateConnected {
				drop = over
			}
		case packet.KindAck:
			if acks++; acks > 1 || e.state != StateClosed && !e.packets.sent.truthful(&f.Ack) {
				return false, framing.DropProtocol
			}
		case packet.KindParity:
			news = true
			if over := e.weighParity(&f.Parity); drop == framing.Accepted {
				drop = over
			}
		case packet.KindPathChallenge:
			challenges++
		case packet.KindTicket:
			if e.cfg.Role == framing.Host {
				return false, framing.DropProtocol
			}
		}
	}
	if drop == framing.Accepted && challenges > 0 && e.state != StateClosed && !e.packets.roomToAnswer(challenges) {
		drop = framing.DropRate
	}
	return news, drop
}

// weigh judges a reliable frame by the credit, after those before it in its packet took so many bytes. What came before weighs nothing, and
// the beginning of a sequenced message always has room: it makes room.
func (e *Endpoint) weigh(r *packet.Reliable, counted, sequenced *int) (fresh bool, over framing.Drop) {
	s, next, span := e.knownStream(r.Stream), e.cfg.FirstReceive, int64(Window)
	if s != nil {
		next, span = s.window.next, int64(s.span)
	}
	seq := wide(r.Seq, next)
	ahead := seqAfter(seq, next)
	switch {
	case ahead < 0 || s != nil && s.window.holds(seq):
		return false, framing.Accepted
	case ahead >= span:
		return true, framing.DropWindow
	}
	c, bytes, held := &e.packets.credit, counted, e.packets.credit.held
	if r.Stream.Mode() == packet.Sequenced {
		bytes, held = sequenced, c.heldSequenced
		if r.First {
			return true, framing.Accepted
		}
	}
	*bytes += len(r.Payload)
	if held+*bytes > sessionWindow || s != nil && bytes == counted && s.window.bytes+len(r.Payload) > streamWindow {
		return true, framing.DropWindowBytes
	}
	return true, framing.Accepted
}

// takeReliable takes a reliable message or fragment, and reports whether it had not come before. While this side closes, nothing new is stored; the ack says no more than that the packet came.
func (e *Endpoint) takeReliable(now int64, f *packet.Reliable) (fresh bool) {
	if e.state != StateConnected {
		return true
	}
	s := e.receiveStream(f.Stream)
	fresh = e.arrive(now, s, wide(f.Seq, s.window.next), f, false)
	if e.packets.rebuilder != nil {
		e.rebuild(now, s)
	}
	return fresh
}

func (e *Endpoint) takeUnreliable(now int64, f *packet.Unreliable) {
	if e.state != StateConnected {
		return
	}
	r := message{at: now, channel: f.Channel, mode: Unreliable}
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
func (e *Endpoint) offerLossy(r message, f *packet.Unreliable) {
	if f.Sequenced && !e.packets.fresh(f.Channel, f.Seq) {
		e.count.Stale++
		e.pool.put(r.payload)
		return
	}
	if !e.unread.makeRoom(e, len(r.payload)) {
		e.countDrop(framing.DropUnread)
		e.pool.put(r.payload)
		return
	}
	e.unread.pushLossy(r)
}

// dropPackets forgets what came and is not complete: the rest will not come any more. An ack that is owed leaves with the goodbye if there
// is one.
func (e *Endpoint) dropPackets() {
	p := e.packets
	for i := range p.streams {
		p.streams[i].dropPart(e.pool)
		p.streams[i].window.drop(e.pool)
	}
	if b := p.rebuilder; b != nil {
		for len(b.sets) > 0 {
			e.dropShards(0)
		}
	}
	p.streams, p.recent, p.bulk = nil, nil, nil
	p.dropAside()
	for len(p.sets) > 0 {
		e.dropSet(0)
	}
	p.sent = sentPackets{first: p.sent.next, next: p.sent.next}
	p.answer.repeatAt = never
}
