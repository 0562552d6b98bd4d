package reliable

import "github.com/gannet-net/gannet/framing/packet"

// receiveStream is the receiving side of one (channel, mode) of the packet wire.
type receiveStream struct {
	mode    Mode
	channel uint8
	name    packet.Stream
	window  receiveWindow // what waits; unordered: also what was delivered, as empty slots
	top     int32         // after the highest sequence that came
	begun   int32         // sequenced: the beginning of the newest message of which that came
	part    *partial      // the beginning of the next message, which the window does not hold; nil before the first
	stalled bool          // a message is complete and waits for the application to read
	span    uint16        // sequences in the window: Window, or more once the peer uses it up

	taken uint32 // payload bytes that left the window

	advertised int32  // the first sequence that the peer may not send, as it was told
	promised   uint32 // likewise the bytes
	tell       bool   // it is to be told again
	stalledAt  int32  // while stalled: no message before it is complete and waits
	toldIn     int64  // packet that told it, until it is acked; none if nothing was told
}

// stream is the receiving side of a stream of which something came, else nil.
func (p *packetWire) stream(name packet.Stream) *receiveStream {
	for i := range p.streams {
		if s := &p.streams[i]; s.name == name {
			return s
		}
	}
	return nil
}

// knownStream is the same with all that waits in its window.
func (e *Endpoint) knownStream(name packet.Stream) *receiveStream {
	s := e.packets.stream(name)
	if s != nil {
		s.spill(e.pool)
	}
	return s
}

func (e *Endpoint) receiveStream(name packet.Stream) *receiveStream {
	if s := e.knownStream(name); s != nil {
		return s
	}
	p, first := e.packets, e.cfg.FirstReceive
	p.streams = append(p.streams, receiveStream{
		mode: modeOf(name), channel: name.Channel(), name: name, window: receiveWindow{next: first, salt: p.draw(drawSalt)}, top: first, begun: first,
		span: Window, advertised: first + Window, promised: streamWindow, toldIn: int64(none),
	})
	return &p.streams[len(p.streams)-1]
}

// end is the first sequence beyond the window.
func (s *receiveStream) end() int32 { return s.window.next + int32(s.span) }

// key tells sequences of different streams apart where that need not be exact.
func (s *receiveStream) key(seq int32) int32 { return seq ^ int32(s.name)<<24 }

// wide expands the low 16 bits of a sequence to the one nearest to the next.
func wide(low uint16, next int32) int32 { return next + int32(int16(low-uint16(next))) }

// arrive takes one reliable fragment, of which seq is the whole sequence, and which came or was rebuilt. It reports whether it was new.
func (e *Endpoint) arrive(now int64, s *receiveStream, seq int32, f *packet.Reliable, rebuilt bool) (fresh bool) {
	w := &s.window
	ahead := seqAfter(seq, w.next)
	if ahead < 0 || w.holds(seq) {
		e.count.DuplicatesReceived++
		e.packets.repeated = s.key(seq)
		return false
	}
	if ahead > 0 {
		e.count.OutOfOrder++
	}
	if seqAfter(seq, s.top) >= 0 {
		s.top = seq + 1
	}
	if rebuilt {
		e.traceSeq(TraceRebuilt, seq) // it will come again, and that will not tell that an ack was lost
	} else {
		e.reverse.first(now, s.key(seq))
		e.traceSeq(TraceReceived, seq)
	}
	if e.packets.recent != nil {
		e.keepRecent(s, seq, f)
	}
	if ahead > 0 || !e.passThrough(now, s, f) {
		e.keep(now, s, seq, f)
	}
	return true
}

// passThrough hands over a whole message that is next, as most are, without a trip through the window. It reports false if that is not what
// the fragment is, or if the application has no room for it.
func (e *Endpoint) passThrough(now int64, s *receiveStream, f *packet.Reliable) bool {
	w, n := &s.window, len(f.Payload)
	if w.count > 0 || !f.First || !f.Last || s.mode == ReliableSequenced || !e.unread.makeRoom(e, n) {
		return false
	}
	e.unread.pushReliable(message{payload: e.pool.copyOf(f.Payload), at: now, mode: s.mode, channel: s.channel})
	w.next++
	s.taken += uint32(n)
	e.packets.credit.taken += uint32(n)
	e.credit(s)
	return true
}

// keep stores a fragment in the window, and hands over what it completes.
func (e *Endpoint) keep(now int64, s *receiveStream, seq int32, f *packet.Reliable) {
	w := &s.window
	w.store(received{
		payload: e.pool.copyOf(f.Payload), at: now, seq: seq, mode: s.mode, channel: s.channel, first: f.First, last: f.Last,
	})
	e.packets.hold(s, len(f.Payload))
	run, ok := w.join(seq)
	if !ok || run.run > MaxReliableMessage || run.end-run.begin >= packet.MaxCount {
		e.end(now, ProtocolError, "")
		return
	}
	e.release(s, run)
	e.credit(s)
}

