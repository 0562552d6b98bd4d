package reliable

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// backlog is one side of twins with so many small messages that wait, of which nothing left yet.
func backlog(t *testing.T, messages int, o SendOptions) *twins {
	w := newTwins(t, 0)
	w.poll(0) // which tells the clock
	for i := range messages {
		both(w, 0, func(e *Endpoint) error { return e.Send(w.now, []byte(strings.Repeat("x", i%100)), o) })
	}
	return w
}

func TestABacklogOfSmallMessagesTakesASlotForEachPacket(t *testing.T) {
	w := backlog(t, 200, SendOptions{Mode: ReliableOrdered})
	w.poll(0)
	short, long := w.ends[0][0], w.ends[0][1]
	require.Equal(t, 200, len(long.queue.due.entries))
	require.Less(t, len(short.queue.due.entries), 25)
	w.requireEqualInside()
}

func TestWhatAsksForSomethingIsNotBunched(t *testing.T) {
	for what, o := range map[string]SendOptions{
		"a time to live": {Mode: ReliableOrdered, TTL: time.Hour},
		"a replace key":  {Mode: ReliableUnordered, ReplaceKey: 1},
		"a receipt":      {Mode: ReliableOrdered, Receipt: 1},
		"haste":          {Mode: ReliableOrdered, Urgent: true},
		"the newest":     {Mode: ReliableSequenced},
		"no promise":     {Mode: Unreliable},
	} {
		w := backlog(t, 50, o)
		for i := range w.ends[0][0].queue.slots {
			require.Zero(t, w.ends[0][0].queue.slots[i].bunched, what)
		}
	}
}

func TestABunchIsTakenApartWhenItsPacketIsLost(t *testing.T) {
	w := backlog(t, 300, SendOptions{Mode: ReliableOrdered})
	w.poll(0)
	w.air[1] = w.air[1][2:]
	before := w.ends[0][0].queue.bunches
	for range 300 { // everything arrives but the first two packets, and acks come back
		w.deliver(1)
		w.deliver(0)
		w.poll(0)
		w.poll(1)
		w.now += int64(ms)
	}
	require.Greater(t, int(before), 10)
	require.EqualValues(t, 0, w.ends[0][0].queue.bunches)
	require.Zero(t, both(w, 0, func(e *Endpoint) int { return e.queue.undelivered() }), "what was lost was sent again")
	w.requireEqualInside()
}

func TestABunchThatIsGivenUpCountsAsItsMessages(t *testing.T) {
	w := backlog(t, 300, SendOptions{Mode: ReliableUnordered})
	for range 3 {
		both(w, 0, func(e *Endpoint) string { return string(e.PollDatagram(w.now, nil)) })
	}
	require.EqualValues(t, 4, w.ends[0][0].queue.bunches, "one packet has parts of two")
	both(w, 0, func(e *Endpoint) State { e.Abort(w.now); return e.State() })
	both(w, 0, (*Endpoint).Stats)
	both(w, 0, func(e *Endpoint) int {
		ev, ok := e.PollEvent()
		for ok && ev.Kind != EventDisconnected {
			ev, ok = e.PollEvent()
		}
		return ev.Undelivered
	})
	require.Zero(t, w.ends[0][0].pool.Outstanding())
}

func TestSmallMessagesBetweenOthersTakeLittleMemory(t *testing.T) {
	w := backlog(t, 10, SendOptions{Mode: ReliableOrdered})
	for i := range 100 {
		both(w, 0, func(e *Endpoint) error {
			return e.Send(w.now, []byte("x"), SendOptions{Mode: ReliableOrdered, Receipt: uint64(i % 2)})
		})
	}
	q, held := &w.ends[0][0].queue, 0
	for i := range q.slots {
		held += cap(q.slots[i].payload)
	}
	require.Less(t, held, 110*fewRoom)
	w.poll(0)
	w.requireEqualInside()
}

func TestAProbeCarriesMessagesOfBunches(t *testing.T) {
	w := backlog(t, 200, SendOptions{Mode: ReliableOrdered})
	w.poll(0)
	require.NotZero(t, w.ends[0][0].queue.bunches)
	w.now += int64(time.Second) // the send ceiling lets it leave
	probe := both(w, 0, func(e *Endpoint) string {
		e.repair.outage, e.repair.probeAt = true, w.now
		return string(e.PollDatagram(w.now, nil))
	})
	require.NotEmpty(t, probe)
	w.requireEqualInside()
}

func TestABunchOfBulkThatIsLostLeavesAgain(t *testing.T) {
	s := newBulk(t, &fixed{window: 1 << 30, rate: 1 << 40})
	for i := range 60 {
		s.send(size(100, fmt.Sprint("message ", i, " ")), onBulk)
	}
	sent := s.run(ms)
	require.Len(t, sent, 6)
	require.NotZero(t, s.e.queue.bunches)
	s.wait(50 * ms).gets("ack @0 and @1-3 @5")
	require.Empty(t, s.run(10*ms), "it may be late")
	s.gets("ack @0 and @1-3 @5")
	require.Equal(t, []string{sent[1]}, s.run(ms), "message by message, as it was")
	require.EqualValues(t, 11, s.e.Stats().Repairs)
}

func TestAPacketCarriesMessagesOfABunchAgain(t *testing.T) {
	s := newSettled(t, func(c *Config) { c.Budget = 200 })
	for range bunchFrom {
		s.queues(ReliableOrdered, size(140, "large"))
	}
	a, b := size(40, "a"), size(40, "b")
	s.queues(ReliableOrdered, a).queues(ReliableOrdered, b)
	require.Equal(t, "ordered 8 "+a+"; ordered 9 "+b, s.poll()[1])
	require.EqualValues(t, 1, s.e.queue.bunches)
	s.e.repair.missed, s.e.packets.tick.period = missScale*5/100, int64(30*ms)
	s.wait(30*ms).queues(ReliableOrdered, "c").sends("ordered 10 c; ordered 9 " + b + "; ordered 8 " + a)
}
