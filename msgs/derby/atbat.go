package derby

import "github.com/gannet-net/gannet/msgs"

// spectator follows one batter. No clocks are synchronised: what the batter's clock shows is put onto this side's by the difference of the two when the fastest
// message of the turn came, so what is shown is late by the delay of that one.
type spectator struct {
	begun  bool // AtBatBegin came, and no end of the turn after it
	heard  bool // offset is known
	offset float64
	posed  bool
	newest float32 // the time of the last pose
	shown  float64 // the same on this side's clock
}

// see notes a message that came at now. It reports when it happened on this side's clock, and false for a pose that is not to be shown: it is older than one that was.
func (s *spectator) see(m msgs.Message, now float64) (at float64, ok bool) {
	switch m := m.(type) {
	case *TurnStart, *RoundEnd:
		*s = spectator{}
	case *AtBatBegin:
		s.begun = true
	case *AtBatPose:
		return s.pose(m.T, now)
	case *AtBatPitch:
		return s.local(m.At, now), true
	case *AtBatSwing:
		return s.local(m.PressTime, now), true
	case *AtBatResult:
		return s.local(m.At, now), true
	}
	return now, true
}

// pose is see for a pose. The converted time never steps back either, although the offset shrinks when a faster message comes.
func (s *spectator) pose(t float32, now float64) (at float64, ok bool) {
	if !s.begun || s.posed && t <= s.newest {
		return 0, false
	}
	s.posed, s.newest, s.shown = true, t, max(s.shown, s.local(t, now))
	return s.shown, true
}

// local is time t of the batter's clock, on this side's, where a message with that time has just come.
func (s *spectator) local(t float32, now float64) float64 {
	if offset := now - float64(t); !s.heard || offset < s.offset {
		s.heard, s.offset = true, offset
	}
	return float64(t) + s.offset
}

// convert is any time of the batter's clock on this side's, and false if nothing was heard of the batter in this turn.
func (s *spectator) convert(t float32) (at float64, ok bool) { return float64(t) + s.offset, s.heard }
