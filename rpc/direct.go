package rpc

import (
	"bytes"
	"errors"
	"time"

	"github.com/gannet-net/gannet/msgs"
	"github.com/gannet-net/gannet/wire"
)

// maxDepth is how many direct calls can be within one another.
const maxDepth = 16

// direct is the other end of a session that is in this process.
type direct struct {
	calls *Calls // nil if it is not
	peer  *peer  // as the other end knows us
	link  *link

	contract *Contract    // the first of all, whose methods can be quick
	quick    []quickRoute // of these
}

// quickRoute is a method that a direct call needs no checks for but that there is a target. The others have no route.
type quickRoute struct {
	route    *route
	of       *Interface
	instance bool
}

// newDirect is the end of a session that is at c, which knows the other end as p.
func newDirect(c *Calls, p *peer, l *link) direct {
	d := direct{calls: c, peer: p, link: l}
	if len(c.contracts) == 0 {
		return d
	}
	d.contract = c.contracts[0].Contract
	for _, rt := range c.contracts[0].routes {
		q := quickRoute{}
		if rt != nil && rt.isQuick(c) {
			q = quickRoute{rt, rt.Of, rt.Of.Instance}
		}
		d.quick = append(d.quick, q)
	}
	return d
}

// isQuick reports whether nothing has to be checked or seen about calls of a method. Of what clients call, the server keeps accounts.
func (rt *route) isQuick(c *Calls) bool {
	return c.side == msgs.Client && rt.Of.At == c.side && rt.Args.Plain && rt.Phase == Now && !rt.Reply && rt.States == 0 &&
		c.config.Clock == nil && !c.config.Labels && !c.config.Verify
}

// link is what both ends of a direct session share.
type link struct {
	depth int
	more  bool        // there is something to do when a quick call ends
	deep  []*deferred // calls that were too deep, in the order in which they were made
	quick [maxDepth]Quick
}

// remembered is the quick call that was made last to one end: the next one to the same object needs nothing more, if no object came or went.
type remembered struct {
	of   *Contract // nil if there is none
	call uint64    // place and id
	Quick
}

// deferred is a direct call that waits for those around it.
type deferred struct {
	held
	to  *Calls
	raw []byte
}

// Direct makes the calls between a server and its own client direct (CALLS.md 9): p is the client at the server. Both belong to one goroutine and have the same contracts. It ends with the session.
func Direct(server *Calls, p *msgs.Peer, client *Calls) error {
	atServer, atClient := server.peers[p], client.peers[client.router.Host()]
	switch {
	case server.side != msgs.Host || client.side != msgs.Client:
		return errors.New("rpc: Direct: takes the Calls of the server, its peer, and the Calls of the client")
	case atServer == nil || atClient == nil:
		return errors.New("rpc: Direct: the session has not begun at both ends: call it when both have Joined")
	case !p.Conn().Local() || !atClient.Conn().Local():
		return errors.New("rpc: Direct: the connection is no loopback")
	case !server.sameContracts(client):
		return errors.New("rpc: Direct: the two sides have not registered the same contracts in the same order")
	}
	l := &link{}
	atServer.direct = newDirect(client, atClient, l)
	atClient.direct = newDirect(server, atServer, l)
	return nil
}

func (c *Calls) sameContracts(other *Calls) bool {
	if len(c.contracts) != len(other.contracts) {
		return false
	}
	for i := range c.contracts {
		if c.contracts[i].Contract != other.contracts[i].Contract {
			return false
		}
	}
	return true
}

// cut ends the connection on both ends.
func (p *peer) cut() {
	if other := p.direct.peer; other != nil {
		p.settle()
		other.direct, other.last.of = direct{}, nil // what is remembered may be running
		p.direct, p.last.of = direct{}, nil
	}
}

