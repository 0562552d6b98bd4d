package reliable

// receiveStream is the receiving side of one (channel, mode) of the packet wire.
type receiveStream struct {
	mode    Mode
	channel uint8
	window  receiveWindow // ordered and unordered: what waits; unordered: also what was delivered, as empty slots
	newest  int32         // sequenced: the last one delivered
	any     bool          // sequenced: there is one

	taken      uint32 // payload bytes that left the window
	advertised int32  // the first sequence that the peer may not send, as it was told
	promised   uint32 // likewise the bytes
	tell       bool   // it is to be told again
}

func (e *Endpoint) receiveStream(mode Mode, channel uint8) *receiveStream {
	p := e.packets
	for i := range p.streams {
		if p.streams[i].mode == mode && p.streams[i].channel == channel {
			return &p.streams[i]
		}
	}
	p.streams = append(p.streams, receiveStream{
		mode: mode, channel: channel, window: receiveWindow{next: e.cfg.FirstReceive},
		advertised: e.cfg.FirstReceive + Window, promised: streamWindow,
	})
	return &p.streams[len(p.streams)-1]
}

// key tells sequences of different streams apart where that need not be exact.
func (s *receiveStream) key(seq int32) int32 { return seq ^ int32(wireStream(s.mode, s.channel))<<24 }

// wide expands the low 16 bits of a sequence to the one nearest to the next.
func wide(low uint16, next int32) int32 { return next + int32(int16(low-uint16(next))) }

// arrive takes one reliable fragment. It reports whether it was new.
func (e *Endpoint) arrive(now int64, s *receiveStream, seq int32, payload []byte, first, last bool) bool {
	w := &s.window
	if seqAfter(seq, w.next) < 0 || w.holds(seq) {
		e.stats.DuplicatesReceived++
		e.packets.repeated = s.key(seq)
		return false
	}
	if seqAfter(seq, w.next) > 0 {
		e.stats.OutOfOrder++
	}
	w.store(seq, received{payload: e.pool.copyOf(payload), at: now, first: first, last: last, channel: s.channel, mode: s.mode})
	e.reverse.first(now, s.key(seq))
	e.traceSeq(TraceReceived, seq)
	if s.mode == ReliableOrdered {
		e.releaseOrdered(s)
	} else {
		e.releaseAround(s, seq)
	}
	return true
}

// releaseOrdered hands over what is next in order, as far as the application has room.
func (e *Endpoint) releaseOrdered(s *receiveStream) {
	for {
		n, size := s.complete(s.window.next)
		if n == 0 || e.tooLarge(size) || !e.unread.makeRoom(e, size) {
			return
		}
		e.unread.pushReliable(e.assemble(s, s.window.next, n, size))
		for range n {
			e.took(s)
		}
		e.credit(s)
	}
}

// releaseAround hands over the message that the fragment at seq completes, whatever is before it.
func (e *Endpoint) releaseAround(s *receiveStream, seq int32) {
	for seqAfter(seq, s.window.next) > 0 && !s.window.slot(seq).first && s.window.holds(seq-1) {
		seq--
	}
	n, size := s.complete(seq)
	if n == 0 || e.tooLarge(size) || !e.unread.makeRoom(e, size) {
		return
	}
	stale := s.mode == ReliableSequenced && s.any && seqAfter(seq, s.newest) < 0
	msg := e.assemble(s, seq, n, size)
	if stale {
		e.pool.put(msg.payload)
	} else {
		e.unread.pushReliable(msg)
		s.newest, s.any = seq, true
	}
	for i := range int32(n) {
		s.window.slot(seq + i).done = true
	}
	e.passDone(s)
}

// passDone moves the window over what was delivered. A sequenced stream does not wait for older ones.
func (e *Endpoint) passDone(s *receiveStream) {
	w := &s.window
	for w.holds(w.next) && w.slot(w.next).done || s.mode == ReliableSequenced && s.any && seqAfter(s.newest, w.next) >= 0 {
		if w.holds(w.next) && !w.slot(w.next).done {
			w.bytes -= len(w.slot(w.next).payload)
			w.slot(w.next).size = len(w.slot(w.next).payload)
			e.pool.put(w.slot(w.next).payload)
		}
		e.took(s)
	}
	e.credit(s)
}

// took moves the window by one and counts what that makes room for.
func (e *Endpoint) took(s *receiveStream) {
	n := uint32(s.window.skip())
	if s.mode == ReliableSequenced {
		return
	}
	s.taken += n
	e.packets.credit.taken += n
}

// releaseAll tries every stream again after the application has read something.
func (e *Endpoint) releaseAll() {
	for i := range e.packets.streams {
		s := &e.packets.streams[i]
		if s.window.bytes == 0 {
			continue
		}
		if s.mode == ReliableOrdered {
			e.releaseOrdered(s)
			continue
		}
		for ahead := range int32(len(s.window.slots)) {
			if seq := s.window.next + ahead; s.window.holds(seq) && !s.window.slot(seq).done && s.window.slot(seq).first {
				e.releaseAround(s, seq)
			}
		}
	}
}

// complete gives the number of fragments and bytes of the message that begins at seq, 0 if it is not all there.
func (s *receiveStream) complete(seq int32) (n, size int) {
	w := &s.window
	for w.holds(seq) && !w.slot(seq).done && (n > 0 || w.slot(seq).first) {
		size += len(w.slot(seq).payload)
		n++
		if w.slot(seq).last {
			return n, size
		}
		seq++
	}
	return 0, 0
}

// tooLarge ends the session if the peer sent a message above the limit.
func (e *Endpoint) tooLarge(size int) bool {
	if size <= MaxReliableMessage {
		return false
	}
	if e.state != StateClosed {
		e.end(e.now, ProtocolError, "")
	}
	return true
}

// assemble joins n fragments from seq on. The slots stay, empty.
func (e *Endpoint) assemble(s *receiveStream, seq int32, n, size int) received {
	w := &s.window
	msg := *w.slot(seq)
	if n > 1 {
		msg.payload = e.pool.get(size)[:0]
	}
	for i := range int32(n) {
		part := w.slot(seq + i)
		w.bytes -= len(part.payload)
		part.size = len(part.payload)
		msg.at = max(msg.at, part.at)
		if n > 1 {
			msg.payload = append(msg.payload, part.payload...)
			e.pool.put(part.payload)
		}
		part.payload = nil
	}
	return msg
}

// skip moves the window by one and gives the payload bytes that the peer sent for it.
func (w *receiveWindow) skip() int {
	if !w.holds(w.next) {
		w.next++
		return 0
	}
	slot := w.slot(w.next)
	n := slot.size
	*slot = received{}
	w.count--
	w.next++
	return n
}