// join makes a fragment part of the run of those beside it that belong to the same message, and gives its beginning. It reports false if
// they do not fit: then they are of no message.
func (w *receiveWindow) join(seq int32) (run *received, ok bool) {
	r := w.find(seq)
	left, right := w.find(seq-1), w.find(seq+1)
	if left == nil && seq == w.next && !r.first || left != nil && left.last != r.first || right != nil && right.first != r.last {
		return r, false
	}
	begin, end, bytes := seq, seq, int32(len(r.payload))
	if left != nil && !r.first {
		begin, bytes = left.begin, bytes+left.run
	}
	if right != nil && !r.last {
		end, bytes = right.end, bytes+right.run
	}
	run = w.find(begin)
	for _, tip := range [...]*received{run, w.find(end)} {
		tip.begin, tip.end, tip.run = begin, end, bytes
	}
	return run, true
}

// complete reports whether the run that begins in r is a message.
func (w *receiveWindow) complete(r *received) bool { return r.first && !r.done && w.find(r.end).last }

// release hands over what the arrival of a fragment completes; run is the run that it became part of.
func (e *Endpoint) release(s *receiveStream, run *received) {
	if s.mode == ReliableOrdered {
		e.releaseOrdered(s)
		return
	}
	begin, begins := run.begin, run.first
	if s.window.complete(run) {
		e.releaseMessage(s, run)
	}
	if s.mode == ReliableSequenced && begins && seqAfter(begin, s.begun) > 0 {
		s.begun = begin
	}
	e.pass(s)
}

// releaseOrdered hands over what is next in order, as far as the application has room.
func (e *Endpoint) releaseOrdered(s *receiveStream) {
	w := &s.window
	for r := w.find(w.next); r != nil && w.complete(r) && e.releaseMessage(s, r); r = w.find(w.next) {
		e.pass(s)
	}
}

// releaseMessage hands over the message that begins in r, unless the application has no room for it or for one before it.
func (e *Endpoint) releaseMessage(s *receiveStream, r *received) bool {
	if s.stalled || !e.unread.makeRoom(e, int(r.run)) {
		if !s.stalled || seqAfter(s.stalledAt, r.begin) > 0 {
			s.stalled, s.stalledAt = true, r.begin
		}
		return false
	}
	e.unread.pushReliable(e.assemble(s, r).message())
	return true
}

// pass moves the window over what was delivered. A sequenced stream does not wait for what is older than a message that began: the sender
// has given that up.
func (e *Endpoint) pass(s *receiveStream) {
	w := &s.window
	for {
		r := w.find(w.next)
		stale := s.mode == ReliableSequenced && !s.stalled && seqAfter(s.begun, w.next) > 0
		switch {
		case r == nil && stale:
			w.next++
		case r != nil && (r.done || stale):
			e.took(s, r)
		default:
			return
		}
	}
}

// took moves the window over the slot of the next sequence and counts what that makes room for.
func (e *Endpoint) took(s *receiveStream, r *received) {
	n := len(r.payload) // of what was not delivered
	if n > 0 {
		e.packets.hold(s, -n)
		s.window.bytes -= n
	}
	e.pool.put(r.payload)
	if s.mode != ReliableSequenced {
		s.taken += uint32(r.size)
		e.packets.credit.taken += uint32(r.size)
	}
	s.window.remove(s.window.next)
	s.window.next++
}

// releaseStalled tries again what waits for the application, after it has read something.
func (e *Endpoint) releaseStalled() {
	for i := range e.packets.streams {
		s := &e.packets.streams[i]
		if !s.stalled {
			continue
		}
		s.stalled = false
		if s.mode == ReliableOrdered {
			e.releaseOrdered(s)
		} else {
			e.releaseComplete(s)
		}
		e.credit(s)
	}
}

// releaseComplete hands over every message that is complete, as far as the application has room.
func (e *Endpoint) releaseComplete(s *receiveStream) {
	for seq := s.stalledAt; seqAfter(s.top, seq) > 0 && !s.stalled; seq++ {
		if r := s.window.find(seq); r != nil && s.window.complete(r) {
			e.releaseMessage(s, r)
		}
	}
	e.pass(s)
}

// assemble joins the fragments of the run that begins in r. Their slots stay, empty.
func (e *Endpoint) assemble(s *receiveStream, r *received) received {
	w := &s.window
	msg, n, end := *r, int(r.run), r.end
	if msg.begin != end {
		msg.payload = e.pool.get(n)[:0]
	}
	for seq := msg.begin; seqAfter(end, seq) >= 0; seq++ {
		part := w.find(seq)
		if msg.begin != end {
			msg.payload = append(msg.payload, part.payload...)
			e.pool.put(part.payload)
		}
		msg.at = max(msg.at, part.at)
		part.size, part.payload, part.done = int32(len(part.payload)), nil, true
	}
	w.bytes -= n
	e.packets.hold(s, -n)
	return msg
}

// hold counts the bytes that wait in a window of the stream.
func (p *packetWire) hold(s *receiveStream, n int) {
	if s.mode == ReliableSequenced {
		p.credit.heldSequenced += n
	} else {
		p.credit.held += n
	}
}
