package rpc

import (
	"time"

	"github.com/gannet-net/gannet/msgs"
	"github.com/gannet-net/gannet/transport"
)

// Audience is who a call is for, and how it goes there. It is a plain value: each method gives another one, and none changes it. Who is in it is found out at each call, so it can be kept;
// to make one allocates nothing, but for Only and Except with more than one peer.
//
// A call to many is encoded once, and all get the same bytes. A peer that cannot take it does not hold up the others: the error joins a *msgs.SendError for each. Peers are passed over, without an error, whose session is over, or in none of
// the states of the method.
type Audience struct {
	calls  *Calls
	whom   whom
	one    *peer
	list   []*peer
	id     NetID
	except *peer
	others []*peer // except these

	within   time.Duration
	delivery transport.Delivery
	chosen   bool // delivery is
}

type whom uint8

const (
	nobody whom = iota
	toOne
	toAll
	toList
	toViewers
)

// Server is, at a client, the server of the session that stands.
func (c *Calls) Server() Audience { return c.To(c.router.Host()) }

// To is one peer.
func (c *Calls) To(p *msgs.Peer) Audience {
	if found := c.peers[p]; found != nil {
		return Audience{calls: c, whom: toOne, one: found}
	}
	return Audience{calls: c}
}

// All is everybody who has joined, whenever something is called; at a client it is the server.
func (c *Calls) All() Audience { return Audience{calls: c, whom: toAll} }

// Only is some peers. Those that leave can stay in it.
func (c *Calls) Only(peers ...*msgs.Peer) Audience {
	return Audience{calls: c, whom: toList, list: c.known(peers)}
}

// Observers is those to whom an object is shown by Objects.Show.
func (c *Calls) Observers(id NetID) Audience { return Audience{calls: c, whom: toViewers, id: id} }

// Except leaves out some peers, and forgets those that were left out before.
func (a Audience) Except(peers ...*msgs.Peer) Audience {
	a.except, a.others = nil, nil
	if len(peers) == 1 && a.calls != nil {
		a.except = a.calls.peers[peers[0]]
	} else if a.calls != nil {
		a.others = a.calls.known(peers)
	}
	return a
}

// In sends in another of the modes that the contract allows for the method.
func (a Audience) In(d transport.Delivery) Audience {
	a.delivery, a.chosen = d, true
	return a
}

// Within gives a request another deadline, of at most 60 s.
func (a Audience) Within(d time.Duration) Audience {
	a.within = d
	return a
}

// known are those of the peers who are here.
func (c *Calls) known(peers []*msgs.Peer) []*peer {
	list := make([]*peer, 0, len(peers))
	for _, p := range peers {
		if found := c.peers[p]; found != nil {
			list = append(list, found)
		}
	}
	return list
}

// members are those whom a call is for, if except does not leave them out.
func (a *Audience) members() []*peer {
	switch a.whom {
	case toAll:
		return a.calls.order
	case toList:
		return a.list
	case toViewers:
		if found := a.calls.objects.find(a.id); found != nil {
			return found.viewers
		}
	}
	return nil
}

// has reports whether a peer is not left out.
func (a *Audience) has(p *peer) bool {
	if p.gone || p == a.except {
		return false
	}
	for _, other := range a.others {
		if other == p {
			return false
		}
	}
	return true
}
