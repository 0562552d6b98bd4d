package rpc

import (
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"

	"github.com/gannet-net/gannet/msgs"
)

// Objects knows which object each net id is, on one side. It belongs to the goroutine of its Calls.
type Objects struct {
	calls  *Calls
	spaces [maxSpace + 1][]*page
	bound  map[any]NetID // objects that can be told from one another
	count  int
	claims claims
}

// page is a run of slots, so that ids far apart cost little.
type page [256]slot

// slot is what a place is now: an object, if id is not 0.
type slot struct {
	id     NetID
	of     *Interface
	target any // what generated code calls

	impl    any // what the game bound
	owner   *msgs.Peer
	viewers []*peer // replaced when it changes

	generation int16 // of the newest id that it had
	used       bool  // it had an id, so older generations are over
	released   bool  // and so is this one
	block      *block
}

var (
	// ErrBound is returned by Bind for an id, or an object, that is bound already.
	ErrBound = errors.New("bound already")
	// ErrReleased is returned for an id that was released: it never comes back.
	ErrReleased = errors.New("the net id was released: claim another one")
)

// slotOf returns the slot of an id, nil if nothing was ever there.
func (o *Objects) slotOf(id NetID) *slot {
	pages, place := o.spaces[id.space()], id.place()
	if place>>8 >= len(pages) || pages[place>>8] == nil {
		return nil
	}
	return &pages[place>>8][place&255]
}

// makeSlot returns the slot of an id, and makes room for it.
func (o *Objects) makeSlot(id NetID) *slot {
	pages, place := &o.spaces[id.space()], id.place()
	for place>>8 >= len(*pages) {
		*pages = append(*pages, nil)
	}
	if (*pages)[place>>8] == nil {
		(*pages)[place>>8] = new(page)
	}
	return &(*pages)[place>>8][place&255]
}

// find returns the slot of the object that has the id, nil if there is none.
func (o *Objects) find(id NetID) *slot {
	s := o.slotOf(id)
	if s == nil || s.id != id || id == 0 {
		return nil
	}
	return s
}

// mayCome reports whether an id can still become that of an object.
func (o *Objects) mayCome(id NetID) bool {
	if id.place() == 0 {
		return false
	}
	s := o.slotOf(id)
	return s == nil || !s.used || int(s.generation) < id.generation() || int(s.generation) == id.generation() && !s.released
}

// bind makes an object that of an id.
func (o *Objects) bind(of *Interface, id NetID, impl, target any) error {
	if !o.mayCome(id) {
		return ErrReleased
	}
	if isComparable(impl) {
		if other, twice := o.bound[impl]; twice {
			return fmt.Errorf("the object is %w to %v: release that first", ErrBound, other)
		}
	}
	s := o.makeSlot(id)
	if s.id != 0 {
		return fmt.Errorf("%v is %w, %v to a %s: release that first", id, ErrBound, s.id, s.of.Name)
	}
	o.calls.forgetQuick()
	*s = slot{id: id, of: of, impl: impl, target: target, generation: int16(id.generation()), used: true, block: s.block}
	if isComparable(impl) {
		o.bound[impl] = id
	}
	o.count++
	return nil
}

// isComparable reports whether two values of the type of v can be the same object.
func isComparable(v any) bool {
	return v != nil && reflect.TypeOf(v).Kind() == reflect.Pointer && reflect.TypeOf(v).Elem().Size() > 0
}

// Get returns the object with an id, and whether there is one that is a T.
func Get[T any](o *Objects, id NetID) (T, bool) {
	var none T
	found := o.find(id)
	if found == nil {
		return none, false
	}
	v, ok := found.impl.(T)
	return v, ok
}

// Len is how many objects are bound.
func (o *Objects) Len() int { return o.count }

// Release ends an id, bound or only claimed: calls that come for it from now on are late. It reports whether there was one. A handler may release the object that it is called on.
func (o *Objects) Release(id NetID) bool {
	s := o.slotOf(id)
	if s == nil || !s.used || s.released || int(s.generation) != id.generation() {
		return false
	}
	o.release(s)
	o.calls.waiting.released(id)
	return true
}

func (o *Objects) release(s *slot) {
	o.calls.forgetQuick()
	was := *s
	*s = slot{generation: was.generation, used: true, released: true}
	if was.id != 0 {
		for _, p := range was.viewers {
			delete(p.sees, was.id)
		}
		if isComparable(was.impl) {
			delete(o.bound, was.impl)
		}
		o.count--
	}
	if was.block != nil {
		o.claims.released(was.block)
	}
}

// Clear releases everything, as for another level, and begins to claim at the first place again. No id comes twice all the same.
func (o *Objects) Clear() {
	for _, pages := range o.spaces {
		for _, p := range pages {
			for i := range p.slots() {
				if s := &p[i]; s.used && !s.released {
					o.release(s)
				}
			}
		}
	}
	o.claims = claims{}
	o.calls.waiting.clear()
}

// slots is p as a slice, empty if p is nil.
func (p *page) slots() []slot {
	if p == nil {
		return nil
	}
	return p[:]
}

// Own gives an object to a peer: calls with from=owner are its own from then on. Nil takes it back. It reports whether the id is bound. Who leaves loses its objects, and does not get them back
// by coming again. Calls with from=owner and missing=queue that have waited run in Bind, when nobody owns the object yet: hold them by Expect until Own was called.
func (o *Objects) Own(id NetID, p *msgs.Peer) bool {
	found := o.find(id)
	if found != nil {
		found.owner = p
	}
	return found != nil
}

// Owner is whose the object is, nil if it is nobody's or there is none.
func (o *Objects) Owner(id NetID) *msgs.Peer {
	if found := o.find(id); found != nil {
		return found.owner
	}
	return nil
}

// Show makes a peer one of those that Calls.Observers of this object stands for. It reports whether the id is bound and the peer is here.
func (o *Objects) Show(id NetID, viewer *msgs.Peer) bool {
	found, p := o.find(id), o.calls.peers[viewer]
	if found == nil || p == nil {
		return false
	}
	if !slices.Contains(found.viewers, p) {
		found.viewers = append(slices.Clip(found.viewers), p)
		p.sees[id] = struct{}{}
	}
	return true
}

// Hide takes a peer out of them.
func (o *Objects) Hide(id NetID, viewer *msgs.Peer) {
	found, p := o.find(id), o.calls.peers[viewer]
	if found != nil && p != nil {
		found.hide(p)
		delete(p.sees, id)
	}
}

func (s *slot) hide(p *peer) {
	s.viewers = slices.DeleteFunc(slices.Clone(s.viewers), func(other *peer) bool { return other == p })
}

// Dump writes a line for each object, by space and place: id, interface, type, and whose it is.
func (o *Objects) Dump(w io.Writer) {
	fmt.Fprintf(w, "%d objects:\n", o.count)
	for _, pages := range o.spaces {
		for _, p := range pages {
			for i := range p.slots() {
				if s := &p[i]; s.id != 0 {
					fmt.Fprintf(w, "%v %s %T, owner %v, %d observers\n", s.id, s.of.Name, s.impl, s.owner, len(s.viewers))
				}
			}
		}
	}
}
