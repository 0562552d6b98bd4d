package udp

import (
	"github.com/gannet-net/gannet/secure"
	"github.com/gannet-net/gannet/transport"
)

// player is who a client is: the player of its token, else the owner of its key.
type player struct {
	kind secure.IdentityKind
	id   [32]byte
}

func playerOf(who *secure.Identity) player {
	if who.Kind == secure.ByToken && who.Player != [16]byte{} {
		p := player{kind: secure.ByToken}
		copy(p.id[:], who.Player[:])
		return p
	}
	return player{secure.ByKey, who.Key}
}

// takeOver ends the older session of the player of c, who has come back: after a crash, or from another device. It waits until the new one
// is admitted, so that nobody is thrown out by whoever only asks.
func (e *engine) takeOver(c *Conn) {
	who := playerOf(&c.session.peer)
	old := e.sessions.players[who]
	e.sessions.players[who] = c
	if old == nil {
		return
	}
	old.why = transport.Replaced
	old.ep.Farewell(transport.CodeReplaced, "replaced")
	old.ep.Kick(e.now)
	e.touch(old)
	e.settle(old)
}
