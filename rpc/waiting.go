package rpc

import (
	"bytes"
	"container/list"
	"fmt"
	"slices"
)

// waiting is calls whose object is not there, in the order in which they came, and the blocks that are expected.
type waiting struct {
	calls  *Calls
	items  list.List // of *awaiting
	blocks []expected
}

// awaiting is one of these calls.
type awaiting struct {
	held
	raw      []byte
	deadline int64

	place, placeOfPeer *list.Element // where it stands among all, and among those of its peer
}

// waits is the calls of one peer among these. What one does to its own is no work that grows with what others have there.
type waits struct {
	items list.List
	bytes int
}

// expected is a block whose calls are held until its objects have appeared.
type expected struct {
	first NetID
	size  int
}

func (e expected) has(id NetID) bool { return id >= e.first && id < e.first.Add(e.size) }

// Expect holds all calls to n ids from first on, also those to objects that are bound meanwhile and whatever their missing= says, until Appear or Forget with the same first. So what belongs together, such as a
// player and its parts, appears at once and hears its calls in one order. The limits of CALLS.md 6 hold, but for the time.
func (o *Objects) Expect(first NetID, n int) error {
	if first.place() == 0 || n < 1 || first.place()+n-1 > maxPlace {
		return fmt.Errorf("rpc: Expect: %v and %d ids from there are not a block", first, n)
	}
	if slices.ContainsFunc(o.calls.waiting.blocks, func(e expected) bool { return first < e.first.Add(e.size) && e.first < first.Add(n) }) {
		return fmt.Errorf("rpc: Expect: some of the ids from %v on are expected already", first)
	}
	o.calls.forgetQuick()
	o.calls.waiting.blocks = append(o.calls.waiting.blocks, expected{first, n})
	return nil
}

// Appear runs the calls that were held since Expect, in the order in which they came. It reports whether the block was expected.
func (o *Objects) Appear(first NetID) bool {
	e, ok := o.calls.waiting.take(first)
	if ok {
		o.calls.waiting.run(e.has)
	}
	return ok
}

// Forget drops the calls that were held since Expect. It reports whether the block was expected.
func (o *Objects) Forget(first NetID) bool {
	e, ok := o.calls.waiting.take(first)
	if ok {
		o.calls.waiting.dropIf(func(a *awaiting) bool { return e.has(a.id) }, DropWaiting)
	}
	return ok
}

// take ends the expectation of a block.
func (w *waiting) take(first NetID) (expected, bool) {
	i := slices.IndexFunc(w.blocks, func(e expected) bool { return e.first == first })
	if i < 0 {
		return expected{}, false
	}
	e := w.blocks[i]
	w.blocks = slices.Delete(w.blocks, i, i+1)
	return e, true
}

// holds reports whether calls to an id are held.
func (w *waiting) holds(id NetID) bool {
	for _, e := range w.blocks {
		if e.has(id) {
			return true
		}
	}
	return false
}

// takes keeps a call whose object is not there, if it is to wait for that. It reports whether it does.
func (w *waiting) takes(in *In) bool {
	deadline := in.calls.now + int64(in.route.Wait)
	switch {
	case w.holds(in.id):
		deadline = never
	case in.route.Missing != Queue || !w.calls.objects.mayCome(in.id):
		return false
	}
	if in.args != nil {
		defer in.calls.putAway()
		if err := in.encode(); err != nil {
			in.drop(DropMalformed, err)
			return true
		}
	}
	if in.request {
		deadline = min(deadline, in.until)
	}
	w.add(&awaiting{held: in.keep(), raw: bytes.Clone(in.raw), deadline: deadline})
	return true
}

// add keeps a call. If there are too many of its peer, the oldest of these are dropped.
func (w *waiting) add(a *awaiting) {
	of := &a.peer.waits
	a.place, a.placeOfPeer = w.items.PushBack(a), of.items.PushBack(a)
	of.bytes += len(a.raw)
	w.calls.expiry = min(w.calls.expiry, a.deadline)
	for of.items.Len() > maxWaitingCalls || of.bytes > maxWaitingBytes {
		w.drop(of.items.Front().Value.(*awaiting), DropWaiting)
	}
}

// drop takes out a call and drops it.
func (w *waiting) drop(a *awaiting, why Drop) {
	w.remove(a)
	a.held.drop(w.calls, a.raw, why)
}

func (w *waiting) remove(a *awaiting) {
	w.items.Remove(a.place)
	a.peer.waits.items.Remove(a.placeOfPeer)
	a.peer.waits.bytes -= len(a.raw)
}

// removeIf takes out calls, and returns them in the order in which they came.
func (w *waiting) removeIf(condition func(*awaiting) bool) (removed []*awaiting) {
	for e := w.items.Front(); e != nil; {
		a := e.Value.(*awaiting)
		if e = e.Next(); condition(a) {
			w.remove(a)
			removed = append(removed, a)
		}
	}
	return removed
}

func (w *waiting) dropIf(condition func(*awaiting) bool, why Drop) {
	for _, a := range w.removeIf(condition) {
		a.held.drop(w.calls, a.raw, why)
	}
}

// appeared runs the calls that wait for an object.
func (w *waiting) appeared(id NetID) {
	if w.items.Len() > 0 && !w.holds(id) {
		w.run(func(other NetID) bool { return other == id })
	}
}

// run runs the calls to some ids. What a handler makes come meanwhile finds its object, and what it releases is not there any more.
func (w *waiting) run(is func(NetID) bool) {
	for _, a := range w.removeIf(func(a *awaiting) bool { return is(a.id) }) {
		w.calls.runHeld(&a.held, a.raw)
	}
}

// released drops the calls that wait for an id that is over.
func (w *waiting) released(id NetID) {
	if w.items.Len() > 0 && !w.holds(id) {
		w.dropIf(func(a *awaiting) bool { return a.id == id }, DropTarget)
	}
}

// clear drops everything.
func (w *waiting) clear() {
	w.blocks = nil
	w.dropIf(func(*awaiting) bool { return true }, DropTarget)
}

// left drops the calls of a peer that has left.
func (w *waiting) left(p *peer) {
	for e := p.waits.items.Front(); e != nil; e = p.waits.items.Front() {
		w.drop(e.Value.(*awaiting), DropSession)
	}
}

// cancel drops the request of a peer with a serial, and reports whether it was there.
func (w *waiting) cancel(p *peer, serial uint16) bool {
	for e := p.waits.items.Front(); e != nil; e = e.Next() {
		if a := e.Value.(*awaiting); a.request && a.serial == serial {
			a.request = false // nobody waits for the answer
			w.drop(a, DropLate)
			return true
		}
	}
	return false
}

// expire drops what has waited until now.
func (w *waiting) expire(now int64) {
	w.dropIf(func(a *awaiting) bool { return a.deadline <= now }, DropWaiting)
	for e := w.items.Front(); e != nil; e = e.Next() {
		w.calls.expiry = min(w.calls.expiry, e.Value.(*awaiting).deadline)
	}
}
