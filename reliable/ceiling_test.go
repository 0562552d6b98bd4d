package reliable

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// fullLoop is an application that takes a turn now and then. Its datagrams are full.
type fullLoop struct {
	*script
	room int
}

// onBothWires plays f with an endpoint of each protocol, which may send a full datagram each millisecond and has been silent for a while.
func onBothWires(t *testing.T, f func(t *testing.T, l fullLoop)) {
	ceiling := func(c *Config) { c.SendCeiling = 1_228_000 }
	play := func(s *script, room int) func(t *testing.T) {
		return func(t *testing.T) {
			l := fullLoop{s, room}
			l.turn(time.Second)
			f(t, l)
		}
	}
	t.Run("base", play(newConnected(t, ceiling), 1199))
	t.Run("packets", play(newPackets(t, ceiling).script, 1135))
}

func (l fullLoop) queue(datagrams int) {
	for range datagrams {
		require.NoError(l.t, l.e.Send(l.now, make([]byte, l.room), SendOptions{}))
	}
}

// turn takes a turn after a while, and returns how many datagrams leave.
func (l fullLoop) turn(after time.Duration) (left int) {
	for l.wait(after); len(l.e.PollDatagram(l.now, nil)) > 0; {
		left++
	}
	return left
}

func TestALoopThatRuns50TimesASecondHasTheWholeCeiling(t *testing.T) {
	onBothWires(t, func(t *testing.T, l fullLoop) {
		left := 0
		for range 10 {
			l.queue(40)
			left += l.turn(20 * ms)
		}
		require.InDelta(t, 10+9*20, left, 8) // those of the packet wire are 2 % smaller
	})
}

func TestALateTurnMakesUpForNoMoreThan20Milliseconds(t *testing.T) {
	onBothWires(t, func(t *testing.T, l fullLoop) {
		l.queue(60)
		require.InDelta(t, 10, l.turn(0), 1)
		require.InDelta(t, 10+20, l.turn(200*ms), 2)
	})
}

func TestWhatTheCeilingDidNotHoldBackIsNotMadeUpFor(t *testing.T) {
	onBothWires(t, func(t *testing.T, l fullLoop) {
		l.queue(13)
		require.InDelta(t, 10, l.turn(0), 1)
		require.InDelta(t, 3, l.turn(16*ms), 1)
		l.queue(60)
		require.InDelta(t, 10, l.turn(16*ms), 1, "a burst, as ever")
	})
}

func TestABurstAfterWhichNothingWaitsLeavesNothingToMakeUpFor(t *testing.T) {
	onBothWires(t, func(t *testing.T, l fullLoop) {
		for l.queue(1); l.turn(0) > 0; { // until the ceiling holds one back
			l.queue(1)
		}
		l.now = l.e.NextDeadline()
		require.Equal(t, 1, l.turn(0))
		l.queue(60)
		require.InDelta(t, 10, l.turn(16*ms), 1)
	})
}
