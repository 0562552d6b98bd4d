package system

import (
	"time"

	"github.com/gannet-net/gannet/msgs"
)

// Player is a client of a Server, from when it has connected.
type Player struct {
	// Data belongs to the game.
	Data any

	server *Server
	peer   *msgs.Peer

	step  int // in the flow
	stage Stage
	since int64 // when the stage began, or when the client last did something that it was waited for
	slot  bool  // it has a place
	gone  bool  // the session is over, or ending

	character Authenticate
	judged    bool // it has said who it is
	verified  bool // and that is so
	admin     bool
	netID     NetID
	at        Position // where it began
	angle     Heading

	place    int   // in the queue, as the client knows it; 0 is unknown
	placedAt int64 // when it got to know it

	upload  upload
	uploads int // how often it began with a file
	assets  assetCheck

	pings pings
	asked limiter // pings that it sent
	bad   limiter // messages that cannot be
	calls callTimes
	seen  msgs.Stats // as of the last message
}

// Peer is the connection, and where to send to.
func (p *Player) Peer() *msgs.Peer { return p.peer }

// ID is the number by which clients know the player.
func (p *Player) ID() uint16 { return uint16(p.peer.ID()) }

// Stage is how far the client has come.
func (p *Player) Stage() Stage { return p.stage }

// Playing reports whether the player is in the game.
func (p *Player) Playing() bool { return p.stage == StagePlaying && !p.gone }

// Character is what the client said of itself. It is empty before that.
func (p *Player) Character() *Authenticate { return &p.character }

// Admin reports whether the player has the rights of an admin.
func (p *Player) Admin() bool { return p.admin }

// NetID is the first of the player's PlayerBlock ids, 0 before it is accepted.
func (p *Player) NetID() NetID { return p.netID }

// RTT is the round trip of the newest ping that was answered.
func (p *Player) RTT() time.Duration { return p.pings.quality.RTT }

// Quality says how good the connection is.
func (p *Player) Quality() Quality {
	return p.pings.at(p.server.config.Clock(), p.server.config.PingEvery)
}

// identity is by what the player is known so far. An account that it only claims may be that of somebody else.
func (p *Player) identity() Identity {
	id := Identity{Addr: p.peer.Conn().RemoteAddr().Addr()}
	if p.verified {
		id.Account = p.character.Account
	}
	return id
}
