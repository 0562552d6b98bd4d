package system

import (
	"time"

	"github.com/gannet-net/gannet/msgs"
	"github.com/gannet-net/gannet/wire"
)

// Method is one that the other side may call. Its place in the list is its index, so both sides need the same list.
type Method struct {
	Name string // such as "Door.Toggle"
	// Every is the least time between two calls by one player; 0 is no limit. What comes earlier is dropped. Servers limit, clients do not.
	Every  time.Duration
	Handle func(*Call)
}

// Call is a call that came in. It is lent to Method.Handle.
type Call struct {
	Player *Player // who calls; nil at a client
	In     *msgs.In
	Args   *wire.BitReader // stands at the first argument

	args wire.BitReader
	lent bool
}

// take lends c for a call, or another one if c is lent: a method may cause another call to be handled.
func (c *Call) take(p *Player, in *msgs.In, idBits int) *Call {
	if c.lent {
		c = new(Call)
	}
	*c = Call{Player: p, In: in, args: afterID(in.Raw, idBits), lent: true}
	c.Args = &c.args
	return c
}

// run calls a method, inside a sample if there is a profiler.
func (c *Call) run(m *Method, p Profiler) {
	defer func() { c.lent = false }()
	if p != nil {
		p.Begin(m.Name)
		defer p.End(m.Name)
	}
	m.Handle(c)
}

// methods is the table of what may be called here.
type methods struct {
	list []Method
	bits int // of an index: enough for the length of the list, as both sides have always counted
}

func newMethods(list []Method) methods {
	return methods{list, indexBits(len(list))}
}

// indexBits is the width of the index of one of n methods.
func indexBits(n int) int { return wire.CountBits(uint32(n)) }

// find reads the index of a call. It returns -1 if that is none.
func (m methods) find(r *wire.BitReader) int {
	i := int(r.Bits(m.bits))
	if r.Err() != nil || i >= len(m.list) {
		return -1
	}
	return i
}

// callTimes are when each method of a table was last called, by one player.
type callTimes []int64

// allow reports whether method i may be called at time now, and then takes that as the time of the last call. What is dropped does not move it.
func (t *callTimes) allow(m methods, i int, now int64) bool {
	if m.list[i].Every <= 0 {
		return true
	}
	if *t == nil {
		*t = make(callTimes, len(m.list))
		for j := range *t {
			(*t)[j] = now - int64(m.list[j].Every) // the first call is always in time
		}
	}
	if now-(*t)[i] < int64(m.list[i].Every) {
		return false
	}
	(*t)[i] = now
	return true
}

// appendCall writes the index of a method, of so many, and its arguments.
func appendCall(index, methods int, args func(*wire.BitWriter)) func(*wire.BitWriter) {
	return func(w *wire.BitWriter) {
		if index < 0 || index >= methods {
			w.Fail(wire.ErrRange)
			return
		}
		w.Bits(uint32(index), indexBits(methods))
		if args != nil {
			args(w)
		}
	}
}

// finished logs arguments that could not be read, or not to their end.
func (b *logbook) finished(c *Call, name string) {
	unread := c.Args.Unread()
	switch err := c.Args.Err(); {
	case !b.receive:
	case err != nil:
		b.Error("Message could not be read", "message", c.In.Entry.Name, "from", c.In.Peer.String(), "method", name, "error", err.Error())
	case unread > 0:
		b.Warn("Did not read to the end of a message", "message", c.In.Entry.Name, "from", c.In.Peer.String(), "method", name, "bytes", unread)
	}
}
