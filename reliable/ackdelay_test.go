package reliable

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// exchanges lets the peer ack a message after so much more than a round trip.
func (s *packets) exchanges(delay time.Duration) *packets {
	s.t.Helper()
	s.queues(ReliableUnordered, "x").poll()
	s.wait(50*ms + delay).gets(fmt.Sprintf("ack @0 late %d", delay/(ms/4)))
	s.poll()
	return s
}

func (s *packets) ackDelay() time.Duration { return time.Duration(s.e.packets.path.delay) }

func TestFirstAcksAreTakenAtTheirWord(t *testing.T) {
	s := newPackets(t)
	require.Zero(t, s.ackDelay())
	require.Equal(t, 20*ms, s.exchanges(20*ms).ackDelay())
	require.Equal(t, 30*ms, s.exchanges(30*ms).ackDelay())
	for range firstAcks - 3 {
		require.Equal(t, 30*ms, s.exchanges(10*ms).ackDelay())
	}
	require.Equal(t, 40*ms, s.exchanges(40*ms).ackDelay())
	require.Equal(t, 40*ms-ms/4, s.exchanges(10*ms).ackDelay(), "then they go into an estimate")
	require.Equal(t, 40*ms+ms/2, s.exchanges(50*ms).ackDelay())
}

func TestAckThatIsHardlyDelayedStatesNoDelay(t *testing.T) {
	s := newPackets(t).exchanges(ms - ms/4)
	require.Zero(t, s.ackDelay())
	require.Equal(t, ms, s.exchanges(ms).ackDelay())
}

func TestSideThatAcksOnItsTickExpectsThatOfThePeerAtFirst(t *testing.T) {
	s := newPackets(t, func(c *Config) { c.AckOnTick = true })
	deadline := time.Duration(s.e.rtt.timeout())
	s.queues(ReliableOrdered, "a").poll()
	require.Empty(t, s.run(deadline+55*ms-1))
	require.Len(t, s.run(1), 1)
	s.wait(10 * ms).gets("ack @1 late 20").poll()
	require.Equal(t, 5*ms, s.ackDelay(), "until it tells")
}

func TestAPeerThatMayWaitForTheNextAckGetsItAtOnce(t *testing.T) {
	s := newPackets(t)
	for i := range ackAtOnce {
		require.False(t, s.e.AcksAtOnce())
		s.gets(fmt.Sprintf("unordered %d x", i))
	}
	require.True(t, s.e.AcksAtOnce())
	require.Len(t, s.poll(), 1)
	require.False(t, s.e.AcksAtOnce())
}

// An ack names 16 runs of packets. If it gets lost, the next still names those of this one.
func TestAnAckLeavesAtOnceWhenSoMuchIsMissingThatTwoCouldNotNameAllThatCame(t *testing.T) {
	s := newPackets(t)
	for range ackGaps {
		require.False(t, s.e.AcksAtOnce())
		require.Empty(t, s.poll())
		s.number += 2
		s.gets("unreliable x").gets("unreliable x")
	}
	require.True(t, s.e.AcksAtOnce())
	require.Len(t, s.poll(), 1)
	require.False(t, s.e.AcksAtOnce())
	s.number++
	s.gets("unreliable x").idle()
}

// What has come in besides may say that it is not missing.
func TestNoAckIsHurriedWhileSomethingIsToBeRepaired(t *testing.T) {
	s := newPackets(t).queues(ReliableUnordered, "y")
	s.poll()
	s.wait(time.Second)
	for i := range ackAtOnce {
		s.gets(fmt.Sprintf("unordered %d x", i))
	}
	require.False(t, s.e.AcksAtOnce())
	s.gets("ack @0")
	require.True(t, s.e.AcksAtOnce())
}
