// Package deadline keeps many deadlines and knows the earliest: a 4-ary min-heap of int64 times whose entries know
// their place, so that one can be moved or taken out without a search.
package deadline

import "math"

// Never is the time of an entry that is in no heap, and of the earliest deadline of an empty one.
const Never = int64(math.MaxInt64)

// Entry is one deadline. It lives inside the thing that it belongs to, which it names in Value; the zero Entry is in no heap.
type Entry[T any] struct {
	Value T
	place int // index in the heap plus one; 0 while the entry is in none
}

// Heap orders entries by time. The zero Heap is empty and ready. Entries of the same time come out in an order that depends on nothing
// but the calls made.
type Heap[T any] struct {
	slots []slot[T]
}

type slot[T any] struct {
	at    int64
	entry *Entry[T]
}

// Len is the number of entries.
func (h *Heap[T]) Len() int { return len(h.slots) }

// Next is the earliest time, Never if there is none.
func (h *Heap[T]) Next() int64 {
	if len(h.slots) == 0 {
		return Never
	}
	return h.slots[0].at
}

// Set puts e at the given time, wherever it was before. Never takes it out.
func (h *Heap[T]) Set(e *Entry[T], at int64) {
	switch {
	case at == Never:
		h.Remove(e)
	case e.place == 0:
		h.slots = append(h.slots, slot[T]{at, e})
		h.up(len(h.slots) - 1)
	case at < h.slots[e.place-1].at:
		h.slots[e.place-1].at = at
		h.up(e.place - 1)
	default:
		h.slots[e.place-1].at = at
		h.down(e.place - 1)
	}
}

// Remove takes e out if it is in.
func (h *Heap[T]) Remove(e *Entry[T]) {
	if e.place == 0 {
		return
	}
	i, last := e.place-1, len(h.slots)-1
	moved := h.slots[last]
	h.slots[last] = slot[T]{}
	h.slots = h.slots[:last]
	e.place = 0
	if i == last {
		return
	}
	h.put(i, moved)
	h.down(i)
	h.up(moved.entry.place - 1)
}

// PopDue takes out the earliest entry whose time has come, and returns nil if there is none.
func (h *Heap[T]) PopDue(now int64) *Entry[T] {
	if h.Next() > now || len(h.slots) == 0 {
		return nil
	}
	e := h.slots[0].entry
	h.Remove(e)
	return e
}

func (h *Heap[T]) up(i int) {
	s := h.slots[i]
	for i > 0 {
		parent := (i - 1) / 4
		if h.slots[parent].at <= s.at {
			break
		}
		h.put(i, h.slots[parent])
		i = parent
	}
	h.put(i, s)
}

func (h *Heap[T]) down(i int) {
	s := h.slots[i]
	for {
		least := h.leastChild(i)
		if least < 0 || h.slots[least].at >= s.at {
			break
		}
		h.put(i, h.slots[least])
		i = least
	}
	h.put(i, s)
}

// leastChild is the child of i with the earliest time, -1 if i has none.
func (h *Heap[T]) leastChild(i int) int {
	first := 4*i + 1
	if first >= len(h.slots) {
		return -1
	}
	least := first
	for c := first + 1; c < min(first+4, len(h.slots)); c++ {
		if h.slots[c].at < h.slots[least].at {
			least = c
		}
	}
	return least
}

func (h *Heap[T]) put(i int, s slot[T]) {
	h.slots[i] = s
	s.entry.place = i + 1
}
