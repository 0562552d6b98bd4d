package reliable

import "github.com/gannet-net/gannet/framing/packet"

// creditState is how much reliable payload each side may send in the session as a whole (PROTOCOL.md 13); streams have limits of their own.
type creditState struct {
	sent, limit uint32 // payload bytes sent for the first time, and how many may be
	reserved    int    // bytes of messages that were begun that were not sent yet
	sequenced   int    // bytes of reliable sequenced messages in fragments that were begun and are not settled

	held, heldSequenced int    // bytes in our windows: of what counts as credit, and of sequenced streams
	taken, promised     uint32 // payload bytes that left our windows, and how many the peer was told that it may send
	widened             uint8  // streams with a wide window
	tell                bool   // a limit has to be told
	unacked             bool   // a limit that was told is not known to have arrived
	toldIn              int64  // packet that told the limit of the session, until it is acked; none if nothing was told
	toldAt              int64  // when a limit was told last
}

const (
	// wideWindow is the window, in place of Window, of the first wideStreams streams of a session whose peer uses it up (see widen). They are few because what waits in a
	// window takes memory however small it is.
	wideWindow  = 4 * Window
	wideStreams = 4
	// streamWindow is how much one stream may have in the peer's window before the peer says more. Window sequences of a packet each are less.
	streamWindow = 3 << 19
	// sessionWindow is the same for all streams of a session together, and again for its sequenced streams.
	sessionWindow = 2 << 20
)

func (c *creditState) init() {
	c.limit, c.promised, c.toldIn = sessionWindow, sessionWindow, int64(none)
}

// hasCredit reports whether the next message or fragment of a stream may leave. A message in fragments begins only if all of it may
// leave: else several that each wait for the rest could take all there is.
func (e *Endpoint) hasCredit(s *stream) bool {
	c, q := &e.packets.credit, &e.queue
	m := &q.slots[s.waiting.head]
	switch {
	case m.parity:
		return true
	case seqAfter(s.limitSeq, s.next) <= 0:
		return false
	}
	n, begins := q.frontSize(s.waiting.head), false
	if m.whole != none {
		begins = !q.wholes[m.whole].begun
	}
	if s.mode == ReliableSequenced {
		return !begins || c.sequenced+len(q.wholes[m.whole].payload) <= sessionWindow
	}
	if int32(s.limit-s.sent) < int32(n) {
		return false
	}
	switch {
	case begins:
		n = len(q.wholes[m.whole].payload)
	case m.whole != none:
		return true // reserved
	}
	return int(int32(c.limit-c.sent))-c.reserved >= n
}

// allowance is how many whole messages of a stream that is not sequenced may leave, and how many bytes of payload, as far as the peer's windows go.
func (e *Endpoint) allowance(s *stream) (messages, bytes int) {
	c := &e.packets.credit
	messages = int(min(wideWindow-seqAfter(s.next, s.oldest), seqAfter(s.limitSeq, s.next)))
	return messages, min(int(int32(s.limit-s.sent)), int(int32(c.limit-c.sent))-c.reserved)
}

// spendCredit books the first transmission of a message or fragment.
func (e *Endpoint) spendCredit(s *stream, m *outMessage) {
	c, n := &e.packets.credit, len(m.payload)
	begins := false
	size := n
	if m.whole != none {
		w := &e.queue.wholes[m.whole]
		begins, size = !w.begun, len(w.payload)
		if !w.begun {
			w.begun, w.seq = true, s.next-1
		}
	}
	if s.mode == ReliableSequenced {
		if begins {
			c.sequenced += size
		}
		return
	}
	if begins {
		c.reserved += size
	}
	if m.whole != none {
		c.reserved -= n
	}
	c.sent += uint32(n)
	s.sent += uint32(n)
}

// takeCredit raises our limits. One that would go back is from an older packet.
func (e *Endpoint) takeCredit(f *packet.Credit) {
	c := &e.packets.credit
	if f.All {
		if int32(f.Bytes-c.limit) > 0 {
			c.limit = f.Bytes
		}
		return
	}
	s := &e.queue.streams[e.queue.stream(e.cfg, modeOf(f.Stream), f.Stream.Channel())]
	if seq := wide(f.Seq, s.limitSeq); seqAfter(seq, s.limitSeq) > 0 {
		s.limitSeq = seq
	}
	if int32(f.Bytes-s.limit) > 0 {
		s.limit = f.Bytes
	}
}

