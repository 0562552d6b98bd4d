package congestion

import "math/bits"

// lossiness tells losses that this side causes from those that happen anyway. The path has a share of loss of its own, which is learned; what is
// far above it, while no more comes through than before, is what a policer or a short buffer does to those that send too fast.
type lossiness struct {
	began     int64 // of this span; later than now while losses are of what was sent before the sender slowed down
	got, gone int64 // bytes since then that were acked and lost
	rate      int64 // bytes a second that came through in the span before

	own     int64 // the path's share, in 1/shareScale
	learned int64 // spans that went into it, up to slowly
}

const (
	shareScale = 1 << 16
	spanBytes  = 128 * Packet // of a span, at least; and a round trip

	slowly, quickly = 32, 8 // how the share is learned: upwards, and downwards

	fewSpans = 8               // spans after which the share is believed,
	presumed = shareScale / 50 // if it is less than this: else the first losses of any path that loses some would look caused
)

// take adds an ack. It reports whether this side causes losses, and what rate came through while it did.
func (l *lossiness) take(now int64, f Feedback, trip int64) (rate int64, caused bool) {
	switch {
	case l.began == 0:
		l.began = now
	case now < l.began:
		return 0, false
	}
	l.got += int64(f.Acked + f.Found)
	l.gone = max(0, l.gone+int64(f.Lost-f.Found))
	if l.got+l.gone < spanBytes || now-l.began < trip {
		return 0, false
	}
	rate = perSecond(l.got, now-l.began)
	caused = l.tooMany() && rate < l.rate+l.rate/8
	if !caused {
		l.learn(l.gone * shareScale / (l.got + l.gone))
	}
	l.began, l.got, l.gone, l.rate = now, 0, 0, rate
	if caused {
		l.began = now + trip*5/4
	}
	return muldiv(rate, shareScale, shareScale-min(l.own, shareScale/2)), caused
}

// tooMany reports whether more was lost than three standard deviations above what the path loses, and three packets.
func (l *lossiness) tooMany() bool {
	share := l.own
	if l.learned < fewSpans {
		share = max(share, presumed)
	}
	usual := (l.got + l.gone) * share / shareScale
	return l.gone > usual+3*Packet+3*root(usual*Packet)
}

func (l *lossiness) learn(share int64) {
	l.learned = min(l.learned+1, slowly)
	pace := l.learned
	if share < l.own {
		pace = min(pace, quickly)
	}
	l.own += (share - l.own) / pace
}

// root is the integer part of the square root.
func root(n int64) int64 {
	x := int64(1) << ((bits.Len64(uint64(n)) + 1) / 2)
	for {
		y := (x + n/max(1, x)) / 2
		if y >= x {
			return x
		}
		x = y
	}
}
