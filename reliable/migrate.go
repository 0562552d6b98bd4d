package reliable

import (
	"time"

	"github.com/gannet-net/gannet/framing/packet"
)

// AppendPathChallenge appends a datagram that asks the peer to send random back, for an address where it may be now (PROTOCOL.md 23). It
// appends nothing on the base protocol and once the session is over. The datagram counts as sent, but takes no part in pacing, loss or the
// round trip, which are of the address where the peer is known to be. It is not repeated: who checks an address asks again.
func (e *Endpoint) AppendPathChallenge(now int64, dst []byte, random [8]byte) []byte {
	now = e.advance(now)
	if e.packets == nil || !e.mayExchange() {
		return dst
	}
	s := &e.packets.sent
	if s.next == e.packets.skipAt {
		e.leaveOutNumber(now)
	}
	number := s.next
	s.begin(now, e.cohort)
	e.pool.builder.Reset(e.pool.packet[:0], packet.MaxPacket)
	e.pool.builder.AppendPathChallenge(packet.Path{Random: random})
	start := len(dst)
	dst = e.packets.sealer.Seal(dst, e.pool.builder.Bytes(), number)
	s.forget(now - 2*e.rtt.timeout())
	e.count.DatagramsSent++
	e.count.BytesSent += uint64(len(dst) - start)
	return dst
}

// PollPathResponse gives what the peer sent back last, once. Call it after HandleDatagram, which says from where it came. ok is false if there
// is none.
func (e *Endpoint) PollPathResponse() (random [8]byte, ok bool) {
	if e.packets == nil || e.packets.aside == nil || !e.packets.aside.heard {
		return random, false
	}
	a := e.packets.aside
	random = a.response
	a.response, a.heard = [8]byte{}, false
	e.packets.tidy()
	return random, true
}

// PathChanged tells that datagrams go to another address from now on, on another path: the round trip, the loss and the outage of the old one
// mean nothing any more, nor does what becomes of the packets that took it. rtt is the round trip of the check, 0 if unknown. Nothing that is
// in flight is given up; but it is due within one round trip of the new path, as it may have gone where nobody is. It does nothing on the base
// protocol. Do not call it if only the port changed: that is the same path.
func (e *Endpoint) PathChanged(now int64, rtt time.Duration) {
	now = e.advance(now)
	if e.packets == nil || !e.mayExchange() {
		return
	}
	p, r := e.packets, &e.repair
	p.demand().from = p.sent.next
	e.rtt = newRTTEstimator()
	if rtt > 0 {
		e.rtt.sample(now, int64(rtt))
	}
	p.path.paired, e.reverse.share = 0, 0
	if p.bulk != nil {
		p.bulk.controller.Silence()
	}
	r.missed, r.counted, r.missesInRow, r.wasStretched = 0, 0, 0, false
	if r.outage {
		e.endOutage(now)
	}
	e.bringForward(now + e.rtt.timeout() + p.path.delay)
}

// bringForward makes messages in flight due at the given time at the latest.
func (e *Endpoint) bringForward(at int64) {
	q := &e.queue
	for i := range q.due.entries {
		q.due.entries[i].at = min(q.due.entries[i].at, at)
	}
	q.due.order(q.slots)
}

// onThisPath reports whether a packet left since the path changed.
func (p *packetWire) onThisPath(number int64) bool { return p.aside == nil || number >= p.aside.from }

// asked notes a PathChallenge. inspect has seen that there is room.
func (p *packetWire) asked(f *packet.Path) {
	a := p.demand()
	a.asked[a.waiting] = f.Random
	a.waiting++
}

// responded notes a PathResponse.
func (p *packetWire) responded(f *packet.Path) {
	a := p.demand()
	a.response, a.heard = f.Random, true
}

// roomToAnswer reports whether so many PathChallenges of one packet may wait beside those that do.
func (p *packetWire) roomToAnswer(n int) bool {
	if p.aside != nil {
		n += int(p.aside.waiting)
	}
	return n <= maxResponses
}