// credit tells the peer of room that was made, once it is worth a frame, or once the peer is about to need the sequences: a message may
// have so many fragments that it is not complete before.
func (e *Endpoint) credit(s *receiveStream) {
	c := &e.packets.credit
	short := seqAfter(s.advertised, s.top) < Window/4 && !s.stalled
	room := seqAfter(s.end(), s.advertised)
	if room >= int64(s.span/4) || room > 0 && short || s.taken+streamWindow-s.promised >= streamWindow/4 {
		s.tell, c.tell = true, true
	}
	if c.taken+sessionWindow-c.promised >= sessionWindow/4 {
		c.tell = true
	}
}

// creditDue is when a Credit frame has to leave: at once if there is news, and again if the last one was not acked in time.
func (e *Endpoint) creditDue() int64 {
	c := &e.packets.credit
	switch {
	case !e.mayExchange():
		return never
	case c.tell:
		return e.now
	case c.unacked:
		return c.toldAt + 2*e.rtt.timeout()
	}
	return never
}

// putCredit puts the limits that have to be told into the packet, with the values of the time, as many as there is room for.
func (e *Endpoint) putCredit(number int64) {
	p := e.packets
	c := &p.credit
	if e.now < e.creditDue() {
		return
	}
	if !c.tell {
		e.creditLost(func(int64) bool { return true })
	}
	p.sent.at(number).credit = true
	c.tell, c.unacked, c.toldAt = false, true, e.now
	if c.promised != c.taken+sessionWindow || c.toldIn != int64(none) {
		c.promised, c.toldIn = c.taken+sessionWindow, number
		e.pool.builder.AppendCredit(packet.Credit{All: true, Bytes: c.promised})
	}
	for i := range p.streams {
		s := &p.streams[i]
		if !s.tell {
			continue
		}
		e.widen(s)
		f := packet.Credit{Stream: s.name, Seq: uint16(s.end()), Bytes: s.taken + streamWindow}
		if e.pool.builder.Frames() >= maxCreditFrames || !e.pool.builder.AppendCredit(f) {
			c.tell = true // in the next packet
			return
		}
		s.advertised, s.promised = s.end(), f.Bytes
		s.tell, s.toldIn = false, number
	}
}

// widen gives a stream, of which a limit is about to be told, a wide window if its peer has to wait for the limit or soon will: it has used the last one up, or does not have it
// yet while a quarter of the window has been handed over since. The window is as wide as what may be unread, since it is slow to take messages out of a window that the
// application has no room for. Sequenced streams keep theirs: their messages count no bytes, and a sender gives up the older ones.
func (e *Endpoint) widen(s *receiveStream) {
	c, span := &e.packets.credit, min(wideWindow, e.cfg.UnreadMessages)
	if s.span > Window || span <= Window || s.mode == ReliableSequenced || c.widened == wideStreams {
		return
	}
	gain, left := seqAfter(s.end(), s.advertised), seqAfter(s.advertised, s.top)
	if gain >= Window/2 && left < Window/4 || gain >= Window/4 && s.toldIn != int64(none) {
		s.span = uint16(span)
		c.widened++
	}
}

// maxCreditFrames leaves room in a packet for what is more urgent.
const maxCreditFrames = 64

// creditLost says that limits are to be told again which packets told that were lost.
func (e *Endpoint) creditLost(lost func(number int64) bool) {
	c := &e.packets.credit
	if c.toldIn != int64(none) && lost(c.toldIn) {
		c.tell = true
	}
	for i := range e.packets.streams {
		if s := &e.packets.streams[i]; s.toldIn != int64(none) && lost(s.toldIn) {
			s.tell, c.tell = true, true
		}
	}
}

// creditArrived notes that the peer has the limits that a packet told.
func (e *Endpoint) creditArrived(number int64) {
	c := &e.packets.credit
	if c.toldIn == number {
		c.toldIn = int64(none)
	}
	c.unacked = c.toldIn != int64(none)
	for i := range e.packets.streams {
		s := &e.packets.streams[i]
		if s.toldIn == number {
			s.toldIn = int64(none)
		}
		c.unacked = c.unacked || s.toldIn != int64(none)
	}
}
