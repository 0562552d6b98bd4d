package reliable

import "github.com/gannet-net/gannet/framing"

// received is one message that came in, or a fragment of one.
type received struct {
	payload []byte
	at      int64

	seq        int32
	begin, end int32 // at both ends of a run of fragments of one message: the ends
	run        int32 // likewise: the bytes of the run
	size       int32 // bytes, once payload is gone

	mode        Mode
	channel     uint8
	held        bool // the slot of the window is taken
	first, last bool // fragment of its message
	done        bool // delivered; the slot waits for those before it
}

// message is what the application gets of r.
func (r received) message() message {
	return message{payload: r.payload, at: r.at, mode: r.mode, channel: r.channel}
}

// receiveWindow holds reliable messages that wait for one before them. It is a hash table by sequence with linear probing, so that it
// grows with what is stored and not with how far ahead a peer claims that to be. A peer that knew where sequences lie could choose them so that many lie in a row.
type receiveWindow struct {
	next  int32      // next sequence to deliver
	salt  uint32     // of the hash
	slots []received // length is a power of two, at least 4/3 of count
	bytes int
	count int
}

func (w *receiveWindow) mask() uint32 { return uint32(len(w.slots) - 1) }

// home is where the slot of a sequence would be if there were no others.
func (w *receiveWindow) home(seq int32) uint32 {
	h := uint32(seq) ^ w.salt
	h = (h ^ h>>16) * 0x7FEB352D
	h = (h ^ h>>15) * 0x846CA68B
	return (h ^ h>>16) & w.mask()
}

// find is the slot of a sequence, nil if it is not stored.
func (w *receiveWindow) find(seq int32) *received {
	if w.count == 0 {
		return nil
	}
	for i := w.home(seq); w.slots[i].held; i = (i + 1) & w.mask() {
		if w.slots[i].seq == seq {
			return &w.slots[i]
		}
	}
	return nil
}

// holds reports whether a sequence is stored.
func (w *receiveWindow) holds(seq int32) bool { return w.find(seq) != nil }

// store keeps r, which must not be stored yet, under its sequence.
func (w *receiveWindow) store(r received) *received {
	if 4*(w.count+1) > 3*len(w.slots) {
		w.grow()
	}
	r.held = true
	w.bytes += len(r.payload)
	w.count++
	return w.place(r)
}

func (w *receiveWindow) place(r received) *received {
	i := w.home(r.seq)
	for w.slots[i].held {
		i = (i + 1) & w.mask()
	}
	w.slots[i] = r
	return &w.slots[i]
}

func (w *receiveWindow) grow() {
	old := w.slots
	w.slots = make([]received, max(4, 2*len(old)))
	for i := range old {
		if old[i].held {
			w.place(old[i])
		}
	}
}

// takeNext takes out the next sequence, which must be stored, and moves the window by one.
func (w *receiveWindow) takeNext() received {
	r := *w.find(w.next)
	w.bytes -= len(r.payload)
	w.remove(w.next)
	w.next++
	return r
}

// remove frees the slot of a sequence, and closes the gap that this leaves for those that were put behind it.
func (w *receiveWindow) remove(seq int32) {
	i := w.home(seq)
	for w.slots[i].seq != seq || !w.slots[i].held {
		i = (i + 1) & w.mask()
	}
	for j := (i + 1) & w.mask(); w.slots[j].held; j = (j + 1) & w.mask() {
		if home := w.home(w.slots[j].seq); (j-home)&w.mask() >= (j-i)&w.mask() {
			w.slots[i] = w.slots[j]
			i = j
		}
	}
	w.slots[i] = received{}
	w.count--
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
		e.count.DuplicatesReceived++
		e.reverse.again(now, seq)
		e.acknowledge(now, seq)
		return framing.DropDuplicate
	case ahead == 0 && !e.unread.makeRoom(e, len(payload)):
		return framing.DropUnread
	case ahead > 0 && w.bytes+len(payload) > e.cfg.WindowBytes:
		return framing.DropWindowBytes
	}
	if ahead > 0 {
		e.count.OutOfOrder++
	}
	w.store(received{seq: seq, payload: e.pool.copyOf(payload), at: now, mode: ReliableOrdered})
	e.reverse.first(now, seq)
	e.acknowledge(now, seq)
	e.traceSeq(TraceReceived, seq)
	e.releaseBase()
	return framing.Accepted
}

// releaseBase moves what is next in order to the application, as far as it has room.
func (e *Endpoint) releaseBase() {
	w := &e.window
	for {
		r := w.find(w.next)
		if r == nil || !e.unread.makeRoom(e, len(r.payload)) {
			return
		}
		e.unread.pushReliable(w.takeNext().message())
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
	e.unread.pushLossy(message{payload: e.pool.copyOf(payload), at: now})
	return framing.Accepted
}

// dropStored forgets messages that waited for a missing one: it will not come any more.
func (e *Endpoint) dropStored() { e.window.drop(e.pool) }

// drop forgets everything that is stored.
func (w *receiveWindow) drop(p *Pool) {
	for i := range w.slots {
		p.put(w.slots[i].payload)
	}
	w.slots, w.bytes, w.count = nil, 0, 0
}
