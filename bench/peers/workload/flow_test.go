package workload

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/bench/peers/measure"
	"github.com/gannet-net/gannet/bench/peers/peer"
)

// fakeConn keeps what is sent. It has no room for the first attempts of each message.
type fakeConn struct {
	peer.Moving
	full, tries int
	sent        [][]byte
	flushed     int
	awaited     int
}

func (c *fakeConn) Send(_ int, message []byte) error {
	if c.tries++; c.tries <= c.full {
		return peer.ErrFull
	}
	c.tries = 0
	c.sent = append(c.sent, append([]byte(nil), message...))
	return nil
}

func (c *fakeConn) Flush() { c.flushed++ }
func (c *fakeConn) Await() { c.awaited++ }
func (c *fakeConn) Close() {}

func TestAFlowSendsEachMessageOnceWhenItIsDue(t *testing.T) {
	c, f := &fakeConn{full: 2}, newFlow(Run{Seed: 1}, "flow", 0, 10, 64, 2*time.Millisecond)
	began := measure.Now()
	require.NoError(t, f.run(c))
	require.Len(t, c.sent, 10)
	require.Equal(t, 10, c.flushed)
	require.Equal(t, 20, c.awaited)
	for i, m := range c.sent {
		at, number := stamped(m)
		require.EqualValues(t, i, number)
		require.Equal(t, f.sent[i], at)
		require.GreaterOrEqual(t, at, began-int64(time.Millisecond/2)+int64(i)*int64(f.every))
	}
}

func TestAMessageIsLateFromItsStamp(t *testing.T) {
	f := newFlow(Run{}, "flow", 0, 3, 64, time.Millisecond)
	c := &fakeConn{}
	f.start()
	for range 3 {
		require.NoError(t, f.send(c, false))
	}
	f.receive(c.sent[2])
	f.receive(c.sent[0]) // after a later one
	f.receive(c.sent[0]) // twice
	late, undelivered := f.latencies()
	require.Len(t, late, 3)
	require.Equal(t, 1, undelivered)
	require.EqualValues(t, 2, f.received.Load())
	require.EqualValues(t, 1, f.misordered.Load())
	require.Greater(t, late[1], late[2], "what did not come is waited for still")
	late, undelivered = f.after(2)
	require.Len(t, late, 1)
	require.Zero(t, undelivered)
}

func TestASenderThatWasHeldUpCountsItsOwnWait(t *testing.T) {
	f, c := newFlow(Run{}, "flow", 0, 1, 64, time.Millisecond), &fakeConn{}
	f.start()
	f.due -= int64(time.Second)
	require.NoError(t, f.send(c, true))
	require.GreaterOrEqual(t, age(c.sent[0]), int64(time.Second)-int64(2*time.Millisecond))
}

func TestBadPeriodsAreTheSameInBothDirections(t *testing.T) {
	const seconds = 2000
	var now int64
	clock := func() int64 { return now }
	up, down, again := badPeriods(1, 0, clock), badPeriods(1, 1, clock), badPeriods(1, 0, clock)
	lost, both, differ := 0, 0, 0
	for range seconds * 1000 {
		now += int64(time.Millisecond)
		isLost, isLostDown := up(nil), down(nil)
		if isLost != again(nil) {
			differ++
		}
		if isLost {
			lost++
		}
		if isLost && isLostDown {
			both++
		}
	}
	require.Zero(t, differ, "a seed is one course")
	require.InEpsilon(t, 0.05*0.8+0.95*0.005, float64(lost)/seconds/1000, 0.1)
	require.InEpsilon(t, 0.05*0.8*0.8, float64(both)/seconds/1000, 0.1, "not independent")
}

func TestSeedsDifferByRunAndByName(t *testing.T) {
	seeds := map[uint64]bool{}
	for seed := range uint64(10) {
		for _, name := range []string{"", "a", "b", "ab"} {
			seeds[Run{Seed: seed}.seedOf(name)] = true
		}
	}
	require.Len(t, seeds, 40)
}

func TestARoomPassesEverythingOnToAllOfItsPlayers(t *testing.T) {
	var late measure.Histogram
	var counted counted
	app := newRoomsApp(crowdPlan{Message: roomMessage}, &late)
	conns := make([]*fakeConn, roomPlayers+1) // one more than a room holds
	receives := make([]peer.Receive, len(conns))
	for i := range conns {
		conns[i] = &fakeConn{}
		receives[i] = app.accept(conns[i])
	}
	message := make([]byte, roomMessage)
	for frame := range 3 {
		for number := range 2 {
			stamp(message, measure.Now(), uint64(2*frame+number))
			receives[5](0, message)
		}
		app.frame(&counted)
	}
	for i, c := range conns {
		if i == roomPlayers {
			require.Empty(t, c.sent, "of another room")
			continue
		}
		require.Len(t, c.sent, 6)
		for want, m := range c.sent {
			_, number := stamped(m)
			require.EqualValues(t, want, number)
		}
	}
	require.EqualValues(t, 6*roomPlayers, counted.sent)
	require.EqualValues(t, 6, late.Count())
}
