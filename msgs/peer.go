package msgs

import (
	"errors"
	"fmt"

	"github.com/gannet-net/gannet/internal/rate"
	"github.com/gannet-net/gannet/transport"
)

// Peer is the other end of one session. Who comes back is another Peer, even under the same id: nothing that was meant for one session
// reaches the next. It is a Target.
//
// Nil, which Router.Peer gives for an id that nobody has, can be sent to, kicked and asked to enter a state: nothing happens, and the errors are ErrNoPeer.
type Peer struct {
	// Data belongs to the game.
	Data any

	router *Router
	conn   transport.Conn // nil at a client that was never connected
	id     uint32
	states []uint64 // for each mount, the bit of the state that the session is in
	others audience // everybody else

	received int64 // when the last message came
	queued   int   // events that wait for RunFrame
	joining  bool  // Joined is one of them, so everything has to wait
	leaving  bool  // disconnected
	kicked   bool  // by Kick
	gone     bool  // Left was told

	malformed rate.Bucket
	stats     Stats

	logged      uint32 // a bit for each Drop, that of Handled for messages handled in part
	abuseLogged bool
}

func (r *Router) newPeer() *Peer {
	p := &Peer{router: r, states: make([]uint64, len(r.mounts)), malformed: rate.Full}
	for i := range p.states {
		p.states[i] = 1
	}
	p.others = audience{router: r, except: []*Peer{p}}
	return p
}

// ID is the number of a player, 1 and up. It is 0 for the host, at a client; which number the client itself has, its Conn tells.
func (p *Peer) ID() uint32 { return p.id }

// Conn is the connection, nil at a client that was not connected yet. It may be closed, and asked for everything. Send messages by their own
// method, so that they are checked and counted.
func (p *Peer) Conn() transport.Conn { return p.conn }

// String is "player 3", or "the host".
func (p *Peer) String() string {
	switch {
	case p == nil:
		return "nobody"
	case p.router.config.Side == Client:
		return "the host"
	}
	return fmt.Sprintf("player %d", p.id)
}

// Received is when the last message came, in nanoseconds of the connection's clock, 0 before the first. For a handler of On it is that of its message.
func (p *Peer) Received() int64 { return p.received }

// Enter puts the session into a state of a catalogue. It is in one at a time, and begins in the first. Each side does it for itself. The error says that the
// router does not know the catalogue.
func (p *Peer) Enter(s State) error {
	if p == nil {
		return fmt.Errorf("msgs: Peer.Enter: %w", ErrNoPeer)
	}
	i := p.router.indexOf(s.Catalogue)
	if i < 0 || int(s.Bit) >= len(s.Catalogue.States) {
		return errors.New("msgs: Peer.Enter: no such state: its catalogue has to be among Config.Catalogues")
	}
	p.states[i] = 1 << s.Bit
	return nil
}

// In reports whether the session is in a state.
func (p *Peer) In(s State) bool {
	if p == nil {
		return false
	}
	i := p.router.indexOf(s.Catalogue)
	return i >= 0 && p.states[i] == 1<<s.Bit
}

// InAny reports whether the session is in one of the states of c whose bits are in set, or set is 0.
func (p *Peer) InAny(c *Catalogue, set uint64) bool {
	if set == 0 {
		return true
	}
	i := p.router.indexOf(c)
	return i >= 0 && set&p.states[i] != 0
}

// allows reports whether the session is in one of the states of a message.
func (p *Peer) allows(rt *route) bool {
	return rt.entry.States == 0 || rt.entry.States&p.states[rt.mount.index] != 0
}

// indexOf is the place of c among the mounts, or -1.
func (r *Router) indexOf(c *Catalogue) int {
	for i, m := range r.mounts {
		if m.catalogue == c {
			return i
		}
	}
	return -1
}

// Kick sends the peer away, with a reason that it gets to know where the protocol can carry one; see transport.Kicker. Left is called as usual,
// once the connection says that it is over. What of the peer still waits for RunFrame is not handled any more, even if the peer has gone by itself.
func (p *Peer) Kick(code uint16, text string) {
	if p == nil || p.conn == nil {
		return
	}
	p.kicked = true
	for _, w := range p.router.watchers {
		w.Kicked(p)
	}
	switch conn := p.conn.(type) {
	case transport.Kicker:
		conn.Kick(code, text)
	default:
		conn.Abort()
	}
}

// endedHere reports whether this side ended the session.
func (p *Peer) endedHere() bool {
	end, _ := p.conn.Err().(*transport.DisconnectError)
	return p.kicked || end != nil && (end.Cause == transport.ClosedLocally || end.Cause == transport.Kicked)
}
