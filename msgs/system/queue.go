package system

import "slices"

// enqueue gives a client a place, or lets it wait for one.
func (s *Server) enqueue(p *Player) bool {
	switch {
	case len(s.queue) == 0 && s.takeSlot(p):
		return true
	case len(s.queue) >= s.config.MaxQueue:
		s.end(p, Rejected{ReasonFull, "the server and its queue are full"})
	default:
		s.queue = append(s.queue, p)
		s.tellPlace(p, len(s.queue), s.config.Clock())
	}
	return false
}

// takeSlot gives a client one of the places, if there is one.
func (s *Server) takeSlot(p *Player) bool {
	if s.slots >= s.config.MaxPlayers {
		return false
	}
	s.slots++
	p.slot = true
	return true
}

// leaveSlot frees the place of a client, in the game or in the queue, for who waits.
func (s *Server) leaveSlot(p *Player) {
	s.queue = slices.DeleteFunc(s.queue, func(other *Player) bool { return other == p })
	if p.slot {
		p.slot = false
		s.slots--
	}
	for len(s.queue) > 0 && !s.closing && s.takeSlot(s.queue[0]) {
		next := s.queue[0]
		s.queue = slices.Delete(s.queue, 0, 1)
		s.proceed(next)
	}
}

// tickQueue tells those who wait, once in a while, where they are now.
func (s *Server) tickQueue(now int64) {
	for i, p := range s.queue {
		if place := i + 1; place != p.place && now-p.placedAt >= int64(s.config.QueueNotice) {
			s.tellPlace(p, place, now)
		}
	}
}

func (s *Server) tellPlace(p *Player, place int, now int64) {
	p.place, p.placedAt = place, now
	_ = s.Send(p, QueuePositionChanged{Position: uint8(min(place, 255))})
}
