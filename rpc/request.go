package rpc

import (
	"errors"
	"slices"
	"time"

	"github.com/gannet-net/gannet/msgs"
	"github.com/gannet-net/gannet/transport"
	"github.com/gannet-net/gannet/wire"
)

// maxPending is how many requests of a session can be told from one another, with room for those that are forgotten.
const maxPending = 1 << 14

// pending is a request that was sent and is not answered.
type pending struct {
	route    *route
	serial   uint16
	stamp    uint64 // no other request of the Calls has it
	done     any
	deadline int64
}

// Request is a call that was sent and will be answered. The zero Request is none.
type Request struct {
	peer   *peer
	serial uint16
	stamp  uint64
}

// Cancel gives up a request: its function is called with ErrCancelled before Cancel returns, and the other side is told. It reports false if the request has ended already.
func (r Request) Cancel() bool {
	if r.peer == nil {
		return false
	}
	i := r.peer.find(r.serial)
	if i < 0 || r.peer.pending[i].stamp != r.stamp {
		return false
	}
	rt := r.peer.pending[i].route
	if d := r.peer.direct; d.calls != nil {
		d.peer.cancelled(r.serial)
	} else {
		_ = r.peer.sendCancel(rt, r.serial) // if it cannot be sent the other side has its deadline
	}
	r.peer.end(i, nil, ErrCancelled)
	return true
}

// Ask makes a call that is answered. done is what Method.Done takes; it is called exactly once if the error is nil, and not at all else.
func (o *Out) Ask(done any) (Request, error) {
	defer o.end()
	if err := o.check(); err != nil {
		return Request{}, o.unsent(err)
	}
	r, err := o.ask(done)
	return r, o.unsent(err)
}

func (o *Out) ask(done any) (Request, error) {
	p := o.to.one
	wait := o.route.Deadline
	if within := o.to.manner.within(); within != 0 {
		wait = within
	}
	switch {
	case o.to.manner.whom() == toAll && o.calls.side == msgs.Client && len(o.calls.order) == 1:
		p = o.calls.order[0]
	case o.to.manner.whom() != toOne:
		return Request{}, ErrOne
	}
	if len(p.pending) >= o.calls.config.Pending {
		return Request{}, ErrBusy
	}
	if err := p.ready(o.route); err != nil {
		return Request{}, err
	}
	before, ok := p.limits.foresee(o.calls, o.route)
	if !ok {
		return Request{}, ErrRate
	}
	r := p.remember(o.route, done, wait)
	if err := o.deliverRequest(p, asked{r.serial, uint32((wait + time.Millisecond - 1) / time.Millisecond)}); err != nil {
		p.limits.undo(o.route, before)
		if i := p.find(r.serial); i >= 0 {
			p.pending = slices.Delete(p.pending, i, i+1)
		}
		return Request{}, err
	}
	return r, nil
}

func (o *Out) deliverRequest(p *peer, ask asked) error {
	if p.direct.calls != nil {
		return p.direct.ask(o, p, ask)
	}
	if err := o.encode(&ask); err != nil {
		return err
	}
	return o.transmit(p)
}

// remember notes a request and gives it a serial.
func (p *peer) remember(rt *route, done any, wait time.Duration) Request {
	c := p.calls
	for p.serial++; p.find(p.serial) >= 0; {
		p.serial++
	}
	c.stamp++
	deadline := c.now + int64(wait)
	p.pending = append(p.pending, pending{rt, p.serial, c.stamp, done, deadline})
	c.expiry = min(c.expiry, deadline)
	return Request{p, p.serial, c.stamp}
}

// find is the place of a request in pending, or -1.
func (p *peer) find(serial uint16) int {
	for i := range p.pending {
		if p.pending[i].serial == serial {
			return i
		}
	}
	return -1
}

// end ends request i with results or an error.
func (p *peer) end(i int, results any, err error) {
	q := p.pending[i]
	p.pending = slices.Delete(p.pending, i, i+1)
	if err != nil {
		q.route.stats.Unanswered++
	}
	q.finish(p, results, err)
}

