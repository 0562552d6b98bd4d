package system

import (
	"log/slog"
	"math"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/gannet-net/gannet/msgs"
)

// end tells a client why its session is over, and closes the connection once it can know.
func (s *Server) end(p *Player, last sendable) {
	if p.gone {
		return
	}
	_ = s.Send(p, last)
	s.remove(p)
	_ = p.peer.Conn().Close()
}

func (s *Server) endBanned(p *Player, ban Ban) {
	m := Banned{Text: fitting(ban.Text)}
	if ban.Until != 0 {
		m.Seconds = uint32(min(max(1, (ban.Until-s.config.Clock())/int64(time.Second)), math.MaxUint32))
	}
	s.end(p, m)
}

// mostText is the limit of texts that tell why a session ends.
const mostText = 200

// fitting cuts a text that is too long to be sent, between two characters, and replaces what is not UTF-8: a reason in part is better than none.
func fitting(text string) string {
	text = strings.ToValidUTF8(text, "?")
	end := min(len(text), mostText)
	for end < len(text) && !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end]
}

// timeOut drops a client that is silent, which cannot be told anything.
func (s *Server) timeOut(p *Player, why string) {
	s.log.notice(s.config.Clock(), slog.LevelInfo, "Client timed out", "from", p.peer.String(), "reason", why)
	s.remove(p)
	p.peer.Conn().Abort()
}

// remove takes a client out of the game: its place is free, and the others know.
func (s *Server) remove(p *Player) {
	if p.gone {
		return
	}
	was := p.Playing()
	p.gone = true
	defer s.leaveSlot(p) // even if Left panics
	p.upload.stop()
	s.players = slices.DeleteFunc(s.players, func(other *Player) bool { return other == p })
	if was {
		s.regroup()
		_ = PlayerDisconnected{Player: p.ID()}.Send(s.playing)
		if s.config.Left != nil {
			s.config.Left(p)
		}
	}
}

// disconnected is called when a connection has ended, by whomever.
func (s *Server) disconnected(peer *msgs.Peer, _ error) {
	p := peer.Data.(*Player)
	delete(s.byConn, peer.Conn())
	s.remove(p)
}

// gracefullyDisconnect frees the place of a player that leaves at once.
func (s *Server) gracefullyDisconnect(in *msgs.In, _ *GracefullyDisconnect) {
	p := playerOf(in)
	s.remove(p)
	_ = p.peer.Conn().Close()
}

// Kick throws a client out. It gets to know the reason.
func (s *Server) Kick(p *Player, reason Reason, text string) { s.end(p, Kicked{reason, fitting(text)}) }

// Reject sends a client away that is on its way into the game.
func (s *Server) Reject(p *Player, reason Reason, text string) {
	s.end(p, Rejected{reason, fitting(text)})
}

// Ban puts a client on the list of bans, for a time or, with 0, for ever, and throws it out. Before it was verified, that is its address: the account that it
// claims may be that of somebody else.
func (s *Server) Ban(p *Player, text string, d time.Duration) {
	s.config.Bans.Ban(p.identity(), text, d)
	s.endBanned(p, newBan(text, s.config.Clock(), d))
}

// SetAdmin gives a player the rights of an admin, or takes them, and tells everybody.
func (s *Server) SetAdmin(p *Player, admin bool) {
	if p.admin == admin || p.gone {
		return
	}
	p.admin = admin
	if !p.Playing() {
		return
	}
	if admin {
		_ = Admined{Player: p.ID()}.Send(s.playing)
	} else {
		_ = Unadmined{Player: p.ID()}.Send(s.playing)
	}
}

// longestWait is the longest that Shutdown can announce.
const longestWait = (1<<16 - 1) * time.Second

// Shutdown tells everybody that the server is about to end, takes nobody in any more, and closes all connections after a wait. Keep driving the server and
// its transport until Done reports true.
func (s *Server) Shutdown(text string, wait time.Duration) {
	if s.closing {
		return
	}
	s.closing = true
	s.closesAt = s.config.Clock() + int64(min(max(wait, 0), longestWait))
	s.log.Info("Server shutting down", "wait", wait.String())
	seconds := uint16(min(max(wait, 0), longestWait) / time.Second)
	_ = Shutdown{Seconds: seconds, Text: fitting(text)}.Send(s.router.All())
}

// tickShutdown closes all connections when the wait is over.
func (s *Server) tickShutdown(now int64) {
	if !s.closing || now < s.closesAt {
		return
	}
	for _, p := range slices.Clone(s.players) {
		s.remove(p)
		_ = p.peer.Conn().Close()
	}
}

// Done reports whether Shutdown has closed all connections, and all of them have ended.
func (s *Server) Done() bool {
	return s.closing && s.config.Clock() >= s.closesAt && len(s.byConn) == 0
}
