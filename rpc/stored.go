package rpc

// What waits of one peer, for a phase or for objects, is at most so much.
const (
	maxWaitingCalls = 256
	maxWaitingBytes = 64 << 10
)

// held is a call that was admitted and does not run yet. It owns its bytes.
type held struct {
	peer    *peer
	route   *route
	at      int64
	id      NetID
	start   int // of the arguments, in bits of the bytes
	request bool
	serial  uint16
	until   int64
	caller  *peer

	from, to int  // its bytes, where they lie behind one another
	dropped  bool // it was, so that it is passed over
}

// keep is in as what is kept of it.
func (in *In) keep() held {
	return held{peer: in.peer, route: in.route, at: in.at, id: in.id, start: in.start, request: in.request, serial: in.serial, until: in.until, caller: in.caller}
}

// encode makes the bytes of a call that was made here. The sheet is to be put away when they were copied.
func (in *In) encode() error {
	s := in.calls.sheet()
	in.route.Args.Encode(&s.w, in.args)
	in.raw, in.start, in.args = s.w.Bytes(), 0, nil
	return s.w.Err()
}

// resume is h as it came in, with its bytes.
func (h *held) resume(c *Calls, raw []byte) *In {
	in := c.lend(h.peer)
	in.route, in.at, in.id, in.start, in.raw = h.route, h.at, h.id, h.start, raw
	in.request, in.serial, in.until, in.caller, in.waited = h.request, h.serial, h.until, h.caller, true
	return in
}

// stored is calls that wait for a phase, in the order in which they came. Their bytes lie one behind the other in data.
type stored struct {
	items []held
	data  []byte
	gaps  int // items that were dropped

	spareItems []held // of the run before
	spareData  []byte
	running    bool
}

// push keeps a call. If there are too many of its peer, the oldest of these is dropped.
func (s *stored) push(in *In) {
	if in.args != nil {
		defer in.calls.putAway()
		if err := in.encode(); err != nil {
			in.drop(DropMalformed, err)
			return
		}
	}
	load := &in.peer.phased[in.route.Phase]
	load.calls++
	load.bytes += len(in.raw)
	for load.calls > 1 && (load.calls > maxWaitingCalls || load.bytes > maxWaitingBytes) {
		s.dropOldest(in, load)
	}
	if s.gaps > len(s.items)/2 {
		s.close()
	}
	h := in.keep()
	h.from = len(s.data)
	s.data = append(s.data, in.raw...)
	h.to = len(s.data)
	s.items = append(s.items, h)
}

// load is how much waits of one peer.
type load struct {
	calls, bytes int
	oldest       int // where in the queue to look for the oldest
}

// dropOldest drops the oldest call of the peer of in.
func (s *stored) dropOldest(in *In, l *load) {
	for ; l.oldest < len(s.items); l.oldest++ {
		if h := &s.items[l.oldest]; h.peer == in.peer && !h.dropped {
			s.drop(l.oldest, DropPhase)
			return
		}
	}
	l.calls, l.bytes = 1, 0 // only the new one is left
}

// drop drops item i.
func (s *stored) drop(i int, why Drop) {
	h := &s.items[i]
	h.dropped = true
	s.gaps++
	s.unload(h)
	h.drop(h.peer.calls, s.data[h.from:h.to], why)
}

func (s *stored) unload(h *held) {
	l := h.load()
	l.calls--
	l.bytes -= h.to - h.from
}

// load is how much waits of the peer of h for its phase.
func (h *held) load() *load { return &h.peer.phased[h.route.Phase] }

// close closes the gaps that dropped calls have left, so that they take no room while nobody calls Run.
func (s *stored) close() {
	for i := range s.items {
		s.items[i].load().oldest = len(s.items) - s.gaps
	}
	n, end := 0, 0
	for i := range s.items {
		h := s.items[i]
		if h.dropped {
			continue
		}
		size := copy(s.data[end:], s.data[h.from:h.to])
		h.from, h.to = end, end+size
		h.load().oldest = min(h.load().oldest, n)
		s.items[n], end = h, end+size
		n++
	}
	clear(s.items[n:])
	s.items, s.data, s.gaps = s.items[:n], s.data[:end], 0
}

// drop ends a call that has waited.
func (h *held) drop(c *Calls, raw []byte, why Drop) {
	in := h.resume(c, raw)
	defer c.takeBack()
	in.drop(why, nil)
}

// left drops the calls of a peer that has left.
func (s *stored) left(p *peer) {
	for i := range s.items {
		if h := &s.items[i]; h.peer == p && !h.dropped {
			s.drop(i, DropSession)
		}
	}
}

// cancel drops the request of a peer with a serial, and reports whether it was there.
func (s *stored) cancel(p *peer, serial uint16) bool {
	for i := range s.items {
		if h := &s.items[i]; h.peer == p && h.request && h.serial == serial && !h.dropped {
			h.request = false // nobody waits for the answer
			s.drop(i, DropLate)
			return true
		}
	}
	return false
}

// Run runs the calls that wait for a phase, in the order in which they came. What comes meanwhile waits for the next Run. Run(Now) does nothing, and neither does Run called by a method that it runs.
func (c *Calls) Run(phase Phase) {
	if phase == Now || int(phase) >= numPhases || c.phases[phase].running {
		return
	}
	s := &c.phases[phase]
	s.running = true
	items, data := s.items, s.data
	s.items, s.data, s.gaps = s.spareItems[:0], s.spareData[:0], 0
	for i := range items {
		h := &items[i]
		h.load().oldest = 0
		if !h.dropped {
			s.unload(h)
		}
	}
	defer func() {
		clear(items)
		s.spareItems, s.spareData, s.running = items, data, false
	}()
	for i := range items {
		if !items[i].dropped {
			c.runHeld(&items[i], data[items[i].from:items[i].to])
		}
	}
}

// runHeld runs a call that has waited.
func (c *Calls) runHeld(h *held, raw []byte) {
	in := h.resume(c, raw)
	defer c.takeBack()
	if h.peer.gone || h.peer.Ended() {
		in.drop(DropSession, nil)
		return
	}
	in.run()
}
