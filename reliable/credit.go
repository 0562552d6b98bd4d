package reliable

import "github.com/gannet-net/gannet/framing/packet"

// creditState is how much reliable payload each side may send (PROTOCOL.md 13).
type creditState struct {
	sent, limit uint32 // payload bytes of the session: sent for the first time, and how many may be
	streams     []streamCredit

	taken, promised uint32 // the same of the peer: what left our windows, and what it was told
	tell            bool
	toldAt          int64 // when the peer was told last
	unacked         bool  // and whether it is not known to have heard
}

// streamCredit is how far one of our streams may go.
type streamCredit struct {
	mode        Mode
	channel     uint8
	seq         int32 // the first sequence that may not be sent
	sent, limit uint32
}

const (
	// streamWindow is how much one stream may have in the peer's window before the peer says more.
	streamWindow = 3 << 19
	// sessionWindow is the same for all streams of a session together.
	sessionWindow = 2 << 20
)

func (c *creditState) init() { c.limit, c.promised = sessionWindow, sessionWindow }

func (e *Endpoint) streamCredit(mode Mode, channel uint8) *streamCredit {
	c := &e.packets.credit
	for i := range c.streams {
		if c.streams[i].mode == mode && c.streams[i].channel == channel {
			return &c.streams[i]
		}
	}
	c.streams = append(c.streams, streamCredit{mode: mode, channel: channel, seq: e.cfg.FirstSend + Window, limit: streamWindow})
	return &c.streams[len(c.streams)-1]
}

// creditFor reports whether the next sequence of a stream may carry n bytes.
func (e *Endpoint) creditFor(s *stream, n int) bool {
	c, sc := &e.packets.credit, e.streamCredit(s.mode, s.channel)
	if s.mode == ReliableSequenced {
		n = 0 // what was given up never arrives, so nothing could ever credit it
	}
	return seqAfter(sc.seq, s.next) > 0 && int32(sc.limit-sc.sent) >= int32(n) && int32(c.limit-c.sent) >= int32(n)
}

func (e *Endpoint) spendCredit(s *stream, n int) {
	if s.mode == ReliableSequenced {
		return
	}
	e.packets.credit.sent += uint32(n)
	e.streamCredit(s.mode, s.channel).sent += uint32(n)
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
	sc := e.streamCredit(modeOf(f.Stream), f.Stream.Channel())
	if seq := wide(f.Seq, sc.seq); seqAfter(seq, sc.seq) > 0 {
		sc.seq = seq
	}
	if int32(f.Bytes-sc.limit) > 0 {
		sc.limit = f.Bytes
	}
}

// credit tells the peer of room that the application made, once it is worth a frame.
func (e *Endpoint) credit(s *receiveStream) {
	c := &e.packets.credit
	if seqAfter(s.window.next+Window, s.advertised) >= Window/4 || s.taken+streamWindow-s.promised >= streamWindow/4 {
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

// again says that a Credit frame is lost.
func (c *creditState) again() { c.tell = true }

// putCredit puts the limits that have changed into the packet, with the values of the time.
func (e *Endpoint) putCredit() {
	p := e.packets
	c := &p.credit
	if e.now < e.creditDue() {
		return
	}
	record := p.sent.at(p.sent.next - 1)
	record.credit = true
	c.tell, c.unacked, c.toldAt = false, true, e.now
	c.promised = c.taken + sessionWindow
	p.builder.AppendCredit(packet.Credit{All: true, Bytes: c.promised})
	for i := range p.streams {
		s := &p.streams[i]
		if s.window.next == e.cfg.FirstReceive {
			continue
		}
		f := packet.Credit{Stream: wireStream(s.mode, s.channel), Seq: uint16(s.window.next + Window), Bytes: s.taken + streamWindow}
		if !p.builder.AppendCredit(f) {
			c.tell = true
			return
		}
		s.advertised, s.promised, s.tell = s.window.next+Window, f.Bytes, false
	}
}
