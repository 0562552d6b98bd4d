package system

import (
	"bytes"
	"slices"

	"github.com/gannet-net/gannet/msgs"
)

// serverStage is what the server does when a client comes to a stage, and the message that it waits for. begin reports whether the stage is over at once.
type serverStage struct {
	begin func(*Player) bool
	waits string // for the message of that name
}

// stageTable is the machine of the way into the game; the flow says in which order.
func (s *Server) stageTable() [numStages]serverStage {
	pause := func(*Player) bool { return false }
	return [numStages]serverStage{
		StageAuthenticate: {pause, "Authenticate"},
		StageFiles:        {s.listFiles, "GetWorkshopFiles"},
		StageReady:        {pause, "ReadyToConnect"},
		StageQueue:        {s.enqueue, ""},
		StageVerify:       {s.askToVerify, ""},
		StageAccept:       {s.accept, ""},
		StagePlaying:      {pause, ""},
	}
}

// proceed takes a client to its next stage, and through those that are over at once. A server that is about to end takes nobody further.
func (s *Server) proceed(p *Player) {
	if s.closing {
		s.end(p, Rejected{ReasonShutdown, "the server is about to end"})
		return
	}
	for over := true; over && !p.gone; over = s.stages[p.stage].begin(p) {
		p.stage = StagePlaying
		if p.step < len(s.config.Flow) {
			p.stage = s.config.Flow[p.step]
		}
		p.step++
		p.since = s.config.Clock()
		if p.stage == StagePlaying {
			s.joined(p)
		}
	}
}

// inTurn reports whether a client is in the stage that waits for a message. Else that is a bad packet.
func (s *Server) inTurn(in *msgs.In) (*Player, bool) {
	p := playerOf(in)
	if p.gone {
		return p, false
	}
	if s.stages[p.stage].waits != in.Entry.Name {
		s.outOfTurn(p)
		return p, false
	}
	return p, true
}

// waitedFor reports whether the client is to do something.
func (p *Player) waitedFor() bool {
	return p.server.stages[p.stage].waits != "" && !(p.stage == StageAuthenticate && p.judged)
}

func playerOf(in *msgs.In) *Player { return in.Peer.Data.(*Player) }

// connected begins the way of a client.
func (s *Server) connected(peer *msgs.Peer) {
	now := s.config.Clock()
	p := &Player{server: s, peer: peer, pings: newPings(now), since: now}
	peer.Data = p
	s.byConn[peer.Conn()] = p
	s.players = append(s.players, p)
	switch ban, banned := s.config.Bans.Banned(p.identity()); {
	case banned:
		s.endBanned(p, ban)
	case s.onTheWay() > s.config.MaxJoining:
		s.end(p, Rejected{ReasonFull, "too many clients are joining"})
	default:
		s.proceed(p)
	}
}

// onTheWay is how many clients neither play nor wait.
func (s *Server) onTheWay() int {
	n := 0
	for _, p := range s.players {
		if p.stage != StagePlaying && p.stage != StageQueue {
			n++
		}
	}
	return n
}

// checkVersion rejects clients of another version.
func (s *Server) checkVersion(p *Player, version uint32) bool {
	if version == s.config.Version {
		return true
	}
	s.end(p, Rejected{ReasonVersion, "the server has another version"})
	return false
}

func (s *Server) readyToConnect(in *msgs.In, m *ReadyToConnect) {
	if p, ok := s.inTurn(in); ok && s.checkVersion(p, m.Version) {
		if !p.verified { // else the verifier has seen its name
			p.character.Name = m.Name
		}
		s.proceed(p)
	}
}

func (s *Server) authenticate(in *msgs.In, m *Authenticate) {
	p, ok := s.inTurn(in)
	switch {
	case !ok:
		return
	case p.judged:
		s.outOfTurn(p) // it has said that already
		return
	case !s.checkVersion(p, m.Version):
		return
	}
	p.judged, p.since = true, s.config.Clock()
	p.character = *m
	p.character.Ticket, p.character.Equipped = bytes.Clone(m.Ticket), slices.Clone(m.Equipped)
	if ban, banned := s.config.Bans.Banned(Identity{m.Account, p.identity().Addr}); banned {
		s.endBanned(p, ban)
		return
	}
	if s.config.Verify == nil {
		s.verified(p, Verdict{OK: true})
		return
	}
	s.config.Verify(p, m, func(v Verdict) { s.verified(p, v) })
}

// verified goes on with the answer of the verifier. An answer that comes when the client has gone, or a second one, changes nothing.
func (s *Server) verified(p *Player, v Verdict) {
	switch {
	case p.gone || p.stage != StageAuthenticate:
	case !v.OK:
		s.end(p, Rejected{ReasonAuthentication, fitting(v.Text)})
	case s.hasAccount(p):
		s.end(p, Rejected{ReasonDuplicate, "a player with this account is here"})
	default:
		p.verified = true
		s.proceed(p)
	}
}

// hasAccount reports whether another client was verified with the account of p.
func (s *Server) hasAccount(p *Player) bool {
	return p.character.Account != 0 && slices.ContainsFunc(s.players, func(other *Player) bool {
		return other != p && other.verified && other.character.Account == p.character.Account
	})
}

func (s *Server) askToVerify(p *Player) bool {
	return s.Send(p, Verify{}) == nil
}

// accept lets a client in: it learns its state, the configuration and who is there, in this order.
func (s *Server) accept(p *Player) bool {
	if !p.slot && !s.takeSlot(p) {
		s.end(p, Rejected{ReasonFull, "the server is full"})
		return false
	}
	p.netID = s.nextID
	s.nextID += PlayerBlock
	a := Accepted{}
	if s.config.Spawn != nil {
		a = s.config.Spawn(p)
	}
	a.Player, a.NetID, a.Block, a.Name, a.Admin = p.ID(), p.netID, PlayerBlock, p.character.Name, p.admin
	p.at, p.angle = a.At, a.Angle
	a.Look, a.Skillset, a.MaxPlayers = p.character.Look, p.character.Skillset, uint16(s.config.MaxPlayers)
	if s.Send(p, a) != nil || s.Send(p, s.config.Game) != nil {
		s.end(p, Rejected{ReasonOther, "the server could not tell its state"})
		return false
	}
	return true
}

// joined tells the others of a new player, and it of them.
func (s *Server) joined(p *Player) {
	for _, other := range s.players {
		if other.Playing() && other != p {
			_ = s.Send(p, other.introduction())
		}
	}
	_ = p.introduction().Send(s.router.Only(s.others(p)...))
	s.regroup()
	s.log.Info("Player joined", "player", p.peer.String(), "name", p.character.Name)
	if s.config.Joined != nil {
		s.config.Joined(p)
	}
}

// introduction is what the others get to know of a player.
func (p *Player) introduction() PlayerConnected {
	return PlayerConnected{Player: p.ID(), Account: p.character.Account, Name: p.character.Name, NetID: p.netID,
		At: p.at, Angle: p.angle, Look: p.character.Look, Admin: p.admin}
}
