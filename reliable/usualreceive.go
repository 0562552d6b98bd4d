package reliable

import "github.com/gannet-net/gannet/framing/packet"

// Nearly every packet of a game that runs well is an Ack, and messages that are next in order; of a download it is one fragment. takeUsual takes such a packet without what
// the others need: a list of frames, judged one by one before the first takes effect, and each message looked up again when it does. It is
// there for speed alone, and does what inspect and takePacket would do, to the bit.
//
// It takes a packet if isUsual finds nothing in the way, and has no effect otherwise.
func (e *Endpoint) takeUsual(now int64, plain []byte, number int64) bool {
	var u packet.Usual
	if e.pool.slow {
		return false
	}
	if !u.Read(plain) {
		return e.takeUsualLossy(now, plain, number)
	}
	s := e.packets.stream(u.Stream)
	if !e.isUsual(&u, s) {
		return false
	}
	e.packets.came(now, number)
	e.hear(now)
	if u.HasAck {
		e.takeAck(now, &u.Ack)
	}
	switch {
	case u.Messages == 0:
		return true
	case u.Whole():
		e.takeNext(now, s, &u)
	default:
		e.takePart(now, s, u.Next())
		if u.Last {
			e.handOver(now, s)
		}
		e.credit(s)
	}
	e.owe(now, true)
	return true
}

// isUsual holds all that takeUsual assumes beyond the shape of the packet: the session stands, nothing looks on and no Xor needs messages
// kept; the Ack is true; and the messages, of stream s, are next, with nothing in the window before or behind them, and with room for all.
func (e *Endpoint) isUsual(u *packet.Usual, s *receiveStream) bool {
	p, unread := e.packets, &e.unread
	switch {
	case e.state != StateConnected, e.cfg.Trace != nil, p.recent != nil:
		return false
	case u.HasAck && !p.sent.truthful(&u.Ack):
		return false
	case u.Messages == 0:
		return true
	case s == nil, s.mode == ReliableSequenced, s.window.count > 0:
		return false
	case s.part.len() > 0 || !u.Whole():
		return e.isUsualPart(u, s)
	case u.Seq != uint16(s.window.next):
		return false
	}
	return p.credit.held+u.Bytes <= sessionWindow &&
		unread.messages()+u.Messages <= e.cfg.UnreadMessages && unread.bytes+u.Bytes <= e.cfg.UnreadBytes
}

// takeNext hands over messages that are next.
func (e *Endpoint) takeNext(now int64, s *receiveStream, u *packet.Usual) {
	for range u.Messages {
		payload := u.Next()
		e.reverse.first(now, s.key(s.window.next))
		e.unread.pushReliable(message{payload: e.pool.copyOf(payload), at: now, mode: s.mode, channel: s.channel})
		s.window.next++
	}
	s.top = s.window.next
	s.taken += uint32(u.Bytes)
	e.packets.credit.taken += uint32(u.Bytes)
	e.credit(s) // as good as after each of them: what it looks at only grows
}