// call runs a call at the other end.
func (d direct) call(o *Out) error {
	raw, err := o.checkValues(d)
	if err != nil {
		return err
	}
	in := d.begin(o, raw)
	if in == nil {
		return ErrNotRegistered
	}
	defer d.calls.takeBack()
	d.enter(in, o)
	return nil
}

// ask runs a request of caller at the other end, where it is known as d.peer.
func (d direct) ask(o *Out, caller *peer, ask asked) error {
	raw, err := o.checkValues(d)
	if err != nil {
		return err
	}
	in := d.begin(o, raw)
	if in == nil {
		return ErrNotRegistered
	}
	defer d.calls.takeBack()
	in.request, in.serial, in.caller = true, ask.serial, caller
	in.until = in.calls.now + int64(ask.wait)*int64(time.Millisecond)
	d.enter(in, o)
	return nil
}

// begin gives the other end what came in. It returns nil if that has not registered the contract.
func (d direct) begin(o *Out, raw []byte) *In {
	c, i := d.calls, o.route.index
	if i >= len(c.here.routes) || c.here.routes[i] == nil || c.here.routes[i].Method != o.route.Method {
		return nil
	}
	in := c.lend(d.peer)
	in.route, in.at = c.here.routes[i], c.now
	if in.route.Of.Instance {
		in.id = o.id
	}
	if raw == nil {
		in.args = o.Args
	} else {
		in.raw = raw
	}
	return in
}

// enter runs in, or keeps it if it is too deep.
func (d direct) enter(in *In, o *Out) {
	l := d.link
	if l.depth >= maxDepth {
		d.postpone(in)
		return
	}
	l.depth++
	defer func() { l.depth-- }()
	in.enter(-1)
	if l.depth == 1 && len(l.deep) > 0 {
		l.drain()
	}
}

// postpone keeps a call until those around it have returned.
func (d direct) postpone(in *In) {
	if in.args != nil {
		defer in.calls.putAway()
		if err := in.encode(); err != nil {
			in.drop(DropMalformed, err)
			return
		}
	}
	d.link.more = true
	d.link.deep = append(d.link.deep, &deferred{in.keep(), d.calls, bytes.Clone(in.raw)})
}

// drain runs what was too deep.
func (l *link) drain() {
	for len(l.deep) > 0 {
		q := l.deep[0]
		l.deep = l.deep[1:]
		l.depth++
		q.enter()
		l.depth--
	}
	l.more = false
}

func (q *deferred) enter() {
	in := q.resume(q.to, q.raw)
	defer q.to.takeBack()
	if q.peer.gone || q.peer.Ended() {
		in.drop(DropSession, nil)
		return
	}
	in.enter(len(q.raw)*8 - q.start)
}

// checkValues says what keeps the arguments from being sent. With Verify it gives their bytes, which is what the other end gets.
func (o *Out) checkValues(d direct) ([]byte, error) {
	args := &o.route.Args
	verify := d.calls.config.Verify || o.calls.config.Verify
	if args.Plain && !verify {
		return nil, nil
	}
	o.w = wire.NewBitWriter(o.buffer[:0])
	args.Encode(&o.w, o.Args)
	if err := o.w.Err(); err != nil {
		return nil, o.route.blame(o.route.argFields(), o.w.Bytes(), 0, err)
	}
	o.buffer, o.encoded = o.w.Bytes(), false
	if !verify {
		return nil, nil
	}
	return o.buffer, nil
}

// Quick is a direct call that needs hardly a check. Generated methods get it from Audience.Quick, call the method of Target, and have to call Return.
type Quick struct {
	Target any

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
	if v := recover(); v != nil {
		d.panicked(v)
		return
	}
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
	defer in.calls.takeBack()
	in.panicked(value)
	in.drop(DropPanic, nil)
}

// in is the call as others see it.
func (d *Quick) in() *In {
	in := d.peer.calls.lend(d.peer)
	in.route, in.id, in.at = d.route, d.id, d.peer.calls.now
	return in
}
