package reliable

import (
	"math/bits"

	"github.com/gannet-net/gannet/framing/packet"
)

// partial is the beginning of a message whose fragments come in order, as most do: joined as they come, so that the message need not be copied once more. The window of
// its stream holds nothing else. It is another way to hold what the window would hold: whatever is not as usual finds it there, see spill.
type partial struct {
	payload []byte
	size    int   // bytes of each fragment
	count   int32 // fragments
	at      int64 // when the last came
}

// len is how many fragments there are.
func (t *partial) len() int32 {
	if t == nil {
		return 0
	}
	return t.count
}

// add adds a fragment. The room for more is never above four times what came.
func (t *partial) add(p *Pool, fragment []byte) {
	n := len(t.payload)
	if have := n + len(fragment); have > cap(t.payload) {
		grown := p.get(1 << min(bits.Len(uint(4*have))-1, maxClass))
		copy(grown, t.payload)
		p.put(t.payload)
		t.payload = grown
	}
	t.payload = append(t.payload[:n], fragment...)
	t.count++
}

// isUsualPart is isUsual of a fragment: it is the next, and all before it of its message are there; what the window may hold has room for it, and the application
// for the message if it is complete; nothing is to be rebuilt; and all fragments but the last have one size.
func (e *Endpoint) isUsualPart(u *packet.Usual, s *receiveStream) bool {
	p, unread, count, have := e.packets, &e.unread, s.part.len(), 0
	if count > 0 {
		have = len(s.part.payload)
	}
	switch {
	case u.Whole(), u.First != (count == 0), u.Seq != uint16(s.window.next+count), count >= Window:
		return false
	case p.rebuilder != nil && len(p.rebuilder.sets) > 0, p.credit.held+u.Bytes > sessionWindow, have+u.Bytes > MaxReliableMessage:
		return false
	case u.Last:
		return unread.messages() < e.cfg.UnreadMessages && unread.bytes+have+u.Bytes <= e.cfg.UnreadBytes
	}
	return count == 0 || u.Bytes == s.part.size
}

// takePart takes the next fragment of a message.
func (e *Endpoint) takePart(now int64, s *receiveStream, fragment []byte) {
	if s.part == nil {
		s.part = new(partial)
	}
	t := s.part
	if t.count > 0 {
		e.count.OutOfOrder++ // it waits for those before it
	} else {
		t.size = len(fragment)
	}
	seq := s.window.next + t.count
	s.top = seq + 1
	e.reverse.first(now, s.key(seq))
	t.add(e.pool, fragment)
	t.at = now
	s.window.bytes += len(fragment)
	e.packets.hold(s, len(fragment))
}

// handOver hands over the message, of which the last fragment came.
func (e *Endpoint) handOver(now int64, s *receiveStream) {
	t, n := s.part, len(s.part.payload)
	if classOf(n) < classOf(cap(t.payload)) { // it grew for more
		small := e.pool.copyOf(t.payload)
		e.pool.put(t.payload)
		t.payload = small
	}
	e.unread.pushReliable(message{payload: t.payload, at: now, mode: s.mode, channel: s.channel})
	s.window.next += t.count
	s.window.bytes -= n
	e.packets.hold(s, -n)
	s.taken += uint32(n)
	e.packets.credit.taken += uint32(n)
	*t = partial{}
}

// spill puts the fragments into the window, each by itself.
func (s *receiveStream) spill(p *Pool) {
	t, w := s.part, &s.window
	if t.len() == 0 {
		return
	}
	w.bytes -= len(t.payload)
	for i := range t.count {
		seq, from := w.next+i, int(i)*t.size
		w.store(received{payload: p.copyOf(t.payload[from : from+t.size]), at: t.at, seq: seq, mode: s.mode, channel: s.channel, first: i == 0})
		w.join(seq)
	}
	s.dropPart(p)
}

// dropPart forgets the fragments.
func (s *receiveStream) dropPart(p *Pool) {
	if s.part.len() > 0 {
		p.put(s.part.payload)
		*s.part = partial{}
	}
}
