package reliable

import "time"

const (
	// pendingAcks bounds the acks that wait to be sent; what is beyond is acked when its message comes again.
	pendingAcks = 1024

	repeatGap   = int64(3 * time.Millisecond)
	lateCopy    = int64(25 * time.Millisecond) // a copy of one round of repairs comes sooner than this
	lossScale   = 1 << 16
	repeatAbove = lossScale / 10
	lossWindow  = 64
)

// repeatedAck is the second copy of an ack on a path that loses many.
type repeatedAck struct {
	seq int32
	at  int64
}

// acknowledge answers one Reliable with an Ack of its own, and a second one a little later if many get lost.
func (e *Endpoint) acknowledge(now int64, seq int32) {
	if e.acks.len() < pendingAcks {
		e.acks.push(seq)
	}
	if e.reverse.share > repeatAbove && e.repeats.len() < pendingAcks {
		e.repeats.push(repeatedAck{seq, now + repeatGap})
	}
}

// ackLoss estimates which share of our acks is lost: a message that comes again later than a copy of the same round would has
// not been acked in the eyes of its sender.
type ackLoss struct {
	share int64 // in 1/lossScale
	seen  []arrival
}

type arrival struct {
	seq int32
	at  uint32 // see arrivalTime, 0 once it was counted
}

// arrivalTime is a time in 64 us, as exact as it has to be; never 0.
func arrivalTime(now int64) uint32 { return uint32(now>>16) | 1 }

func (a *ackLoss) first(now int64, seq int32) {
	if a.seen == nil {
		a.seen = make([]arrival, lossWindow)
	}
	*a.slot(seq) = arrival{seq, arrivalTime(now)}
	a.share -= a.share / lossWindow
}

func (a *ackLoss) again(now int64, seq int32) {
	if a.seen == nil {
		return
	}
	if s := a.slot(seq); s.seq == seq && s.at != 0 && arrivalTime(now)-s.at >= uint32(lateCopy>>16) {
		s.at = 0
		a.share += lossScale / lossWindow
	}
}

func (a *ackLoss) slot(seq int32) *arrival { return &a.seen[uint32(seq)%lossWindow] }
