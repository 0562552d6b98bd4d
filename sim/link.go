package sim

import "math/rand/v2"

// link is one direction between two nodes.
type link struct {
	nw       *Network
	from, to *Node

	conditions    Conditions
	own           bool // set by SetLink, so that SetDefault leaves it alone
	cut           bool
	bottleneck    *Bottleneck // nil if nothing limits the rate
	ownBottleneck *Bottleneck // nil until the conditions first had a Rate

	streams   [numStreams]*rand.ChaCha8
	lossState lossState
	outages   outages

	lastDue int64  // arrival of the last datagram that keeps the order
	latest  uint64 // highest number that arrived
	counts  Counts
}

// set changes the conditions. What is under way is not affected. since is when the outages of c began, which is now
// unless the link was not used until now.
func (l *link) set(c Conditions, since int64) {
	l.lossState.changed(l.conditions, c)
	if l.conditions.Outage != c.Outage {
		l.outages.begin(l.outageEra(since, c.Outage))
	}
	l.conditions = c
	l.limit(c)
}

// limit sets up the bottleneck. One of the link's own stays for good once it was made: it may hold datagrams.
func (l *link) limit(c Conditions) {
	switch {
	case c.Through != nil:
		l.bottleneck = c.Through
	case l.ownBottleneck != nil:
		l.ownBottleneck.limits = limits{c.Rate, c.Queue, c.Police}
		l.bottleneck = l.ownBottleneck
	case c.Rate > 0:
		l.ownBottleneck = l.nw.Bottleneck(c.Rate, c.Queue)
		l.limit(c)
	default:
		l.bottleneck = nil
	}
}

// send takes a datagram from its sender: it decides the datagram's fate, so that the draws come in the order of
// sending, and passes it through the bottleneck.
func (l *link) send(slot int32, d *datagram) {
	l.counts.Sent++
	l.counts.SentBytes += uint64(len(d.payload))
	l.counts.InFlight++
	d.link, d.number = l, l.counts.Sent
	l.nw.record(Sent, d)
	drop := l.refuse(d)
	l.decide(d)
	if drop != delivered {
		l.lose(slot, d, drop)
		return
	}
	if l.bottleneck != nil && l.bottleneck.delays() {
		l.bottleneck.push(slot)
		return
	}
	l.transmit(slot)
}

// decide draws from every impairment that is on, whether or not another one has already sealed the datagram's fate.
func (l *link) decide(d *datagram) {
	c := &l.conditions
	d.lost = l.loss(d.payload)
	if c.Jitter > 0 {
		d.offset = int64(below(l.draw(streamJitter), uint64(2*c.Jitter+1))) - int64(c.Jitter)
	}
	if c.Reorder > 0 {
		d.held = c.Reorder.hits(l.draw(streamReorder))
	}
	if c.Duplicate > 0 {
		d.copied = c.Duplicate.hits(l.draw(streamDuplicate))
	}
	if c.Corrupt|c.Truncate|c.Extend > 0 {
		l.damage(d)
	}
}

// refuse tells whether the way in is closed to the datagram.
func (l *link) refuse(d *datagram) Drop {
	switch {
	case l.cut:
		return DropCut
	case l.conditions.MTU > 0 && len(d.payload) > l.conditions.MTU:
		return DropMTU
	case l.bottleneck != nil:
		return l.bottleneck.admit(d.wireSize())
	}
	return delivered
}

// transmit puts a datagram on its way that is through the bottleneck, with what was decided about it.
func (l *link) transmit(slot int32) {
	d := l.nw.slab.at(slot)
	if l.outages.covers(l.nw.now) {
		d.lost = DropOutage
	}
	if d.lost != delivered {
		l.lose(slot, d, d.lost)
		return
	}
	if d.marks != 0 {
		l.tellMarks(d)
	}
	due := l.due(d)
	l.nw.arrange(due, eventArrive, slot)
	if d.copied {
		l.copy(d, due)
	}
}

// due gives the time of arrival.
func (l *link) due(d *datagram) int64 {
	due := l.nw.now + max(0, int64(l.conditions.Delay)+d.offset)
	if d.held {
		l.counts.HeldBack++
		l.nw.record(HeldBack, d)
		return due + int64(l.conditions.ReorderDelay)
	}
	if l.conditions.KeepOrder {
		due = max(due, l.lastDue)
	}
	l.lastDue = max(l.lastDue, due)
	return due
}

// copy sends a second datagram after d.
func (l *link) copy(d *datagram, due int64) {
	slot, c := l.nw.slab.take()
	buffer := c.payload
	*c = *d
	c.payload = append(buffer, d.payload...)
	c.isCopy = true
	l.counts.Duplicated++
	l.counts.InFlight++
	l.nw.record(Duplicated, c)
	l.nw.arrange(due+int64(l.conditions.DuplicateDelay), eventArrive, slot)
}

// arrive takes a datagram at the far end.
func (l *link) arrive(slot int32) {
	d := l.nw.slab.at(slot)
	s, drop := l.receiver(d)
	if drop != delivered {
		if drop == DropNoSocket && d.sender != nil {
			d.sender.refuse(l)
		}
		l.lose(slot, d, drop)
		return
	}
	l.counts.InFlight--
	l.counts.Delivered++
	l.counts.DeliveredBytes += uint64(len(d.payload))
	l.noteOrder(d)
	l.nw.record(Delivered, d)
	s.deliver(slot, d)
}

// receiver finds the socket that the datagram is for.
func (l *link) receiver(d *datagram) (*Socket, Drop) {
	node := l.to
	if d.nat != nil {
		if node = d.nat.inbound(d); node == nil {
			return nil, DropNAT
		}
	}
	switch {
	case node == l.nw.nowhere || !node.has(d.destination.Addr()):
		return nil, DropNoRoute
	case node.down || node.asleep > 0:
		return nil, DropHostDown
	}
	s := node.socketAt(d.destination)
	switch {
	case s == nil:
		return nil, DropNoSocket
	case !s.fits(d):
		return nil, DropBuffer
	}
	return s, delivered
}

func (l *link) noteOrder(d *datagram) {
	switch {
	case d.isCopy:
	case d.number < l.latest:
		l.counts.Reordered++
	default:
		l.latest = d.number
	}
}

// lose ends a datagram that is in flight.
func (l *link) lose(slot int32, d *datagram, why Drop) {
	d.lost = why
	l.counts.InFlight--
	l.counts.Drops[why]++
	l.nw.record(Lost, d)
	l.nw.slab.give(slot)
}