// finish calls the function of a request, and survives its panic.
func (q *pending) finish(p *peer, results any, err error) {
	defer func() {
		if v := recover(); v != nil {
			p.calls.panicked("the function of a request of "+q.route.Name, p, v)
		}
	}()
	q.route.Done(q.done, results, err)
}

// failAll ends all requests with an error.
func (p *peer) failAll(err error) {
	for len(p.pending) > 0 {
		p.end(0, nil, err)
	}
}

// expire ends what has waited until now, and says when there is something to do again.
func (p *peer) expire(now int64) {
	for i := 0; i < len(p.pending); {
		if q := &p.pending[i]; q.deadline > now {
			p.calls.expiry = min(p.calls.expiry, q.deadline)
			i++
			continue
		}
		p.end(i, nil, ErrDeadline)
		i = 0 // the function may have changed the list
	}
	p.serving = slices.DeleteFunc(p.serving, func(s serving) bool { return s.until <= now })
	for i := range p.serving {
		p.calls.expiry = min(p.calls.expiry, p.serving[i].until)
	}
}

// The kinds of control frames.
const (
	controlReply  = 0
	controlCancel = 1
)

const maxErrorText = 200

// sendCancel tells a peer that a request is given up.
func (p *peer) sendCancel(rt *route, serial uint16) error {
	defer p.calls.putAway()
	return p.send(p.begin(controlCancel, serial), rt)
}

// begin begins a control frame to a peer, on a sheet that is to be put away. Send it with send.
func (p *peer) begin(kind uint32, serial uint16) *sheet {
	c := p.calls
	s := c.sheet()
	s.w.Bits(uint32(c.sends.message.Entry.ID), c.sends.idBits)
	s.w.Bits(uint32(len(c.there.routes)), c.there.bits)
	s.w.Bits(kind, 1)
	s.w.Bits(uint32(serial), 16)
	return s
}

// send sends the control frame that was begun, about a request of a method.
func (p *peer) send(s *sheet, rt *route) error {
	c := p.calls
	err := s.w.Err()
	if err == nil {
		err = msgs.SendAs(p.Peer, msgs.Manner{Delivery: transport.ReliableOrdered, Channel: rt.Channel}, c.sends.message, s.w.Bytes(), nil)
	}
	if err != nil {
		c.stats.Unsent++
	}
	return err
}

// control handles a control frame.
func (in *In) control() {
	kind, serial := in.r.Bits(1), uint16(in.r.Bits(16))
	if in.r.Err() != nil {
		in.drop(DropEmpty, nil)
		return
	}
	if in.calls.side == msgs.Host {
		if drop := in.peer.limits.spend(in, len(in.raw)*8); drop != Handled {
			in.drop(drop, nil)
			return
		}
	}
	if kind == controlCancel {
		in.cancel(serial)
		return
	}
	i := in.peer.find(serial)
	if i < 0 {
		in.drop(DropStray, nil)
		return
	}
	in.replied(i)
}

// replied ends a request with the reply that came.
func (in *In) replied(i int) {
	p, rt, r := in.peer, in.peer.pending[i].route, &in.r
	in.route = rt
	in.start = r.Offset() // of the status
	results, err, wrong := rt.readReply(r)
	if wrong == nil && r.Unread() > 0 {
		wrong = errUnread
	}
	if r.Err() != nil {
		wrong = rt.blame(rt.resultFields(), in.raw, in.start+4, r.Offset(), r.Err())
	}
	if wrong != nil {
		rt.results.give(results)
		p.end(i, nil, ErrMalformed)
		in.drop(DropMalformed, wrong)
		return
	}
	p.end(i, results, err)
	rt.results.give(results)
	in.handled()
}

// readReply reads the status and what follows it. wrong is set if that is no reply.
func (rt *route) readReply(r *wire.BitReader) (results any, err, wrong error) {
	switch s := status(r.Bits(4)); {
	case s == statusDone:
		results = rt.results.take()
		rt.Results.Decode(r, results)
	case s == statusFailed:
		code := r.Uint16()
		err = &Error{Code: code, Text: string(r.Text(maxErrorText, 8))}
	case s < numStatus:
		err = statusErrors[s]
	default:
		wrong = errors.New("its status does not exist")
	}
	return results, err, wrong
}

var errUnread = errors.New("bytes are left after its last value")
