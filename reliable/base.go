package reliable

import (
	"math"

	"github.com/gannet-net/gannet/framing"
)

// appendBaseMessage appends the first transmission of the next waiting message, in a datagram of the base protocol.
func (e *Endpoint) appendBaseMessage(now int64, dst []byte) []byte {
	q := &e.queue
	from := e.nextWaiting()
	if from == nil {
		return dst
	}
	m := &q.slots[from.head]
	reliable := q.streamOf(m).mode.reliable()
	switch {
	case !e.affords(len(m.payload) + baseHeader(reliable)):
		return dst
	case reliable:
		return e.appendFirstCopy(now, dst, q.leave(from))
	}
	dst = framing.AppendUnreliable(dst, m.payload)
	e.countFirst(len(m.payload), framing.UnreliableHeader)
	e.settle(now, q.leave(from), Sent)
	e.endIfDelivered(now)
	return dst
}

func baseHeader(reliable bool) int {
	if reliable {
		return framing.ReliableHeader
	}
	return framing.UnreliableHeader
}

func (e *Endpoint) appendFirstCopy(now int64, dst []byte, slot int32) []byte {
	q := &e.queue
	m := &q.slots[slot]
	q.streamOf(m).fly(m, slot)
	q.inFlight++
	m.firstSent, m.roundAt = now, now
	dst = e.appendReliable(now, dst, m)
	e.countFirst(len(m.payload), framing.ReliableHeader)
	q.due.add(q.slots, slot, e.planFirst(now, m))
	e.trace(TraceSent, m)
	return dst
}

func (e *Endpoint) appendReliable(now int64, dst []byte, m *outMessage) []byte {
	m.lastSent = now
	if m.sends < math.MaxUint8 {
		m.sends++
	}
	return framing.AppendReliable(dst, m.seq, m.payload)
}

// handleAck ends the message that an Ack of the base protocol names (PROTOCOL.md 4.3).
func (e *Endpoint) handleAck(now int64, seq int32) framing.Drop {
	q := &e.queue
	s := &q.streams[q.stream(e.cfg, ReliableOrdered, 0)]
	slot, drop := s.find(seq)
	if drop != framing.Accepted {
		return drop
	}
	e.learn(now, &q.slots[slot])
	e.delivered(now, slot)
	e.endIfDelivered(now)
	return framing.Accepted
}

// payloadLimit is the largest message of a mode, and an error for what the protocol does not have.
func (e *Endpoint) payloadLimit(o *SendOptions) (int, error) {
	switch {
	case e.packets != nil:
		return payloadLimitOnPackets(o)
	case o.Channel != 0 || o.ReplaceKey != 0:
		return 0, ErrNotOnBase
	case o.Mode == Unreliable:
		return framing.MaxUnreliable, nil
	case o.Mode == ReliableOrdered:
		return framing.MaxReliable, nil
	}
	return 0, ErrNotOnBase
}

// fragmentSize is the most of a message that one datagram holds.
func (e *Endpoint) fragmentSize(m *outMessage, reliable bool) int {
	switch {
	case e.packets == nil:
		return framing.MaxDatagram
	case m.bulk && reliable:
		return evenPart(len(m.payload), bulkRoom)
	}
	return fragmentRoom
}
