package reliable

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestAClockThatJumpsTellsNothingOfThePath(t *testing.T) {
	for _, away := range []time.Duration{3 * time.Second, time.Hour} {
		s, seq := settled(t)
		for range 8 {
			s.queues(ReliableOrdered, "x").run(33 * ms)
		}
		s.wait(away)
		for i := range 8 {
			s.gets(fmt.Sprintf("ack %d", seq+i))
		}
		require.Equal(t, 54*ms, s.e.Stats().Deadline, away)
		s.queues(ReliableOrdered, "y")
		require.Contains(t, s.run(60*ms), fmt.Sprintf("54ms reliable %d y", seq+8), "and a lost message is not late")
	}
}

// A clock that jumps in an outage: the first ack would be taken for another path.
func TestAClockThatJumpsInAnOutageIsNoOtherPath(t *testing.T) {
	s, seq := settled(t)
	s.e.repair.wasStretched = true
	s.queues(ReliableOrdered, "x").poll()
	s.wait(time.Hour).gets(fmt.Sprintf("ack %d", seq))
	require.Equal(t, 54*ms, s.e.Stats().Deadline)
}

func TestASampleThatMakesAnotherPathStaysInItsBounds(t *testing.T) {
	s, _ := settled(t)
	s.e.repair.wasStretched = true
	s.e.cleanSample(s.now, int64(time.Hour))
	require.Equal(t, 10*time.Second, s.e.Stats().RTTSmoothed)
}

func TestAClockThatJumpsTellsNothingOfThePathOfPackets(t *testing.T) {
	s := newPackets(t).exchanges(0)
	before := s.e.Stats()
	s.queues(ReliableOrdered, "x").poll()
	s.wait(time.Hour).gets("ack @0")
	require.Equal(t, before.RTTSmoothed, s.e.Stats().RTTSmoothed)
	require.Equal(t, before.Deadline, s.e.Stats().Deadline)
}

func TestASlowLoopIsNotAway(t *testing.T) {
	s, seq := settled(t)
	s.queues(ReliableOrdered, "x").poll()
	s.wait(1500 * ms).gets(fmt.Sprintf("ack %d", seq))
	require.Greater(t, s.e.Stats().RTTSmoothed, 100*ms, "what waits for the loop is a part of the round trip")
}

// stopsPeer sends 30 messages while the peer is stopped. Then all are acked but the last, which is lost: each of these acks is a clean sample, of seconds.
func (s *script) stopsPeer(seq int) (lost string) {
	const held = 30
	for range held {
		s.queues(ReliableOrdered, "x").run(200 * ms)
	}
	for i := range held - 1 {
		s.gets(fmt.Sprintf("ack %d", seq+i))
	}
	require.Greater(s.t, s.e.Stats().Deadline, time.Second, "as long as the peer was away")
	s.run(10 * ms) // it is sent again, and lost again
	return fmt.Sprintf("reliable %d x", seq+held-1)
}

func TestWhatIsLostAsAStoppedPeerRunsAgainIsRepairedSoon(t *testing.T) {
	s, seq := settled(t)
	lost := s.stopsPeer(seq)
	s.queues(ReliableOrdered, "y").poll()
	s.run(50 * ms)
	s.gets(fmt.Sprintf("ack %d", seq+30))
	require.Equal(t, 50*ms, s.e.Stats().RTTSmoothed, "what left since tells of the path")
	require.Contains(t, s.run(s.e.Stats().Deadline), "4ms "+lost, "a deadline after it left")
}

func TestAPathThatIsLongAfterAnOutageStaysLong(t *testing.T) {
	s, seq := settled(t)
	s.stopsPeer(seq)
	before := s.e.Stats().RTTSmoothed
	s.queues(ReliableOrdered, "y").poll()
	s.run(before * 2 / 3)
	s.gets(fmt.Sprintf("ack %d", seq+30))
	require.Greater(t, s.e.Stats().RTTSmoothed, before*7/8)
}
