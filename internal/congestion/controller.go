// Package congestion decides how much of a path bulk may take: how many bytes may be on their way at once, and how fast they leave. Controllers
// are machines in integers: they have no clock and send nothing. They know packets by their sizes alone, so that one can be put in the place of
// another, and each can be tried without a connection around it.
//
// Times are int64 nanoseconds of a monotonic clock, sizes are bytes with the headers of IP and UDP.
package congestion

import (
	"math/bits"
	"time"
)

// Controller is told what becomes of the packets that it governs. It belongs to one connection and to one caller at a time.
type Controller interface {
	// Acked takes what an ack told.
	Acked(now int64, f Feedback)
	// Silence takes that nothing gets through any more, or that the path is another: all that is known of it may be wrong from now on.
	Silence()
	// Window is how many bytes may be on their way.
	Window() int64
	// Rate is how many bytes may leave in a second.
	Rate() int64
	// Congested reports whether packets are lost because of what is sent.
	Congested() bool
}

// Feedback is what one ack tells.
type Feedback struct {
	RTT   int64 // a round trip without the delay of the peer, 0 if the ack gives none
	Acked int   // bytes that are known to have arrived
	Lost  int   // bytes that are taken for lost
	Found int   // bytes that were taken for lost before, and have arrived
	// Hungry tells that more would have been sent since the last ack if Window had allowed it.
	Hungry bool
}

// Packet is the size of a full packet.
const Packet = 1228

const (
	initialWindow  = 16 * Packet
	smallestWindow = 2 * Packet
	largestWindow  = 1 << 30

	millisecond = int64(time.Millisecond)
	second      = int64(time.Second)
)

// perSecond is the rate of n bytes in a time, rounded down.
func perSecond(n, time int64) int64 { return muldiv(n, second, max(1, time)) }

// inTime is how many bytes a rate gives in a time.
func inTime(rate, time int64) int64 { return muldiv(rate, time, second) }

// muldiv is a * b / c of numbers that are not negative, without an overflow between; the largest number if that is too large.
func muldiv(a, b, c int64) int64 {
	high, low := bits.Mul64(uint64(a), uint64(b))
	if high >= uint64(c) {
		return 1<<63 - 1
	}
	q, _ := bits.Div64(high, low, uint64(c))
	return int64(min(q, 1<<63-1))
}
