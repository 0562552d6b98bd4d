package msgs

import (
	"fmt"
	"log/slog"

	"github.com/gannet-net/gannet/internal/rate"
	"github.com/gannet-net/gannet/transport"
)

// CodeMalformed is the code with which a peer is kicked for abuse, unless Config.OnAbuse decides otherwise.
const CodeMalformed uint16 = 0xFFF0

const textMalformed = "too many malformed messages"

// Abuse is what Config.OnAbuse is told: a peer sent more malformed messages than Config.Malformed allows. It is told anew after as many more.
type Abuse struct {
	// Proven says that the peer itself sent them. Without it somebody else may have, under the address of the peer: to act on it lets
	// strangers throw out players. At a client it says so of the host, which may only have relayed them.
	Proven bool

	Reason  Drop   // of the message that was one too many
	Message string // its type, "" if that is not known
	Err     error  // what is wrong with it
}

// drop counts a message that is not handled, logs it, and judges the peer if no correct one sends such a message.
func (r *Router) drop(in *In, drop Drop, err error) {
	in.count(drop)
	if in.Peer == nil || drop == DropPanic || drop == DropQueue {
		return
	}
	r.logDrop(in, drop, err)
	if drop.Malformed() {
		r.malformed(in, drop, err)
	}
}

// Malformed judges the peer for one more malformed message, which the program itself found to be one: a call inside a raw message, say. Such a message was handled as far as
// the router knows, so it is counted in Stats.Found, beside whatever the program counts.
func (p *Peer) Malformed(d Descriptor, err error) {
	if p == nil {
		return
	}
	in := In{Router: p.router, Peer: p, Entry: d.Entry, route: p.router.routes[d.Entry]}
	p.router.stats.Found++
	p.stats.Found++
	p.router.logDrop(&in, DropMalformed, err)
	p.router.malformed(&in, DropMalformed, err)
}

// malformed judges one more malformed message of a peer.
func (r *Router) malformed(in *In, drop Drop, err error) {
	p := in.Peer
	if p.malformed.Take(p.received, r.config.Malformed.Count, r.config.Malformed.Within) { // not in.At, which goes back where some of its messages wait for the frame
		return
	}
	p.malformed = rate.Full
	r.stats.Abuse++
	p.stats.Abuse++
	abuse := Abuse{Proven: proven(p.conn), Reason: drop, Message: in.name(), Err: in.explain(drop, err)}
	if r.config.OnAbuse != nil {
		r.guard("OnAbuse", p, func() { r.config.OnAbuse(p, abuse) })
		return
	}
	var text string
	switch {
	case r.config.Side == Client:
		text = "Too many malformed messages from %v: not left, because it may relay what another player made"
	case abuse.Proven:
		text = "Too many malformed messages from %v: kicked"
		p.Kick(CodeMalformed, textMalformed)
	default:
		text = "Too many malformed messages from %v: not kicked, because a stranger may have sent them"
	}
	if !p.abuseLogged {
		p.abuseLogged = true
		r.log(in, slog.LevelWarn, fmt.Sprintf(text, p), drop, abuse.Err)
	}
}

// proven reports whether everything that conn hands out is from its peer.
func proven(conn transport.Conn) bool {
	authenticated, ok := conn.(transport.Authenticated)
	return conn.Local() || ok && authenticated.Authenticated()
}
