package sim

import (
	"fmt"
	"time"
)

// Conditions are those of one direction between two nodes. The zero value is a perfect link: no delay, no loss, no
// limit. Impairments combine freely. All sizes are of UDP payloads, but for Rate, Queue and Police, which count the IP
// and UDP headers too (28 bytes over IPv4, 48 over IPv6).
type Conditions struct {
	// Delay is the time from one end to the other.
	Delay time.Duration
	// Jitter is added to or taken from Delay: uniform over -Jitter..+Jitter for each datagram, the sum never below 0.
	// It reorders.
	Jitter time.Duration
	// KeepOrder makes jitter and changes of Delay wait instead of reorder. Datagrams held back by Reorder, and copies,
	// are late all the same.
	KeepOrder bool

	// Loss loses each datagram independently.
	Loss Probability
	// Burst loses runs of datagrams.
	Burst Burst
	// Outage loses everything sent within periods of time.
	Outage Outage
	// Mask loses datagram i, counted from 0 since this mask was set, if bit i%64 is set.
	Mask uint64
	// Drop, if not nil, loses each datagram for which it reports true. It sees the payload as sent and must not keep
	// it. A run replays if Drop decides by what it has seen and by the network's time alone.
	Drop func(payload []byte) bool

	// Duplicate delivers a second copy, DuplicateDelay after the first.
	Duplicate      Probability
	DuplicateDelay time.Duration
	// Reorder holds a datagram back for ReorderDelay more than its delay.
	Reorder      Probability
	ReorderDelay time.Duration

	// Corrupt flips CorruptBits bits (1 if 0) at random places, as if the UDP checksum still held.
	Corrupt     Probability
	CorruptBits int
	// Truncate cuts a datagram to a random shorter length, 0 included.
	Truncate Probability
	// Extend appends 1..ExtendBytes random bytes (1..64 if 0).
	Extend      Probability
	ExtendBytes int

	// MTU, if not 0, is the largest payload that gets through; larger ones vanish without a report.
	MTU int

	// Rate, if not 0, is the capacity in bits a second. What comes faster waits in a queue of at most Queue bytes
	// behind the datagram being sent, or without limit if Queue is 0; what does not fit is lost. Lost datagrams take
	// capacity all the same, but for those that the queue itself refused.
	Rate  int64
	Queue int
	// Police, if not 0, makes Rate a policer: nothing waits, and what exceeds Rate by more than Police bytes is lost.
	Police int
	// Through, if not nil, is a bottleneck shared with other links, instead of Rate, Queue and Police.
	Through *Bottleneck
}

// Burst is loss in runs by a Gilbert-Elliott chain that moves with each datagram: Average of all datagrams are lost, in
// runs of Length datagrams in the mean. A sender that sends more gets over a run sooner; see [Outage] for the other
// kind.
type Burst struct {
	Average Probability
	Length  int // 1 or more, if Average is not 0
}

// Outage is loss in time: good and bad periods alternate, of exponential length, and all that is sent in a bad one is
// lost. Bad periods last Mean in the mean and cover Average of the time. [Network.OutageEnd] tells when one ends.
type Outage struct {
	Average Probability
	Mean    time.Duration // above 0, if Average is not 0
}

// Validate reports the first field that is out of its range. SetLink and SetDefault panic with its error.
func (c Conditions) Validate() error {
	for _, check := range []struct {
		name string
		bad  bool
	}{
		{"Delay, Jitter, DuplicateDelay and ReorderDelay must not be negative",
			min(c.Delay, c.Jitter, c.DuplicateDelay, c.ReorderDelay) < 0},
		{"Delay, Jitter, DuplicateDelay and ReorderDelay must be at most a year",
			max(c.Delay, c.Jitter, c.DuplicateDelay, c.ReorderDelay) > year},
		{"probabilities must not exceed Always",
			max(c.Loss, c.Burst.Average, c.Outage.Average, c.Duplicate, c.Reorder, c.Corrupt, c.Truncate, c.Extend) > Always},
		{"Burst.Length must be from 1 to 1,000,000", c.Burst.Average > 0 && (c.Burst.Length < 1 || c.Burst.Length > million)},
		{"Burst.Average cannot be reached with runs as short as Burst.Length", c.Burst.enter() > Always},
		{"Outage.Mean must be above 0 and at most a year", c.Outage.Average > 0 && (c.Outage.Mean <= 0 || c.Outage.Mean > year)},
		{"CorruptBits, ExtendBytes, MTU, Rate, Queue and Police must not be negative",
			min(c.CorruptBits, c.ExtendBytes, c.MTU, c.Queue, c.Police) < 0 || c.Rate < 0},
		{"Queue and Police must be at most 2^30, Rate at most 2^40", max(c.Queue, c.Police) > 1<<30 || c.Rate > 1<<40},
		{"Police needs a Rate", c.Police > 0 && c.Rate == 0},
	} {
		if check.bad {
			return fmt.Errorf("sim: %s", check.name)
		}
	}
	return nil
}

const year = 365 * 24 * time.Hour
