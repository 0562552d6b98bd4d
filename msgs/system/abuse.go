package system

import (
	"log/slog"

	"github.com/gannet-net/gannet/msgs"
	"github.com/gannet-net/gannet/transport"
)

const (
	textInvalidID = "sv invalid packet index"
	textBad       = "too many invalid packets"
)

// judge looks at how the last messages of a client ended. payload is that of the last one, if it is known.
func (s *Server) judge(p *Player, payload []byte) {
	is := p.peer.Stats()
	was := p.seen
	p.seen = is
	for i := range is.Drops {
		if is.Drops[i] > was.Drops[i] {
			s.dropped(p, msgs.Drop(i), payload)
		}
	}
	for range is.Found - was.Found {
		s.badPacket(p)
	}
	if is.Unread > was.Unread {
		s.log.unread(p.peer, payload)
	}
}

// dropped acts on a message that was not handled.
func (s *Server) dropped(p *Player, drop msgs.Drop, payload []byte) {
	s.log.dropped(p.peer, drop, payload)
	switch {
	case drop == msgs.DropUnknown, drop == msgs.DropEmpty:
		s.invalidID(p)
	case drop.Malformed():
		s.badPacket(p)
	}
}

// invalidID refuses a connection that sends an id that there is not.
func (s *Server) invalidID(p *Player) {
	s.stats.InvalidID++
	s.log.notice(s.config.Clock(), slog.LevelWarn, "Received invalid packet index", "from", p.peer.String())
	if !p.gone && proven(p.peer.Conn()) {
		s.end(p, Rejected{ReasonInvalid, textInvalidID})
		return
	}
	s.badPacket(p)
}

// badPacket counts a message that no client sends. Too many of them end the connection.
func (s *Server) badPacket(p *Player) {
	s.stats.Bad++
	now := s.config.Clock()
	if p.gone || p.bad.take(now, s.config.BadPackets) {
		return
	}
	p.bad = limiter{}
	s.stats.Abuse++
	if !proven(p.peer.Conn()) {
		s.log.notice(now, slog.LevelWarn, "Too many invalid packets: ignored, because a stranger may have sent them", "from", p.peer.String())
		return
	}
	s.log.notice(now, slog.LevelWarn, "Too many invalid packets: connection terminated", "from", p.peer.String())
	s.remove(p)
	p.peer.Kick(msgs.CodeMalformed, textBad)
}

// outOfTurn counts a message that does not belong to the stage of a client.
func (s *Server) outOfTurn(p *Player) {
	s.stats.OutOfTurn++
	s.badPacket(p)
}

// proven reports whether everything that conn hands out is from its peer.
func proven(conn transport.Conn) bool {
	authenticated, ok := conn.(transport.Authenticated)
	return conn.Local() || ok && authenticated.Authenticated()
}
