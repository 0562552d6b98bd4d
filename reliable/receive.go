package reliable

import "github.com/gannet-net/gannet/framing"

// received is one message that came in.
type received struct {
	payload []byte
	at      int64
	order   uint64
	held    bool // the slot of the window is taken
}

// receiveWindow holds reliable messages that wait for one before them. Its ring grows with what is stored, up to Window.
type receiveWindow struct {
	next  int32 // next sequence to deliver
	slots []received
	bytes int
	count int
}

func (w *receiveWindow) slot(seq int32) *received {
	return &w.slots[uint32(seq)&uint32(len(w.slots)-1)]
}

// holds reports whether a sequence inside the window is stored.
func (w *receiveWindow) holds(seq int32) bool {
	return seqAfter(seq, w.next) < int64(len(w.slots)) && w.slot(seq).held
}

func (w *receiveWindow) store(seq int32, r received) {
	for seqAfter(seq, w.next) >= int64(len(w.slots)) {
		w.grow()
	}
	r.held = true
	*w.slot(seq) = r
	w.bytes += len(r.payload)
	w.count++
}

func (w *receiveWindow) takeNext() received {
	r := *w.slot(w.next)
	*w.slot(w.next) = received{}
	w.bytes -= len(r.payload)
	w.count--
	w.next++
	return r
}

func (w *receiveWindow) grow() {
	old := *w
	w.slots = make([]received, max(8, 2*len(old.slots)))
	for i := range int32(len(old.slots)) {
		*w.slot(w.next + i) = *old.slot(w.next + i)
	}
}

// handleReliable stores or drops one Reliable and says what is acknowledged (PROTOCOL.md 4.2).
func (e *Endpoint) handleReliable(now int64, seq int32, payload []byte) framing.Drop {
	w := &e.window
	ahead := seqAfter(seq, w.next)
	switch {
	case e.state == StateClosing && ahead >= 0: // nobody would read it
		return framing.DropClosed
	case ahead >= Window:
		return framing.DropWindow
	case ahead < 0 || w.holds(seq):
		e.stats.DuplicatesReceived++
		e.reverse.again(now, seq)
		e.acknowledge(now, seq)
		return framing.DropDuplicate
	case ahead == 0 && !e.unread.makeRoom(e, len(payload)):
		return framing.DropUnread
	case ahead > 0 && w.bytes+len(payload) > e.cfg.WindowBytes:
		return framing.DropWindowBytes
	}
	if ahead > 0 {
		e.stats.OutOfOrder++
	}
	w.store(seq, received{payload: e.pool.copyOf(payload), at: now})
	e.reverse.first(now, seq)
	e.acknowledge(now, seq)
	e.traceSeq(TraceReceived, seq)
	e.release()
	return framing.Accepted
}

// release moves what is next in order to the application, as far as it has room.
func (e *Endpoint) release() {
	w := &e.window
	for w.count > 0 && w.holds(w.next) && e.unread.makeRoom(e, len(w.slot(w.next).payload)) {
		e.unread.pushReliable(w.takeNext())
	}
}

// releaseAll moves everything that is next in order to the application at the end of a session, room or not: it was acknowledged, and what the
// window holds is bounded.
func (e *Endpoint) releaseAll() {
	for w := &e.window; w.count > 0 && w.holds(w.next); {
		e.unread.pushReliable(w.takeNext())
	}
}

// handleUnreliable queues one message for the application, pushing out the oldest unreliable ones if there is no room.
func (e *Endpoint) handleUnreliable(now int64, payload []byte) framing.Drop {
	if e.state != StateConnected {
		return framing.DropClosed
	}
	if !e.unread.makeRoom(e, len(payload)) {
		return framing.DropUnread
	}
	e.unread.pushLossy(received{payload: e.pool.copyOf(payload), at: now})
	return framing.Accepted
}

// dropStored forgets messages that waited for a missing one: it will not come any more.
func (e *Endpoint) dropStored() {
	for i := range e.window.slots {
		if e.window.slots[i].held {
			e.pool.put(e.window.slots[i].payload)
		}
	}
	e.window.slots, e.window.bytes, e.window.count = nil, 0, 0
}
