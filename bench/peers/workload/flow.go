package workload

import (
	"errors"
	"math/rand/v2"
	"sync/atomic"
	"time"

	"github.com/gannet-net/gannet/bench/peers/measure"
	"github.com/gannet-net/gannet/bench/peers/peer"
)

// flow is messages at a steady rate in one direction of a connection.
type flow struct {
	every   time.Duration
	message []byte
	lane    int
	jitter  *rand.Rand // each message leaves up to half a millisecond early or late, so that no two clocks keep step

	first int64   // when message 0 is due
	sent  []int64 // when each message was
	due   int64   // when the next one is

	late       []int64 // how late each message came, 0 if it did not
	received   atomic.Int64
	misordered atomic.Int64 // messages that came after a later one
	highest    int64
}

func newFlow(r Run, name string, lane, count, size int, every time.Duration) *flow {
	f := &flow{
		every: every, message: make([]byte, size), lane: lane, jitter: rand.New(rand.NewPCG(r.seedOf(name), 0)),
		sent: make([]int64, 0, count), late: make([]int64, count), highest: -1,
	}
	return f
}

// start lets the first message be due somewhere within the next period.
func (f *flow) start() {
	f.first = measure.Now() + f.jitter.Int64N(int64(f.every))
	f.plan()
}

// plan settles when the next message is due.
func (f *flow) plan() {
	const half = int64(time.Millisecond / 2)
	f.due = f.first + int64(len(f.sent))*int64(f.every) + f.jitter.Int64N(2*half) - half
}

func (f *flow) done() bool { return len(f.sent) == cap(f.sent) }

// left is how long the next message still waits.
func (f *flow) left() time.Duration { return time.Duration(f.due - measure.Now()) }

// run sends all messages, and drives the connection in between.
func (f *flow) run(c peer.Conn) error {
	for f.start(); !f.done(); {
		late := f.left() <= 0 // the sender itself was held up: its wait counts
		for d := f.left(); d > 0; d = f.left() {
			c.Drive(d)
		}
		if err := f.send(c, late); err != nil {
			return err
		}
	}
	return nil
}

// send sends the message that is due. Its time is the present, or if late that at which it was due.
func (f *flow) send(c peer.Conn, late bool) error {
	at := measure.Now()
	if late {
		at = f.due
	}
	stamp(f.message, at, uint64(len(f.sent)))
	for {
		err := c.Send(f.lane, f.message)
		if err == nil {
			break
		}
		if !errors.Is(err, peer.ErrFull) {
			return err
		}
		c.Await()
	}
	c.Flush()
	f.sent = append(f.sent, at)
	if !f.done() {
		f.plan()
	}
	return nil
}

// receive notes a message of the flow.
func (f *flow) receive(message []byte) {
	sent, number := stamped(message)
	if number >= uint64(len(f.late)) || f.late[number] != 0 {
		return
	}
	f.late[number] = max(measure.Now()-sent, 1)
	if int64(number) < f.highest {
		f.misordered.Add(1)
	}
	f.highest = max(f.highest, int64(number))
	f.received.Add(1)
}

// settle drives the connection until everything has arrived, for some time at most.
func (f *flow) settle(c peer.Conn, d time.Duration) {
	for deadline := time.Now().Add(d); f.received.Load() < int64(len(f.sent)) && time.Now().Before(deadline); {
		c.Drive(5 * time.Millisecond)
	}
}

// latencies are how late the messages came. One that did not come counts with the time that it was waited for.
func (f *flow) latencies() (all []int64, undelivered int) { return f.after(0) }

// after is latencies without the first messages.
func (f *flow) after(first int) (all []int64, undelivered int) {
	now := measure.Now()
	for i, sent := range f.sent[first:] {
		late := f.late[first+i]
		if late == 0 {
			undelivered++
			late = now - sent
		}
		all = append(all, late)
	}
	return all, undelivered
}
