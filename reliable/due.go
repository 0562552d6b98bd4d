package reliable

// dueHeap orders messages in flight by the time at which something is to be done about them, and those of one time by rank. It is a 4-ary heap of
// slots of the send queue; each message knows its place in it, so that an ack takes it out directly.
type dueHeap struct {
	entries []dueEntry
}

type dueEntry struct {
	at   int64
	slot int32
	rank uint32
}

// rank is by what messages that are due at once are told apart: age, and which fragment it is.
func (m *outMessage) rank() uint32 { return uint32(m.order)<<indexBits | uint32(m.index) }

// older reports whether a message was queued before another one, or is an earlier fragment of the same.
func (m *outMessage) older(than *outMessage) bool {
	return m.order < than.order || m.order == than.order && m.index < than.index
}

// indexBits is what the index of a fragment of a reliable message takes.
const (
	indexBits = 10
	_         = uint(1<<indexBits - MaxReliableMessage/fragmentRoom - 1)
)

// before reports whether a comes first. What is in flight at once is far less than half of the ranks apart.
func (a *dueEntry) before(b *dueEntry) bool {
	return a.at < b.at || a.at == b.at && int32(a.rank-b.rank) < 0
}

func (h *dueHeap) next() int64 {
	if len(h.entries) == 0 {
		return never
	}
	return h.entries[0].at
}

func (h *dueHeap) add(msgs []outMessage, slot int32, at int64) {
	h.entries = append(h.entries, dueEntry{at, slot, msgs[slot].rank()})
	h.up(msgs, len(h.entries)-1)
}

func (h *dueHeap) move(msgs []outMessage, slot int32, at int64) {
	i := int(msgs[slot].place)
	later := at > h.entries[i].at
	h.entries[i].at = at
	if later {
		h.down(msgs, i)
	} else {
		h.up(msgs, i)
	}
}

func (h *dueHeap) remove(msgs []outMessage, slot int32) {
	i := int(msgs[slot].place)
	msgs[slot].place = none
	last := len(h.entries) - 1
	moved := h.entries[last]
	h.entries = h.entries[:last]
	if i == last {
		return
	}
	h.entries[i] = moved
	h.down(msgs, i)
	h.up(msgs, int(msgs[moved.slot].place))
}

// order restores the heap after times were changed in place.
func (h *dueHeap) order(msgs []outMessage) {
	for i := (len(h.entries) - 1) / 4; i >= 0 && len(h.entries) > 0; i-- {
		h.down(msgs, i)
	}
}

func (h *dueHeap) up(msgs []outMessage, i int) {
	e := h.entries[i]
	for i > 0 {
		parent := (i - 1) / 4
		if !e.before(&h.entries[parent]) {
			break
		}
		h.set(msgs, i, h.entries[parent])
		i = parent
	}
	h.set(msgs, i, e)
}

func (h *dueHeap) down(msgs []outMessage, i int) {
	e := h.entries[i]
	for {
		child := 4*i + 1
		if child >= len(h.entries) {
			break
		}
		least := child
		for c := child + 1; c < min(child+4, len(h.entries)); c++ {
			if h.entries[c].before(&h.entries[least]) {
				least = c
			}
		}
		if !h.entries[least].before(&e) {
			break
		}
		h.set(msgs, i, h.entries[least])
		i = least
	}
	h.set(msgs, i, e)
}

func (h *dueHeap) set(msgs []outMessage, i int, e dueEntry) {
	h.entries[i] = e
	msgs[e.slot].place = int32(i)
}
