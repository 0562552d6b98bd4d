package reliable

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestAfterASleepThePeerHasTwoHeartbeatsToBeHeard(t *testing.T) {
	s := newPackets(t).gets("unreliable a").wait(time.Second)
	s.run(time.Second)
	s.e.Slept(s.now, time.Hour)
	require.Contains(t, s.poll()[0], "ack @0", "the peer hears at once that this side is back")
	s.run(1990 * ms)
	require.Equal(t, StateConnected, s.e.State())
	s.run(20 * ms)
	require.Equal(t, StateClosed, s.e.State())
}

func TestAShortSleepCountsAsSilence(t *testing.T) {
	s := newPackets(t).gets("unreliable a")
	s.e.Slept(s.now, 6*time.Second)
	s.run(3900 * ms)
	require.Equal(t, StateConnected, s.e.State())
	s.run(200 * ms)
	require.Equal(t, StateClosed, s.e.State())
}

func TestAPeerThatIsHeardAfterASleepIsThere(t *testing.T) {
	s := newPackets(t).gets("unreliable a")
	s.e.Slept(s.now, time.Hour)
	s.wait(500 * ms).gets("heartbeat")
	s.run(9 * time.Second)
	require.Equal(t, StateConnected, s.e.State())
}

func TestASleepGivesASilentPeerNoMoreTimeThanItHad(t *testing.T) {
	s := newPackets(t).gets("unreliable a")
	s.run(9900 * ms)
	s.e.Slept(s.now, 3*time.Second)
	s.run(200 * ms)
	require.Equal(t, StateClosed, s.e.State())
}

func TestASleepMeansNothingToASessionThatIsOver(t *testing.T) {
	s := newPackets(t)
	s.e.Fail(s.now)
	s.e.Slept(s.now, time.Hour)
	s.idle().sleeps()
}
