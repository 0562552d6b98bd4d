package rpc

import (
	"slices"
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
	one    *peer  // toOne
	except *peer  // or nil
	lists  *lists // or nil
	manner manner
}

// manner is what an Audience says beside whom it is for, in one word, so that it travels in registers: from the lowest, 32 bits of the net id whose observers it is, 16 of the deadline in ms or 0, 3 of
// whom, 3 of a delivery, and 1 that says whether that was chosen.
type manner uint64

func (m manner) id() NetID                    { return NetID(m) }
func (m manner) within() time.Duration        { return time.Duration(m>>32&0xffff) * time.Millisecond }
func (m manner) whom() whom                   { return whom(m >> 48 & 7) }
func (m manner) delivery() transport.Delivery { return transport.Delivery(m >> 51 & 7) }
func (m manner) chosen() bool                 { return m>>54&1 == 1 }

func (w whom) manner() manner { return manner(w) << 48 }

// lists are what an Audience has of many. They are never changed.
type lists struct {
	only   []*peer // toList
	except []*peer
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
		return Audience{calls: c, one: found, manner: toOne.manner()}
	}
	return Audience{calls: c}
}

// All is everybody who has joined, whenever something is called; at a client it is the server.
func (c *Calls) All() Audience { return Audience{calls: c, manner: toAll.manner()} }

// Only is some peers. Those that leave can stay in it.
func (c *Calls) Only(peers ...*msgs.Peer) Audience {
	return Audience{calls: c, manner: toList.manner(), lists: &lists{only: c.known(peers)}}
}

// Observers is those to whom an object is shown by Objects.Show.
func (c *Calls) Observers(id NetID) Audience {
	return Audience{calls: c, manner: toViewers.manner() | manner(id)}
}

// Except leaves out some peers, and forgets those that were left out before.
func (a Audience) Except(peers ...*msgs.Peer) Audience {
	a.except = nil
	switch {
	case a.calls == nil:
	case len(peers) == 1 && (a.lists == nil || a.lists.except == nil):
		a.except = a.calls.peers[peers[0]]
	default:
		l := lists{except: a.calls.known(peers)}
		if a.lists != nil {
			l.only = a.lists.only
		}
		a.lists = &l
	}
	return a
}

// In sends in another of the modes that the contract allows for the method.
func (a Audience) In(d transport.Delivery) Audience {
	a.manner = a.manner&^(7<<51) | manner(d&7)<<51 | 1<<54
	return a
}

// Within gives a request another deadline, of 1 ms to 60 s.
func (a Audience) Within(d time.Duration) Audience {
	a.manner = a.manner&^(0xffff<<32) | manner(min(max(d, time.Millisecond), maxWait)/time.Millisecond)<<32
	return a
}

// known are those of the peers who are here.
func (c *Calls) known(peers []*msgs.Peer) []*peer {
	list := make([]*peer, 0, len(peers))
	for _, p := range peers {
		if found := c.peers[p]; found != nil && !slices.Contains(list, found) {
			list = append(list, found)
		}
	}
	return list
}

// members are those whom a call is for, if except does not leave them out.
func (a *Audience) members() []*peer {
	switch a.manner.whom() {
	case toAll:
		return a.calls.order
	case toList:
		return a.lists.only
	case toViewers:
		if found := a.calls.objects.find(a.manner.id()); found != nil {
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
	return a.lists == nil || !slices.Contains(a.lists.except, p)
}
