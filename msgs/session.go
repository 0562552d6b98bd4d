package msgs

import (
	"slices"

	"github.com/gannet-net/gannet/transport"
)

// connected begins a session. If one of the same id has not quite left, its own events wait for that.
func (r *Router) connected(conn transport.Conn) {
	var p *Peer
	if r.config.Side == Client {
		p = r.nextHost()
	} else {
		p = r.newPeer()
		p.id = conn.ID()
	}
	p.conn = conn
	r.byConn[conn] = p
	if old := r.byID[p.id]; old != nil && old.leaving {
		p.joining = true
		r.waiting.push(item{kind: transport.Connected, peer: p}, nil)
		return
	}
	r.join(p)
}

// nextHost is the host in the session to come.
func (r *Router) nextHost() *Peer {
	if p := r.host[0]; p.conn == nil {
		return p
	}
	return r.newPeer()
}

func (r *Router) join(p *Peer) {
	p.joining = false
	r.byID[p.id] = p
	r.peers = append(r.peers, p) // where nobody sees it who has the slice as it was
	if r.config.Side == Client {
		r.host[0] = p
	}
	r.tell(p)
	for _, w := range r.watchers {
		r.guard("Watcher.Joined", p, func() { w.Joined(p) })
	}
	if r.config.Joined != nil {
		r.guard("Joined", p, func() { r.config.Joined(p) })
	}
}

// disconnected ends a session, after what of it waits for RunFrame.
func (r *Router) disconnected(p *Peer, ev transport.Event) {
	delete(r.byConn, ev.Conn)
	p.leaving = true
	if p.queued > 0 {
		r.waiting.push(item{kind: transport.Disconnected, peer: p, err: ev.Err}, nil)
		return
	}
	r.leave(p, ev.Err)
}

func (r *Router) leave(p *Peer, err error) {
	if r.byID[p.id] == p {
		delete(r.byID, p.id)
	}
	r.peers = slices.DeleteFunc(slices.Clone(r.peers), func(other *Peer) bool { return other == p })
	p.gone = true
	for _, w := range r.watchers {
		r.guard("Watcher.Left", p, func() { w.Left(p, err) })
	}
	if r.config.Left != nil {
		r.guard("Left", p, func() { r.config.Left(p, err) })
	}
}

// Watcher is told of sessions beside Config.Joined and Left, and before them: what is built on a router has to know when a peer comes and goes, whatever the
// game makes of it.
type Watcher interface {
	Joined(*Peer)
	Left(*Peer, error)
	// Kicked is called by Peer.Kick. Left follows as usual.
	Kicked(*Peer)
}

// Watch adds a watcher.
func (r *Router) Watch(w Watcher) { r.watchers = append(r.watchers, w) }

// Has reports whether c is among Config.Catalogues.
func (r *Router) Has(c *Catalogue) bool { return r.indexOf(c) >= 0 }

// Spare is the Mount.Spare of a catalogue, 0 if the router does not have it.
func (r *Router) Spare(c *Catalogue) uint8 {
	if i := r.indexOf(c); i >= 0 {
		return r.mounts[i].spare
	}
	return 0
}

// Side is the end of the sessions at which the router is.
func (r *Router) Side() Side { return r.config.Side }

// Ended reports whether the session is over, or this side has ended it: nothing of the peer is handled any more.
func (p *Peer) Ended() bool { return p == nil || p.endedHere() || p.gone }
