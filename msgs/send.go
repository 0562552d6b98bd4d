package msgs

import (
	"log/slog"

	"github.com/gannet-net/gannet/transport"
)

// Buffer lends memory for one message. See Target.
func (p *Peer) Buffer() []byte {
	if p == nil {
		return nil
	}
	return p.router.lendBuffer()
}

// SendEncoded sends one message to this peer. See Target. It returns a *SendError.
func (p *Peer) SendEncoded(d Descriptor, b []byte, err error) error {
	return p.send(d, b, err, manner{})
}

// Receipt is a target for this peer that asks for an outcome with number n, which Config.Outcome is called with. n is not 0. It allocates.
func (p *Peer) Receipt(n uint64) Target { return receipt{p, n} }

type receipt struct {
	*Peer
	n uint64
}

func (t receipt) SendEncoded(d Descriptor, b []byte, err error) error {
	return t.send(d, b, err, manner{})
}

func (t receipt) send(d Descriptor, b []byte, err error, how manner) error {
	how.receipt = t.n
	return t.Peer.send(d, b, err, how)
}

func (p *Peer) send(d Descriptor, b []byte, err error, how manner) error {
	if p == nil {
		return &SendError{Message: d.Entry.Name, Err: ErrNoPeer}
	}
	if !how.whole {
		defer p.router.takeBuffer(b)
	}
	rt, err := p.router.outgoing(d, b, err)
	if err != nil {
		return err
	}
	if err := p.transmit(rt, b, how); err != nil {
		return p.router.unsent(rt, p, err)
	}
	return nil
}

// outgoing returns the route of an encoded message, after the checks that have nothing to do with who gets it.
func (r *Router) outgoing(d Descriptor, b []byte, err error) (*route, error) {
	rt := r.routes[d.Entry]
	switch {
	case rt == nil:
		return nil, &SendError{Message: d.Entry.Name, Err: ErrNotMounted}
	case err != nil:
	case d.Entry.From&r.config.Side == 0:
		err = ErrDirection
	case len(b) < d.Entry.MinSize || len(b) > d.Entry.MaxSize:
		err = ErrNotThisMessage
	}
	if err != nil {
		return nil, r.unsent(rt, nil, err)
	}
	return rt, nil
}

// transmit gives a message to the connection of p.
func (p *Peer) transmit(rt *route, b []byte, how manner) error {
	if p.conn == nil {
		return transport.ErrNotConnected
	}
	if !p.allows(rt) {
		return ErrState
	}
	o := transport.SendOptions{Delivery: rt.entry.Delivery, Channel: rt.channel, TTL: rt.entry.TTL, Urgent: rt.entry.Urgent, Receipt: how.receipt}
	if how.chosen {
		o.Delivery = how.Delivery
	}
	if how.whole {
		o.Channel, o.TTL, o.Urgent = rt.channel+how.Channel, how.TTL, how.Urgent
	}
	if !rt.takes(o.Delivery, o.Channel) {
		return ErrMode
	}
	err := p.conn.Send(b, o)
	if err == nil {
		rt.stats.Out.add(b)
		p.stats.Out.add(b)
		p.router.stats.Out.add(b)
	}
	return err
}

// unsent counts a message that was not sent and says so to who sent it, and once to the log if a correct program would have sent it.
func (r *Router) unsent(rt *route, p *Peer, err error) error {
	rt.stats.Unsent++
	r.stats.Unsent++
	if p != nil {
		p.stats.Unsent++
	}
	err = &SendError{Message: rt.entry.Name, Peer: p, Err: err}
	if !rt.unsentLogged && !isEveryday(err) {
		rt.unsentLogged = true
		r.config.Logger.Warn("Message not sent", slog.String("message", rt.entry.Name), slog.String("error", printable(err)))
	}
	return err
}

// bufferStart is how many bytes a buffer has at first. It grows with the messages.
const bufferStart = 256

// lendBuffer gives the buffer away, so that a message that is sent while another one is encoded gets one of its own.
func (r *Router) lendBuffer() []byte {
	b := r.buffer
	r.buffer = nil
	r.buffersLent++
	if b == nil {
		b = make([]byte, 0, bufferStart)
	}
	return b[:0]
}

// takeBuffer takes back what was lent, and keeps the larger of two buffers. Bytes that nothing was lent for belong to the caller.
func (r *Router) takeBuffer(b []byte) {
	if r.buffersLent == 0 {
		return
	}
	r.buffersLent--
	if cap(b) > cap(r.buffer) {
		r.buffer = b[:0]
	}
}
