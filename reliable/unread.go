package reliable

import "github.com/gannet-net/gannet/framing"

// unreadQueue holds what the application has not read yet. Reliable and lossy messages wait apart, so that the oldest lossy
// ones can make room; order merges them again.
type unreadQueue struct {
	reliable, lossy ring[received]
	outcomes        ring[outcome]
	bytes           int
	order           uint64
	unbounded       bool // the session is over: what is here is handed over
}

// outcome is the fate of a message that asked for it.
type outcome struct {
	receipt  uint64
	fate     Fate
	reliable bool
	at       int64
	order    uint64
}

func (u *unreadQueue) messages() int { return u.reliable.len() + u.lossy.len() }

func (u *unreadQueue) stamp() uint64 {
	u.order++
	return u.order
}

func (u *unreadQueue) pushReliable(r received) {
	r.order = u.stamp()
	u.bytes += len(r.payload)
	u.reliable.push(r)
}

func (u *unreadQueue) pushLossy(r received) {
	r.order = u.stamp()
	u.bytes += len(r.payload)
	u.lossy.push(r)
}

// makeRoom reports whether one more message of n bytes fits, after dropping the oldest lossy ones if need be. A message that is larger
// than all the room fits when it is alone.
func (u *unreadQueue) makeRoom(e *Endpoint, n int) bool {
	for !u.unbounded && (u.messages() >= e.cfg.UnreadMessages || u.bytes+n > e.cfg.UnreadBytes) {
		if u.lossy.len() == 0 {
			return u.messages() == 0
		}
		old := u.lossy.pop()
		u.bytes -= len(old.payload)
		e.pool.put(old.payload)
		e.countDrop(framing.DropUnread)
	}
	return true
}

// PollEvent returns the next event: Connected first, messages and outcomes as they came, Disconnected or DialFailed last. The payload
// belongs to the caller until Recycle.
func (e *Endpoint) PollEvent() (Event, bool) {
	if e.up {
		e.up = false
		return Event{Kind: EventConnected, At: e.upAt}, true
	}
	if ev, ok := e.nextUnread(); ok {
		return ev, true
	}
	if ev := e.last; ev != nil {
		e.last = nil
		return *ev, true
	}
	return Event{}, false
}

// nextUnread pops whichever of the three queues has the oldest item.
func (e *Endpoint) nextUnread() (Event, bool) {
	u := &e.unread
	const last = ^uint64(0)
	reliable, lossy, out := last, last, last
	if u.reliable.len() > 0 {
		reliable = u.reliable.front().order
	}
	if u.lossy.len() > 0 {
		lossy = u.lossy.front().order
	}
	if u.outcomes.len() > 0 {
		out = u.outcomes.front().order
	}
	switch min(reliable, lossy, out) {
	case last:
		return Event{}, false
	case out:
		o := u.outcomes.pop()
		e.queue.held[kindOf(o.reliable)].messages--
		return Event{Kind: EventOutcome, At: o.at, Receipt: o.receipt, Fate: o.fate}, true
	case lossy:
		return e.read(u.lossy.pop()), true
	}
	ev := e.read(u.reliable.pop())
	if e.packets != nil {
		e.releaseStalled()
	} else {
		e.releaseBase()
	}
	return ev, true
}

func (e *Endpoint) read(r received) Event {
	e.unread.bytes -= len(r.payload)
	e.count.MessagesReceived++
	e.count.PayloadReceived += uint64(len(r.payload))
	return Event{Kind: EventMessage, Mode: r.mode, Channel: r.channel, Payload: r.payload, At: r.at}
}

// hasEvent reports whether PollEvent has something to return.
func (e *Endpoint) hasEvent() bool {
	return e.up || e.last != nil || e.unread.messages() > 0 || e.unread.outcomes.len() > 0
}

// HasEvent reports whether PollEvent would return an event.
func (e *Endpoint) HasEvent() bool { return e.hasEvent() }

// Recycle gives the payload of an event back to the pool. It must not be used afterwards.
func (e *Endpoint) Recycle(payload []byte) { e.pool.put(payload) }

// discardUnread forgets what the application did not read: it closed the session itself.
func (e *Endpoint) discardUnread() {
	u := &e.unread
	for u.reliable.len() > 0 {
		e.pool.put(u.reliable.pop().payload)
	}
	for u.lossy.len() > 0 {
		e.pool.put(u.lossy.pop().payload)
	}
	u.bytes = 0
}
