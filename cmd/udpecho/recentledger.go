package main

import (
	"errors"
	"fmt"

	"github.com/gannet-net/gannet/transport"
)

// recentMessages is how many messages a recentLedger remembers: half a minute of 60 a second, while no connection lives through 10 s of silence.
const recentMessages = 2048

// recentLedger is a ledger that takes the same memory however long it goes on: it knows the latest messages of a stream one by one, and counts
// the others. It belongs to one goroutine at a time.
type recentLedger struct {
	stream  uint32
	mode    transport.Delivery
	slots   [recentMessages]recentMessage // message n is in slot n % recentMessages
	next    uint32                        // number of the message that an ordered stream has to deliver next
	scratch []byte

	streamReport
	foreign int // never sent, or so long ago that nobody knows, or not as it was sent
}

// recentMessage is one of the latest messages.
type recentMessage struct {
	sentAt  int64
	arrived bool
}

func newRecentLedger(stream uint32, mode transport.Delivery) *recentLedger {
	return &recentLedger{stream: stream, mode: mode}
}

// message gives the bytes of the message that is sent next, good until the next call of any method.
func (l *recentLedger) message() []byte {
	number := uint32(l.Sent)
	l.scratch = appendMessage(l.scratch[:0], l.stream, number, sizeOfRecent(number))
	return l.scratch
}

// sizeOfRecent makes messages of the sizes that a game has.
func sizeOfRecent(number uint32) int { return numberSize + int(scramble(uint64(number))%120) }

// noteSent notes that the message was sent.
func (l *recentLedger) noteSent(at int64) {
	l.slots[l.Sent%recentMessages] = recentMessage{sentAt: at}
	l.Sent++
}

// arrive notes that a message came in. It reports how long it took, how many had been sent by then from this one on, and whether it was a new one.
func (l *recentLedger) arrive(message []byte, at int64) (latency int64, sent int, isNew bool) {
	number, ok := numberOf(message)
	if !ok || !l.knows(number) || !isMessage(message, l.stream, number, sizeOfRecent(number), &l.scratch) {
		l.foreign++
		return 0, 0, false
	}
	slot := &l.slots[number%recentMessages]
	if slot.arrived {
		l.Duplicates++
		return 0, 0, false
	}
	slot.arrived = true
	l.Delivered++
	if l.mode == transport.ReliableOrdered && number != l.next {
		l.OutOfOrder++
	}
	l.next = number + 1
	return at - slot.sentAt, l.Sent - int(number), true
}

func (l *recentLedger) knows(number uint32) bool {
	return int(number) < l.Sent && l.Sent-int(number) <= recentMessages
}

// broken says which promises do not hold now that everything should have arrived; nil if all do.
func (l *recentLedger) broken() error {
	var problems []error
	add := func(n int, what string) {
		if n > 0 {
			problems = append(problems, fmt.Errorf("%d of %d %v messages %s", n, l.Sent, l.mode, what))
		}
	}
	add(l.foreign, "were never sent like that")
	add(l.Duplicates, "were delivered twice")
	if l.mode.Reliable() {
		add(l.Sent-l.Delivered, "never arrived")
		add(l.OutOfOrder, "came out of order")
	}
	return errors.Join(problems...)
}
