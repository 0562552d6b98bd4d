package reliable

import (
	"errors"
	"fmt"
	"math"

	"github.com/gannet-net/gannet/framing"
	"github.com/gannet-net/gannet/framing/packet"
)

// MaxTicket is the longest ticket that SendTicket takes, in bytes.
const MaxTicket = packet.MaxTicket

// ticket is one that is on its way to a client, or came from the host.
type ticket struct {
	psk   [32]byte
	bytes []byte

	dueAt int64 // when it leaves, or leaves again; never at a client
	from  int64 // packets of lower numbers held an older one
	last  int64 // the packet that held it last
	sends uint8
}

// SendTicket gives the client a ticket of 1 to MaxTicket bytes and its psk, by which it comes back (PROTOCOL.md 19.2 and 23). They are sent
// until they are acked; a newer ticket takes the place of one that was not. The ticket is copied. Only a host on the packet wire may send one,
// while the session stands.
func (e *Endpoint) SendTicket(now int64, psk [32]byte, text []byte) error {
	now = e.advance(now)
	switch {
	case e.packets == nil || e.cfg.Role != framing.Host:
		return errors.New("reliable: SendTicket: only a host on the packet wire gives tickets")
	case len(text) == 0 || len(text) > MaxTicket:
		return fmt.Errorf("reliable: SendTicket: the ticket has %d bytes: it must have 1 to %d", len(text), MaxTicket)
	case !e.mayExchange():
		return ErrClosed
	}
	e.packets.demand().ticket = &ticket{psk: psk, bytes: append([]byte(nil), text...), dueAt: now, from: e.packets.sent.next}
	return nil
}

// PollTicket gives the last ticket that the host sent, once. ticket belongs to the caller. ok is false if there is none.
func (e *Endpoint) PollTicket() (psk [32]byte, text []byte, ok bool) {
	if e.packets == nil || e.cfg.Role != framing.Client || e.packets.aside == nil || e.packets.aside.ticket == nil {
		return psk, nil, false
	}
	t := e.packets.aside.ticket
	e.packets.aside.ticket = nil
	e.packets.tidy()
	return t.psk, t.bytes, true
}

// takeTicket keeps a ticket of the host until it is read.
func (e *Endpoint) takeTicket(f *packet.Ticket) {
	a := e.packets.demand()
	if a.ticket == nil {
		a.ticket = &ticket{dueAt: never}
	}
	a.ticket.psk = f.PSK
	a.ticket.bytes = append(a.ticket.bytes[:0], f.Ticket...)
}

// putTicket puts the ticket into the packet. If no ack comes it leaves again, ever later: a ticket is large, and of no use to a session that
// goes well.
func (e *Endpoint) putTicket(now int64, t *ticket, l *load) {
	if !e.pool.builder.AppendTicket(packet.Ticket{PSK: t.psk, Ticket: t.bytes}) {
		return
	}
	e.packets.sent.at(l.number).ticket = true
	l.asks = true
	t.last = l.number
	t.dueAt = now + stretch(2*e.rtt.timeout()+ackLazily, int(t.sends))
	t.sends = min(t.sends, math.MaxUint8-1) + 1
}

// ticketArrived notes that the client has what a packet held.
func (p *packetWire) ticketArrived(number int64) {
	if a := p.aside; a != nil && a.ticket != nil && number >= a.ticket.from {
		a.ticket = nil
		p.tidy()
	}
}

// ticketLost has the ticket sent again at once if the lost packet was the last with it.
func (p *packetWire) ticketLost(now, number int64) {
	if a := p.aside; a != nil && a.ticket != nil && number == a.ticket.last {
		a.ticket.dueAt = now
	}
}
