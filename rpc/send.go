package rpc

import (
	"errors"
	"time"

	"github.com/gannet-net/gannet/msgs"
	"github.com/gannet-net/gannet/transport"
	"github.com/gannet-net/gannet/wire"
)

// Out is a call that is being made. Generated methods get it from Audience.Begin, fill in Args, and have to call Send or Ask.
type Out struct {
	Args any // what New of Method.Args makes

	calls *Calls
	to    Audience
	route *route
	id    NetID
	err   error

	w       wire.BitWriter
	buffer  []byte
	start   int  // of the arguments in it, in bits
	encoded bool // buffer is the call
}

// Begin begins a call to a, of the method at a place in Contract.Methods; id is that of the object, and counts for instance methods only.
func (a Audience) Begin(of *Contract, place int, id NetID) *Out {
	c := a.calls
	if c == nil {
		return &Out{Args: of.Methods[place].Args.New(), route: &route{Method: &of.Methods[place]}, err: ErrNoAudience}
	}
	rt := c.route(of, place)
	if rt == nil {
		return &Out{Args: of.Methods[place].Args.New(), route: &route{Method: &of.Methods[place]}, err: ErrNotRegistered}
	}
	if c.out == len(c.outs) {
		c.outs = append(c.outs, new(Out))
	}
	o := c.outs[c.out]
	c.out++
	o.calls, o.to, o.route, o.id, o.err, o.encoded = c, a, rt, id, nil, false
	o.Args = rt.sent.take()
	return o
}

// end gives back what Begin lent.
func (o *Out) end() {
	if c := o.calls; c != nil {
		o.route.sent.give(o.Args)
		o.Args = nil
		c.out--
	}
}

// Send makes a call that is not answered. The error is nil, a *CallError, or several of these and of *msgs.SendError joined.
func (o *Out) Send() error {
	defer o.end()
	err := o.check()
	switch {
	case err != nil:
	case o.to.manner.whom() == toOne:
		err = o.sendTo(o.to.one)
	default:
		return o.sendToMany()
	}
	return o.unsent(err)
}

// check makes the checks that have nothing to do with who gets it.
func (o *Out) check() error {
	switch {
	case o.err != nil:
		return o.err
	case o.to.manner.whom() == nobody:
		return ErrNoAudience
	case o.route.Of.At == o.calls.side:
		return ErrSide
	case o.route.Of.Instance && o.id.place() == 0:
		return ErrNoID
	case o.to.manner.chosen() && !o.route.allows(o.to.manner.delivery()):
		return ErrDelivery
	}
	return nil
}

// unsent counts a call that was not sent.
func (o *Out) unsent(err error) error {
	if err == nil {
		return nil
	}
	o.route.stats.Unsent++
	if o.calls != nil {
		o.calls.stats.Unsent++
	}
	return &CallError{o.route.Name, err}
}

// sendTo sends the call to a peer.
func (o *Out) sendTo(p *peer) error {
	if err := p.ready(o.route); err != nil {
		return err
	}
	before, ok := p.limits.foresee(o.calls, o.route)
	if !ok {
		return ErrRate
	}
	err := o.deliver(p)
	if err != nil {
		p.limits.undo(o.route, before)
	}
	return err
}

// ready says what keeps a method from being called now.
func (p *peer) ready(rt *route) error {
	switch {
	case p.gone || p.Ended():
		return ErrGone
	case !p.InAny(rt.contract.Catalogue, rt.States):
		return ErrState
	}
	return nil
}

func (o *Out) sendToMany() error {
	var failed []error
	for _, p := range o.to.members() {
		if !o.to.has(p) {
			continue
		}
		switch err := o.sendTo(p); err {
		case nil, ErrGone:
		case ErrState:
			o.route.stats.PassedOver++
		default:
			failed = append(failed, o.unsent(err))
			if !o.encoded && p.direct.calls == nil {
				return failed[len(failed)-1] // what cannot be encoded for one cannot be for any
			}
		}
	}
	return errors.Join(failed...)
}

// deliver brings the call to a peer, in this process or out of it.
func (o *Out) deliver(p *peer) error {
	if p.direct.calls != nil {
		err := p.direct.call(o)
		if err == nil {
			o.route.stats.Local++
		}
		return err
	}
	if err := o.encode(nil); err != nil {
		return err
	}
	return o.transmit(p)
}

// encode makes the bytes of the call, once for all.
func (o *Out) encode(ask *asked) error {
	if o.encoded {
		return nil
	}
	c, rt := o.calls, o.route
	o.w = wire.NewBitWriter(o.buffer[:0])
	w := &o.w
	w.Bits(uint32(c.sends.message.Entry.ID), c.sends.idBits)
	w.Bits(uint32(rt.index), c.there.bits)
	if rt.Of.Instance {
		w.Bits(uint32(o.id), 32)
	}
	if ask != nil {
		w.Bits(uint32(ask.serial), 16)
		w.Bits(ask.wait, 16)
	}
	start := w.Offset()
	rt.Args.Encode(w, o.Args)
	if err := w.Err(); err != nil {
		return rt.blame(rt.argFields(), w.Bytes(), start, w.Offset(), err)
	}
	o.buffer, o.encoded, o.start = w.Bytes(), true, start
	return nil
}

// transmit gives the bytes to the connection of a peer.
func (o *Out) transmit(p *peer) error {
	c, rt := o.calls, o.route
	how := msgs.Manner{Delivery: rt.Deliveries[0], Channel: rt.Channel, TTL: rt.TTL, Urgent: rt.Urgent}
	if o.to.manner.chosen() {
		how.Delivery = o.to.manner.delivery()
	}
	if err := msgs.SendAs(p.Peer, how, c.sends.message, o.buffer, nil); err != nil {
		return err
	}
	rt.stats.Sent.add(len(o.buffer))
	c.stats.Sent.add(len(o.buffer))
	p.stats.Sent.add(len(o.buffer))
	c.recorder.add(record{at: c.now, peer: p, sent: true, route: rt, id: o.id, start: o.start}, o.buffer)
	return nil
}

// asked is what the head of a request says.
type asked struct {
	serial uint16
	wait   uint32 // ms
}

// maxWait is how long a request can wait.
const maxWait = 60 * time.Second

// allows reports whether the contract has a mode for the method.
func (m *Method) allows(d transport.Delivery) bool {
	for _, allowed := range m.Deliveries {
		if allowed == d {
			return true
		}
	}
	return false
}
