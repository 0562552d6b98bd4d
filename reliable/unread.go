package reliable

import "github.com/gannet-net/gannet/framing"

// unreadQueue holds what the application has not read yet. Reliable and lossy messages wait apart, so that the oldest lossy
// ones can make room; order merges them again.
type unreadQueue struct {
	reliable, lossy ring[message]
	outcomes        ring[outcome]
	bytes           int
	order           uint64
	unbounded       bool // the session is over: what is here is handed over
}

// message is one that came in.
type message struct {
	payload []byte
	at      int64
	order   uint64 // among all that is unread
	mode    Mode
	channel uint8
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

func (u *unreadQueue) pushReliable(m message) { u.push(&u.reliable, m) }
func (u *unreadQueue) pushLossy(m message)    { u.push(&u.lossy, m) }

func (u *unreadQueue) push(to *ring[message], m message) {
	u.bytes += len(m.payload)
	at := to.place() // filled in its place
	at.payload, at.at, at.order, at.mode, at.channel = m.payload, m.at, u.stamp(), m.mode, m.channel
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
func (e *Endpoint) PollEvent() (ev Event, ok bool) {
	ok = e.PollEventInto(&ev)
	return ev, ok
}

// PollEventInto is PollEvent into an event that is zero; it stays so if there is none. An event is large to return.
func (e *Endpoint) PollEventInto(ev *Event) bool {
	switch {
	case e.up:
		e.up = false
		ev.Kind, ev.At = EventConnected, e.upAt
	case e.nextUnread(ev):
	case e.last != nil:
		*ev, e.last = *e.last, nil
	default:
		return false
	}
	return true
}

// nextUnread pops whichever of the three queues has the oldest item into ev, and reports false if all are empty.
func (e *Endpoint) nextUnread(ev *Event) bool {
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
		return false
	case out:
		o := u.outcomes.pop()
		e.queue.held[kindOf(o.reliable)].messages--
		ev.Kind, ev.At, ev.Receipt, ev.Fate = EventOutcome, o.at, o.receipt, o.fate
	case lossy:
		e.read(ev, &u.lossy)
	default:
		e.read(ev, &u.reliable)
		if e.packets != nil {
			e.releaseStalled()
		} else {
			e.releaseBase()
		}
	}
	return true
}

func (e *Endpoint) read(ev *Event, from *ring[message]) {
	m := from.front()
	e.unread.bytes -= len(m.payload)
	e.count.MessagesReceived++
	e.count.PayloadReceived += uint64(len(m.payload))
	ev.Kind, ev.Mode, ev.Channel, ev.Payload, ev.At = EventMessage, m.mode, m.channel, m.payload, m.at
	from.drop()
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
