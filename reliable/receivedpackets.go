package reliable

import (
	"math/bits"

	"github.com/gannet-net/gannet/framing/packet"
)

// receivedPackets remembers which packet numbers came in: the highest, and which of the 1024 below it.
type receivedPackets struct {
	highest int64 // -1 if none
	at      int64 // when it came
	bits    [receivedSpan / 64]uint64
}

const receivedSpan = 1024

func (r *receivedPackets) init() { r.highest = -1 }

func (r *receivedPackets) bit(number int64) (word *uint64, mask uint64) {
	i := uint64(number) % receivedSpan
	return &r.bits[i/64], 1 << (i % 64)
}

// has reports whether a number came in before, or is so old that it must be taken for it.
func (r *receivedPackets) has(number int64) bool {
	if number > r.highest {
		return false
	}
	if number <= r.highest-receivedSpan || number < 0 {
		return true
	}
	word, mask := r.bit(number)
	return *word&mask != 0
}

// add notes a number that has is false for.
func (r *receivedPackets) add(now, number int64) {
	if number > r.highest {
		for n := max(r.highest+1, number-receivedSpan+1); n < number; n++ {
			word, mask := r.bit(n)
			*word &^= mask
		}
		r.highest, r.at = number, now
	}
	word, mask := r.bit(number)
	*word |= mask
}

// below is a bitmap of the numbers below the highest: bit i for highest-1-i.
func (r *receivedPackets) below() uint64 {
	first := r.highest - 64 // the number of the last bit; ones that never were are not set
	word, shift := uint64(first)%receivedSpan/64, uint64(first)%64
	window := r.bits[word]>>shift | r.bits[(word+1)%uint64(len(r.bits))]<<(64-shift)
	if first < 0 {
		window &= ^uint64(0) << min(-first, 64)
	}
	return bits.Reverse64(window)
}

const (
	rangesSpan = 512 // numbers that ranges look back
	maxRanges  = 16  // runs in them
	rangesSize = 1 + 4*maxRanges
)

// runs appends the numbers that came, from the highest down, to dst.
func (r *receivedPackets) runs(dst packet.Runs) packet.Runs {
	end := max(-1, r.highest-rangesSpan)
	for n, top := r.highest, r.highest; n > end && dst.Len() < maxRanges; top = n {
		for n > end && !r.has(n) {
			n--
		}
		missing, from := top-n, n
		for n > end && r.has(n) {
			n--
		}
		if n < from {
			dst = dst.Append(packet.Run{Missing: int(missing), Received: int(from - n)})
		}
	}
	return dst
}
