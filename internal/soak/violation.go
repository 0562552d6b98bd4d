package soak

import (
	"fmt"
	"time"
)

// Invariant is a promise that holds after everything that happens.
type Invariant uint8

// The invariants, I1 to I14.
const (
	_              Invariant = iota
	OnceInOrder              // reliable messages come exactly once, in order where that was asked for; no other comes twice or, if sequenced, late
	AsSent                   // no byte is handed out that the peer did not send
	AckedIsKept              // what is reported as delivered is handed out
	Bounded                  // each queue stays below its bound
	Live                     // once faults are over, all that is reliable arrives, and soon
	Events                   // Connected once, Disconnected once, nothing after it; no id is given again too soon
	Agreed                   // both ends tell who left and why
	NoAmplifier              // nobody who has not proved to be at an address has much sent there
	NoncesOnce               // no packet number is used twice under one key
	DeadlinesFit             // deadlines and round trips stay within their bounds
	OnlySilence              // nothing but silence times out, and silence does
	SilentAfterEnd           // who is over sends nothing
	FewTimers                // one timer for each peer, and no more
	BooksBalance             // every datagram of the network is accounted for
)

var invariantNames = [...]string{"", "I1 once and in order", "I2 as sent", "I3 acked is kept", "I4 bounded", "I5 live", "I6 events", "I7 agreed", "I8 no amplifier",
	"I9 nonces once", "I10 deadlines fit", "I11 only silence", "I12 silent after the end", "I13 few timers", "I14 books balance"}

// String gives the number and the name of i.
func (i Invariant) String() string { return invariantNames[i] }

// Violation is an invariant that did not hold.
type Violation struct {
	Invariant Invariant
	At        time.Duration // of the network's time
	Text      string
}

// Error says what was wrong, and when.
func (v *Violation) Error() string { return fmt.Sprintf("%v, at %v: %s", v.Invariant, v.At, v.Text) }

// fail takes note of the first violation. The world stops at it.
func (w *world) fail(i Invariant, format string, args ...any) {
	if w.broken == nil {
		w.broken = &Violation{i, time.Duration(w.nw.Now()), fmt.Sprintf(format, args...)}
		w.nw.Note("violation: " + w.broken.Text)
	}
}
