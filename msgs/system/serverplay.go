package system

import (
	"github.com/gannet-net/gannet/msgs"
)

// pingsWithin is over how many intervals pings of a client are counted.
const pingsWithin = 5

// pingRequest answers a ping, unless they come at more than twice the rate.
func (s *Server) pingRequest(in *msgs.In, m *ClientPingRequest) {
	p := playerOf(in)
	if p.gone {
		return
	}
	if !p.asked.take(s.config.Clock(), msgs.Limit{Count: 2 * pingsWithin, Within: pingsWithin * s.config.PingEvery}) {
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
	args := afterID(in.Raw, clientIDBits)
	i := s.methods.find(&args)
	switch {
	case i < 0:
		s.stats.NoMethod++
		s.badPacket(p)
	case !p.calls.allow(s.methods, i, s.config.Clock()):
		s.stats.Limited++
	default:
		call := &Call{Player: p, In: in, Args: &args}
		m := &s.methods.list[i]
		sampled(s.config.Profiler, m.Name, func() { m.Handle(call) })
		s.log.finished(call, m.Name)
	}
}

func (s *Server) antiCheat(in *msgs.In, m *ClientThirdPartyAntiCheat) {
	if p := playerOf(in); !p.gone {
		s.config.AntiCheat(p, m.Data)
	}
}
