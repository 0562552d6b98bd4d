package sim

import "fmt"

// Probability is a chance in parts per 2^32: 0 is never, [Always] is certain. It is an integer because a float would
// round differently on another processor and change the run.
type Probability uint64

// Always is the probability of what is certain.
const Always Probability = 1 << 32

// Percent gives the probability of p per cent, 0 to 100. It panics outside that range, as a constant that is wrong
// would make a test that proves nothing.
func Percent(p float64) Probability {
	if !(p >= 0 && p <= 100) {
		panic(fmt.Sprintf("sim: %v %% is no probability", p))
	}
	return Probability(p*float64(Always)/100 + 0.5)
}

// PerMillion gives the probability of n in a million, 0 to 1,000,000. It panics outside that range.
func PerMillion(n int) Probability {
	if n < 0 || n > million {
		panic(fmt.Sprintf("sim: %d in a million is no probability", n))
	}
	return (Probability(n)*Always + million/2) / million
}

// hits reports whether the draw, uniform over 64 bits, falls within p.
func (p Probability) hits(draw uint64) bool { return draw>>32 < uint64(p) }
