package rpc

import (
	"runtime/pprof"
	"time"

	"github.com/gannet-net/gannet/msgs"
	"github.com/gannet-net/gannet/transport"
	"github.com/gannet-net/gannet/wire"
)

// receive handles a message of the carrier.
func (c *Calls) receive(m *msgs.In) {
	p := c.peers[m.Peer]
	if p == nil {
		c.stats.Drops[DropSession]++
		return
	}
	if c.side == msgs.Client { // which has one connection, and so one clock
		c.now = max(c.now, m.At)
	}
	in := c.lend(p)
	defer c.takeBack()
	in.at, in.raw = m.At, m.Raw
	in.r = wire.NewBitReader(m.Raw)
	in.r.Bits(c.idBits)
	index := int(in.r.Bits(c.here.bits))
	switch {
	case in.r.Err() != nil:
		in.drop(DropEmpty, nil)
	case index == len(c.here.routes):
		in.control()
	default:
		in.arrive(index, m.Delivery, m.Spare())
	}
}

// arrive takes a call through the checks of CALLS.md 4 that are made when it comes.
func (in *In) arrive(index int, mode transport.Delivery, channel uint8) {
	if drop := in.head(index); drop != Handled {
		in.drop(drop, nil)
		return
	}
	if !in.route.allows(mode) || channel != in.route.Channel {
		in.request = false // its answer would be as strange
		in.drop(DropMode, nil)
		return
	}
	in.enter(len(in.raw)*8 - in.start)
}

// head reads what stands before the arguments.
func (in *In) head(index int) Drop {
	r := &in.r
	if index >= len(in.calls.here.routes) || in.calls.here.routes[index] == nil {
		return DropUnknown
	}
	in.route = in.calls.here.routes[index]
	if in.route.Of.Instance {
		in.id = NetID(r.Bits(32))
	}
	if in.route.Reply {
		in.serial = uint16(r.Bits(16))
		in.until = in.calls.now + int64(r.Bits(16))*int64(time.Millisecond)
	}
	in.start = r.Offset()
	if r.Err() != nil {
		return DropEmpty
	}
	in.request = in.route.Reply
	return Handled
}

// enter admits a call whose arguments have so many bits, -1 if they were not encoded, and runs it or keeps it for later.
func (in *In) enter(bits int) {
	drop := in.admit(bits)
	switch {
	case drop != Handled:
		in.drop(drop, nil)
	case in.route.Phase != Now:
		in.calls.phases[in.route.Phase].push(in)
	default:
		in.run()
	}
}

// admit makes the checks that a call passes once.
func (in *In) admit(bits int) Drop {
	c, rt, p := in.calls, in.route, in.peer
	again := in.request && in.caller == nil && !p.seen.add(in.serial)
	if again {
		in.request = false // the first one is answered
	}
	switch {
	case !rt.Of.Instance && rt.target == nil:
		return DropNoHandler
	case !p.InAny(rt.contract.Catalogue, rt.States):
		return DropState
	}
	if c.side == msgs.Host {
		if drop := p.limits.take(in, max(bits, 0)); drop != Handled {
			return drop
		}
	}
	switch {
	case again:
		return DropDuplicate
	case bits >= 0 && (bits < rt.Args.MinBits || bits >= rt.Args.MaxBits+8):
		return DropSize
	}
	return Handled
}

// run finds the target of a call that was admitted, and calls it.
func (in *In) run() {
	drop, err := in.find(), error(nil)
	if drop == DropTarget && in.calls.waiting.takes(in) {
		return
	}
	if drop == Handled {
		drop, err = in.call()
	}
	if drop != Handled {
		in.drop(drop, err)
		return
	}
	in.handled()
}

// find makes the checks that can change while a call waits.
func (in *In) find() Drop {
	c, rt := in.calls, in.route
	if !in.peer.InAny(rt.contract.Catalogue, rt.States) {
		return DropState
	}
	in.Target = rt.target
	if rt.Of.Instance {
		if c.waiting.holds(in.id) {
			return DropTarget
		}
		found := c.objects.find(in.id)
		switch {
		case found == nil:
			return DropTarget
		case found.of != rt.Of:
			return DropType
		case rt.Owner && found.owner != in.peer.Peer:
			return DropOwner
		}
		in.Target = found.target
	}
	if in.request {
		return in.begin()
	}
	return Handled
}

// call decodes the arguments and calls the method. It survives the panic of either.
func (in *In) call() (drop Drop, err error) {
	defer func() {
		if v := recover(); v != nil {
			in.panicked(v)
			drop = DropPanic
		}
	}()
	rt, args := in.route, in.args
	if args == nil {
		args = rt.got.take()
		defer rt.got.give(args)
		if drop, err := in.decode(args); drop != Handled {
			return drop, err
		}
	}
	if in.request {
		in.Results = rt.results.take()
		defer rt.results.give(in.Results)
	}
	if in.calls.config.Clock != nil || rt.labels != nil {
		in.observed(args)
	} else {
		rt.Call(in, args)
	}
	if in.request {
		in.answer()
	}
	if in.failed != nil {
		in.fails()
	}
	return Handled, nil
}

// decode reads the arguments of a call to their end.
func (in *In) decode(args any) (Drop, error) {
	rt := in.route
	if in.r.Offset() != in.start || in.start == 0 {
		in.rewind()
	}
	rt.Args.Decode(&in.r, args)
	unread := in.r.Unread()
	switch {
	case in.r.Err() != nil:
		return DropMalformed, rt.blame(rt.argFields(), in.raw, in.start, in.r.Offset(), in.r.Err())
	case unread > 0:
		return DropUnread, errUnread
	}
	return Handled, nil
}

// observed calls the method under its label and by the clock.
func (in *In) observed(args any) {
	c, rt := in.calls, in.route
	if rt.labels != nil {
		pprof.SetGoroutineLabels(rt.labels)
		defer pprof.SetGoroutineLabels(background)
	}
	if c.config.Clock != nil {
		start := c.config.Clock()
		defer func() {
			ran := c.config.Clock() - start
			if in.waited {
				rt.stats.Deferred.add(ran)
			} else {
				rt.stats.Time.add(ran)
			}
			in.peer.limits.ran(in, ran)
		}()
	}
	rt.Call(in, args)
}
