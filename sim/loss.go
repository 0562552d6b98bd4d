package sim

// lossState is where the per-datagram loss models of a link stand.
type lossState struct {
	mask    uint64 // the next datagram's bit is the lowest
	bad     bool   // state of the Gilbert-Elliott chain
	started bool   // whether the chain has been put into a state
}

// loss decides whether the next datagram is lost and by what. Every model that is on moves for every datagram.
func (l *link) loss(payload []byte) Drop {
	c, drop := &l.conditions, delivered
	if c.Drop != nil && c.Drop(payload) {
		drop = DropFilter
	}
	if c.Mask != 0 && l.lossState.nextMasked() {
		drop = DropMask
	}
	if c.Burst.Average > 0 && l.lossState.nextInBurst(c.Burst, l.draw(streamBurst)) {
		drop = DropBurst
	}
	if c.Loss > 0 && c.Loss.hits(l.draw(streamLoss)) {
		drop = DropLoss
	}
	return drop
}

func (s *lossState) nextMasked() bool {
	bit := s.mask & 1
	s.mask = s.mask>>1 | bit<<63
	return bit == 1
}

// nextInBurst moves the chain and reports whether it is in the bad state. It starts in the state that it would be found
// in.
func (s *lossState) nextInBurst(b Burst, draw uint64) bool {
	switch {
	case !s.started:
		s.bad, s.started = b.Average.hits(draw), true
	case s.bad:
		s.bad = !b.leave().hits(draw)
	default:
		s.bad = b.enter().hits(draw)
	}
	return s.bad
}

// leave is the chance to leave the bad state: one in Length.
func (b Burst) leave() Probability {
	if b.Average >= Always {
		return 0
	}
	return Always / Probability(b.Length)
}

// enter is the chance to enter the bad state that makes it cover Average of the datagrams.
func (b Burst) enter() Probability {
	switch {
	case b.Average == 0 || b.Length < 1:
		return 0
	case b.Average >= Always:
		return Always
	}
	// At most 2^32 * (2^32 - 1), which fits.
	return b.leave() * b.Average / (Always - b.Average)
}

// changed takes over what SetLink changed: a model starts anew if its parameters did.
func (s *lossState) changed(old, new Conditions) {
	if old.Mask != new.Mask {
		s.mask = new.Mask
	}
	if old.Burst != new.Burst {
		s.started = false
	}
}
