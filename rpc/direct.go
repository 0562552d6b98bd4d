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

// link is what both ends of a direct session share.
type link struct {
	depth int
	more  bool        // there is something to do when a quick call ends
	deep  []*deferred // calls that were too deep, in the order in which they were made
	quick [maxDepth]Quick
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
	case atServer.direct.calls != nil:
		return errors.New("rpc: Direct: the session is direct already")
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
		p.direct.link.more = true                   // calls that run have no other to settle them
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
		return nil, o.route.blame(o.route.argFields(), o.w.Bytes(), 0, o.w.Offset(), err)
	}
	o.buffer, o.encoded = o.w.Bytes(), false
	if !verify {
		return nil, nil
	}
	return o.buffer, nil
}
