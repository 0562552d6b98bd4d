package system

import (
	"github.com/gannet-net/gannet/msgs"
)

// pingLimit is how many pings of a client are answered: twice as many as it sends, counted over the time for which a side may be silent, since what
// waited for that long comes at once.
func (c *ServerConfig) pingLimit() msgs.Limit {
	return msgs.Limit{Count: 2 * max(1, int(c.Timeout/c.PingEvery)), Within: c.Timeout}
}

// pingRequest answers a ping, unless they come at more than twice the rate.
func (s *Server) pingRequest(in *msgs.In, m *ClientPingRequest) {
	p := playerOf(in)
	if p.gone {
		return
	}
	if !p.asked.take(s.config.Clock(), s.config.pingLimit()) {
		s.stats.PingFlood++
		s.badPacket(p)
		return
	}
	_ = s.sendPing(p, HostPingResponse{Sent: m.Sent})
}

func (s *Server) pingResponse(in *msgs.In, m *ClientPingResponse) {
	if !playerOf(in).pings.answer(s.config.Clock(), m.Sent) {
		s.stats.Strays++
	}
}

// invokeMethod calls a method for a player, if it is not too early.
func (s *Server) invokeMethod(in *msgs.In) {
	p := playerOf(in)
	if !p.Playing() {
		s.stats.Unresolved++
		s.badPacket(p)
		return
	}
	call := s.call.take(p, in, clientIDBits)
	i := s.methods.find(call.Args)
	switch {
	case i < 0:
		call.lent = false
		s.stats.NoMethod++
		s.badPacket(p)
	case !p.calls.allow(s.methods, i, s.config.Clock()):
		call.lent = false
		s.stats.Limited++
	default:
		m := &s.methods.list[i]
		call.run(m, s.config.Profiler)
		s.log.finished(call, m.Name)
	}
}

func (s *Server) antiCheat(in *msgs.In, m *ClientThirdPartyAntiCheat) {
	if p := playerOf(in); !p.gone {
		s.config.AntiCheat(p, m.Data)
	}
}
