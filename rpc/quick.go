package rpc

import "github.com/gannet-net/gannet/msgs"

// Quick is a direct call that needs hardly a check. Generated methods get it from Audience.Quick, defer Return, call the method of Target, and set Ran when that has returned.
type Quick struct {
	Target any
	Ran    bool // so that Return looks for a panic only if there was one, which costs as much as the rest of it

	link  *link
	peer  *peer // who calls, as the end knows it where it runs
	route *route
	ran   uint64 // calls that the statistics do not have yet
	fails error
	id    NetID
}

// Quick begins a call to a client in this process, if all that it needs is a target and that is there. It returns nil for all other calls: they are made by Begin.
func (a Audience) Quick(of *Contract, place int, id NetID) *Quick {
	if a.one == nil || a.manner.chosen() {
		return nil
	}
	last := &a.one.last
	if last.of == of && last.call == uint64(place)<<32|uint64(id) && last.link.depth == 0 {
		last.link.depth = 1
		return &last.Quick
	}
	return a.one.beginQuick(of, place, id)
}

// beginQuick is Quick for a call that is not the last one.
func (p *peer) beginQuick(of *Contract, place int, id NetID) *Quick {
	end := &p.direct
	if end.contract != of {
		return nil
	}
	q, l := &end.quick[place], end.link
	if q.route == nil || l.depth >= maxDepth {
		return nil
	}
	target := q.route.target
	if q.instance {
		found := end.calls.objects.find(id)
		if found == nil || found.of != q.of || len(end.calls.waiting.blocks) > 0 {
			return nil
		}
		target = found.target
	}
	if target == nil {
		return nil
	}
	d := &l.quick[l.depth]
	if l.depth == 0 {
		p.last.of, p.last.call = of, uint64(place)<<32|uint64(id)
		d = &p.last.Quick
	}
	l.depth++
	d.settle()
	d.Target, d.link, d.peer, d.route, d.id = target, l, end.peer, q.route, id
	return d
}

// ClientCall is the call as the method sees it.
func (d *Quick) ClientCall() ClientCall {
	return ClientCall{From: d.peer.Peer, ID: d.id, At: d.peer.calls.now, calls: d.peer.calls}
}

// Fail takes the error that the method returned.
func (d *Quick) Fail(err error) {
	d.fails = err
	d.link.more = d.link.more || err != nil
}

// Return ends the call. It is to be deferred, since it survives a panic of the method.
func (d *Quick) Return() {
	if !d.Ran {
		if v := recover(); v != nil { // nil if the goroutine ends, as by testing.T.FailNow
			d.panicked(v)
			return
		}
	}
	d.Ran = false
	d.ran++
	d.link.depth--
	if d.link.more {
		d.rest()
	}
}

// settle counts the calls that the statistics do not have yet.
func (d *Quick) settle() {
	if n := d.ran; n > 0 {
		d.ran = 0
		d.route.stats.Handled.Calls += n
		d.peer.stats.Handled.Calls += n
		d.peer.calls.stats.Handled.Calls += n
	}
}

// settle counts all calls between a session's two ends that the statistics do not have yet.
func (p *peer) settle() {
	if p.direct.link == nil {
		return
	}
	for i := range p.direct.link.quick {
		p.direct.link.quick[i].settle()
	}
	p.last.settle()
	p.direct.peer.last.settle()
}

// settle counts all quick calls that the statistics do not have yet.
func (c *Calls) settle() {
	for _, p := range c.order {
		p.settle()
	}
}

// forgetQuick has the next quick call to this side look for its object.
func (c *Calls) forgetQuick() {
	for _, p := range c.order {
		if p.direct.peer != nil {
			p.direct.peer.last.of = nil
		}
	}
}

// rest does what is rarely to be done when a call has ended.
func (d *Quick) rest() {
	l := d.link
	d.settle()
	if d.fails != nil {
		in := d.in()
		in.failed, d.fails = d.fails, nil
		in.fails()
		in.calls.takeBack()
	}
	if l.depth == 0 {
		l.drain()
	}
}

// panicked ends a call whose method panicked.
func (d *Quick) panicked(value any) {
	d.link.depth--
	in := d.in()
	in.panicked(value)
	in.drop(DropPanic, nil)
	in.calls.takeBack()
	if d.link.more {
		d.rest()
	}
}

// in is the call as others see it.
func (d *Quick) in() *In {
	in := d.peer.calls.lend(d.peer)
	in.route, in.id, in.at = d.route, d.id, d.peer.calls.now
	return in
}

// remembered is the quick call that was made last to one end: the next one to the same object needs nothing more, if no object came or went.
type remembered struct {
	of   *Contract // nil if there is none
	call uint64    // place and id
	Quick
}

// quickRoute is a method that a direct call needs no checks for but that there is a target. The others have no route.
type quickRoute struct {
	route    *route
	of       *Interface
	instance bool
}

// isQuick reports whether nothing has to be checked or seen about calls of a method. Of what clients call, the server keeps accounts.
func (rt *route) isQuick(c *Calls) bool {
	return c.side == msgs.Client && rt.Of.At == c.side && rt.Args.Plain && rt.Phase == Now && !rt.Reply && rt.States == 0 &&
		c.config.Clock == nil && !c.config.Labels && !c.config.Verify
}
