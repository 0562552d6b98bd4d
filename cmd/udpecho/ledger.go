package main

import (
	"errors"
	"fmt"

	"github.com/gannet-net/gannet/transport"
)

// ledger keeps the fate of the numbered messages of one stream: one direction of one connection, in one mode. It knows what each must
// look like, so that nothing changed, mixed up or made up passes. It belongs to one goroutine at a time.
type ledger struct {
	stream  uint32
	mode    transport.Delivery
	once    bool    // lossy messages come once at most as well
	entries []entry // by number
	highest int     // number of the latest message that arrived, -1 before the first
	scratch []byte

	sent, delivered int
	duplicates      int // arrived again
	outOfOrder      int // arrived after one that was sent later
	foreign         int // never sent, or not as it was sent
	skipped         int // of an ordered stream: not there although later ones are
	told            int // not there when their connection ended, of which the sender was told
	bytes           int // of the delivered messages
}

// entry is one message.
type entry struct {
	sentAt  int64
	latency int64 // valid if it arrived
	size    int32
	sent    bool
	arrived bool
}

func newLedger(stream uint32, mode transport.Delivery, room int) *ledger {
	return &ledger{stream: stream, mode: mode, entries: make([]entry, 0, room), highest: -1}
}

// send notes that a message of that number and size is sent at that time, and returns its bytes, which are good until the next call.
func (l *ledger) send(number uint32, size int, at int64) []byte {
	l.noteSent(number, size, at)
	l.scratch = appendMessage(l.scratch[:0], l.stream, number, size)
	return l.scratch
}

func (l *ledger) noteSent(number uint32, size int, at int64) {
	for int(number) >= len(l.entries) {
		l.entries = append(l.entries, entry{})
	}
	e := &l.entries[number]
	if !e.sent {
		*e = entry{sentAt: at, size: int32(size), sent: true}
		l.sent++
	}
}

// arrive notes that a message came in at that time. It reports whether it was a new one, and its number and latency.
func (l *ledger) arrive(message []byte, at int64) (number uint32, latency int64, isNew bool) {
	number, ok := numberOf(message)
	if !ok || int(number) >= len(l.entries) || !l.entries[number].sent ||
		!isMessage(message, l.stream, number, int(l.entries[number].size), &l.scratch) {
		l.foreign++
		return number, 0, false
	}
	e := &l.entries[number]
	if e.arrived {
		l.duplicates++
		return number, e.latency, false
	}
	e.arrived, e.latency = true, at-e.sentAt
	l.delivered++
	l.bytes += len(message)
	if int(number) < l.highest {
		l.outOfOrder++
	}
	l.highest = max(l.highest, int(number))
	return number, e.latency, true
}

// endSession notes that the connection is over that carried the messages from number first up to, but not including, number end. Those
// that did not arrive will not any more: whoever sent them was told.
func (l *ledger) endSession(first, end int) {
	for number := first; number < end; number++ {
		if l.entries[number].arrived {
			continue
		}
		l.told++
		if l.mode == transport.ReliableOrdered && number < l.highest {
			l.skipped++
		}
	}
}

// awaited is how many messages may still arrive.
func (l *ledger) awaited() int { return l.sent - l.delivered - l.told }

// latencies gives those of the messages that arrived, in the order in which they were sent.
func (l *ledger) latencies() []int64 {
	all := make([]int64, 0, l.delivered)
	for i := range l.entries {
		if l.entries[i].arrived {
			all = append(all, l.entries[i].latency)
		}
	}
	return all
}

// complete reports whether everything arrived that must: all messages, or the newest where that stands for those before it.
func (l *ledger) complete() bool {
	switch l.mode {
	case transport.ReliableOrdered, transport.ReliableUnordered:
		return l.awaited() == 0
	case transport.ReliableSequenced:
		return l.highest == len(l.entries)-1
	}
	return true
}

// inOrder reports whether a message must not come after one that was sent later.
func (l *ledger) inOrder() bool {
	return l.mode != transport.Unreliable && l.mode != transport.ReliableUnordered
}

// broken says which promises of the mode do not hold now that everything should have arrived; nil if all do.
func (l *ledger) broken() error {
	var problems []error
	add := func(n int, what string) {
		if n > 0 {
			problems = append(problems, fmt.Errorf("%d of %d %v messages %s", n, l.sent, l.mode, what))
		}
	}
	add(l.foreign, "were never sent like that")
	if l.once || l.mode != transport.Unreliable {
		add(l.duplicates, "were delivered twice")
	}
	add(l.skipped, "were skipped")
	if !l.complete() && l.mode == transport.ReliableSequenced {
		add(len(l.entries)-1-l.highest, "are newer than all that arrived")
	} else if !l.complete() {
		add(l.awaited(), "never arrived")
	}
	if l.inOrder() {
		add(l.outOfOrder, "came out of order")
	}
	return errors.Join(problems...)
}
