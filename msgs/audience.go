package msgs

import (
	"errors"
	"slices"
)

// audience is a set of peers. Who is in it is found out at each send.
type audience struct {
	router *Router
	only   []*Peer // nil: everybody who has joined
	except []*Peer
}

// All is everybody who has joined, whenever a message is sent to it; at a client it is the host.
//
// A target of many encodes a message once and gives the same bytes to each. A peer that cannot take it does not hold up the others: the error that is
// returned joins a *SendError for each such peer. Peers are passed over, without an error, whose session is over or in none of the states of the message.
// Targets can be kept and used again.
func (r *Router) All() Target { return &r.all }

// Except is everybody but some, as All. To leave out one allocates nothing.
func (r *Router) Except(peers ...*Peer) Target {
	if len(peers) == 1 && peers[0] != nil && peers[0].router == r {
		return &peers[0].others
	}
	return &audience{router: r, except: slices.Clone(peers)}
}

// Only is some peers, as All. Peers that leave can stay in it. Nil stands for nobody.
func (r *Router) Only(peers ...*Peer) Target {
	only := make([]*Peer, 0, len(peers))
	for _, p := range peers {
		if p != nil && p.router == r {
			only = append(only, p)
		}
	}
	return &audience{router: r, only: only}
}

// Buffer lends memory for one message. See Target.
func (a *audience) Buffer() []byte { return a.router.lendBuffer() }

// SendEncoded sends one message to everybody in a. See Target.
func (a *audience) SendEncoded(d Descriptor, b []byte, err error) error {
	return a.send(d, b, err, manner{})
}

func (a *audience) send(d Descriptor, b []byte, err error, how manner) error {
	r := a.router
	if !how.whole {
		defer r.takeBuffer(b)
	}
	rt, err := r.outgoing(d, b, err)
	if err != nil {
		return err
	}
	var failed []error
	for _, p := range a.peers() {
		if slices.Contains(a.except, p) {
			continue
		}
		if err := a.transmit(p, rt, b, how); err != nil {
			failed = append(failed, err)
		}
	}
	return errors.Join(failed...)
}

// peers are those that are in a if except does not leave them out.
func (a *audience) peers() []*Peer {
	switch {
	case a.only != nil:
		return a.only
	case a.router.config.Side == Client:
		return a.router.host[:]
	}
	return a.router.peers
}

// transmit sends to one of a, unless it is to be passed over.
func (a *audience) transmit(p *Peer, rt *route, b []byte, how manner) error {
	err := p.transmit(rt, b, how)
	switch {
	case err == nil, a.router.config.Side == Host && isOver(err):
		return nil
	case a.router.config.Side == Host && err == ErrState:
		rt.stats.PassedOver++
		return nil
	}
	return a.router.unsent(rt, p, err)
}
