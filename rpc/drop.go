package rpc

import (
	"fmt"
	"iter"
	"strings"
)

// Drop is why a call that came in did not run. Every frame ends in exactly one: Handled, or the first check of CALLS.md 4 that it failed.
type Drop uint8

// The ways a call can end, in the order of CALLS.md 4.
const (
	Handled Drop = iota // not dropped

	DropEmpty     // has no whole head
	DropUnknown   // no method has its index
	DropMode      // came in another mode or on another channel than its contract says
	DropNoHandler // nothing is bound to its static interface
	DropState     // the session is in none of its states
	DropRate      // above the rate of its method
	DropBudget    // above what its peer may use in all
	DropDuplicate // a request that was seen
	DropSize      // shorter or longer than any call of its method
	DropPhase     // the queue of its phase was full
	DropWaiting   // it waited for its object, in vain
	DropTarget    // no object has its net id
	DropType      // the object is bound to another interface
	DropOwner     // the object is not its caller's
	DropSession   // its session ended while it waited, or by Config.OnFlood
	DropLate      // its caller does not wait any more
	DropBusy      // too many requests of its peer are not answered yet
	DropMalformed // an argument does not decode
	DropUnread    // something is left when it is decoded
	DropPanic     // its handler panicked
	DropStray     // a control frame for which nothing waits
)

// NumDrops is the number of values of Drop, Handled among them.
const NumDrops = int(DropStray) + 1

var drops = [NumDrops]struct {
	name      string
	malformed bool
	status    status // that a request is answered with
}{
	Handled:       {"handled", false, statusDone},
	DropEmpty:     {"empty", true, noStatus},
	DropUnknown:   {"unknown", true, noStatus},
	DropMode:      {"mode", true, noStatus},
	DropNoHandler: {"no-handler", false, statusNoHandler},
	DropState:     {"state", false, statusState},
	DropRate:      {"rate", false, statusRate},
	DropBudget:    {"budget", false, statusRate},
	DropDuplicate: {"duplicate", false, noStatus},
	DropSize:      {"size", true, statusMalformed},
	DropPhase:     {"phase", false, statusBusy},
	DropWaiting:   {"waiting", false, statusTarget},
	DropTarget:    {"target", false, statusTarget},
	DropType:      {"type", false, statusTarget},
	DropOwner:     {"owner", false, statusOwner},
	DropSession:   {"session", false, noStatus},
	DropLate:      {"late", false, statusDeadline},
	DropBusy:      {"busy", false, statusBusy},
	DropMalformed: {"malformed", true, statusMalformed},
	DropUnread:    {"unread", true, statusMalformed},
	DropPanic:     {"panic", false, statusPanic},
	DropStray:     {"stray", false, noStatus},
}

// String gives the name of d as CALLS.md 4 has it, "handled" for Handled.
func (d Drop) String() string {
	if int(d) < NumDrops {
		return drops[d].name
	}
	return fmt.Sprintf("Drop(%d)", uint8(d))
}

// Malformed reports whether no sender with the same contracts makes such a call.
func (d Drop) Malformed() bool { return int(d) < NumDrops && drops[d].malformed }

// Drops counts the calls that ended in each Drop but Handled. It is a plain array: copy it to keep a snapshot.
type Drops [NumDrops]uint64

// Total is how many calls were dropped.
func (d Drops) Total() uint64 {
	var sum uint64
	for _, n := range d {
		sum += n
	}
	return sum
}

// All yields each reason that was counted at least once, with its count, in the order of CALLS.md 4.
func (d Drops) All() iter.Seq2[Drop, uint64] {
	return func(yield func(Drop, uint64) bool) {
		for drop, n := range d {
			if n > 0 && !yield(Drop(drop), n) {
				return
			}
		}
	}
}

// String gives the counts as "rate=3 target=1", and "none" if nothing was dropped.
func (d Drops) String() string {
	var s strings.Builder
	for drop, n := range d.All() {
		if s.Len() > 0 {
			s.WriteByte(' ')
		}
		fmt.Fprintf(&s, "%v=%d", drop, n)
	}
	if s.Len() == 0 {
		return "none"
	}
	return s.String()
}
