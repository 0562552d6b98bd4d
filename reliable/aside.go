package reliable

import "github.com/gannet-net/gannet/framing/packet"

// aside is what the packet wire has to keep for a moment now and then: frames of PROTOCOL.md 23 that wait, and what a change of the path leaves
// behind. It is made when it is needed and dropped once it is empty, so that it costs an idle endpoint no more than a pointer.
type aside struct {
	asked    [maxResponses][8]byte // of PathChallenges that were not answered yet
	waiting  uint8                 // how many
	heard    bool                  // response was not read yet
	response [8]byte               // of the last PathResponse

	from   int64   // packets of lower numbers left before the path changed, and say nothing about the new one; 0 if it never did
	ticket *ticket // at a host until it is acked, at a client until it is read
}

// maxResponses is how many PathChallenges may wait for their answer (PROTOCOL.md 23).
const maxResponses = 8

// demand is the aside, which is made if there is none.
func (p *packetWire) demand() *aside {
	if p.aside == nil {
		p.aside = new(aside)
	}
	return p.aside
}

// tidy drops the aside if nothing is in it any more.
func (p *packetWire) tidy() {
	a := p.aside
	if a.from <= p.sent.first {
		a.from = 0
	}
	if *a == (aside{}) {
		p.aside = nil
	}
}

// asideDue is when a packet has to leave for what is in the aside.
func (e *Endpoint) asideDue() int64 {
	a := e.packets.aside
	switch {
	case a == nil || !e.mayExchange():
		return never
	case a.waiting > 0:
		return e.now
	case a.ticket != nil:
		return a.ticket.dueAt
	}
	return never
}

// putAside puts what is due of the aside into the packet. An ack, all responses and the longest ticket have room in one.
func (e *Endpoint) putAside(now int64, l *load) {
	if now < e.asideDue() {
		return
	}
	a := e.packets.aside
	for i := range a.waiting {
		l.asks = e.pool.builder.AppendPathResponse(packet.Path{Random: a.asked[i]}) || l.asks
	}
	a.asked, a.waiting = [maxResponses][8]byte{}, 0
	if a.ticket != nil && now >= a.ticket.dueAt {
		e.putTicket(now, a.ticket, l)
	}
	e.packets.tidy()
}

// dropAside forgets what will not leave any more. A ticket that came stays: the client comes back with it.
func (p *packetWire) dropAside() {
	a := p.aside
	if a == nil {
		return
	}
	*a = aside{ticket: a.ticket}
	if a.ticket != nil && a.ticket.dueAt != never {
		a.ticket = nil
	}
	p.tidy()
}
