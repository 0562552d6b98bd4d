package msgs

import (
	"fmt"
	"iter"
	"strings"
)

// Drop is why a message that came in was not handled. Every message ends in exactly one: Handled, or the first check of MESSAGES.md 4 that it failed.
type Drop uint8

// The ways a message can end, in the order of MESSAGES.md 4.
const (
	Handled Drop = iota // not dropped

	DropSession      // its session has not begun, or this side has ended it
	DropEmpty        // has no whole id
	DropChannel      // no catalogue has messages on its channel
	DropUnknown      // an id that the catalogue does not have
	DropDirection    // not for this side to receive
	DropWrongChannel // the catalogue has it on another channel
	DropDelivery     // came in another mode than the catalogue says
	DropSize         // shorter or longer than any of its type
	DropNoHandler    // nothing here handles it
	DropQueue        // for the next frame, and the queue is full
	DropState        // the session is in none of its states
	DropMalformed    // does not decode, or Validate refuses it
	DropUnread       // bytes are left when it is decoded
	DropPanic        // its handler panicked
)

// NumDrops is the number of values of Drop, Handled among them.
const NumDrops = int(DropPanic) + 1

var drops = [NumDrops]struct {
	name      string
	malformed bool
}{
	Handled:          {"handled", false},
	DropSession:      {"session", false},
	DropEmpty:        {"empty", true},
	DropChannel:      {"channel", true},
	DropUnknown:      {"unknown", false},
	DropDirection:    {"direction", true},
	DropWrongChannel: {"wrong-channel", true},
	DropDelivery:     {"delivery", true},
	DropSize:         {"size", true},
	DropNoHandler:    {"no-handler", false},
	DropQueue:        {"queue", false},
	DropState:        {"state", false},
	DropMalformed:    {"malformed", true},
	DropUnread:       {"unread", true},
	DropPanic:        {"panic", false},
}

// String gives the name of d as MESSAGES.md 4 has it, "handled" for Handled.
func (d Drop) String() string {
	if int(d) < NumDrops {
		return drops[d].name
	}
	return fmt.Sprintf("Drop(%d)", uint8(d))
}

// Malformed reports whether no sender of the same catalogue makes such a message. More than Config.Malformed of them are abuse.
func (d Drop) Malformed() bool { return int(d) < NumDrops && drops[d].malformed }

// Drops counts the messages that ended in each Drop but Handled. It is a plain array: copy it to keep a snapshot.
type Drops [NumDrops]uint64

// Total is how many messages were dropped.
func (d Drops) Total() uint64 {
	var sum uint64
	for _, n := range d {
		sum += n
	}
	return sum
}

// All yields each reason that was counted at least once, with its count, in the order of MESSAGES.md 4.
func (d Drops) All() iter.Seq2[Drop, uint64] {
	return func(yield func(Drop, uint64) bool) {
		for drop, n := range d {
			if n > 0 && !yield(Drop(drop), n) {
				return
			}
		}
	}
}

// String gives the counts as "unknown=3 malformed=1", and "none" if nothing was dropped.
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
