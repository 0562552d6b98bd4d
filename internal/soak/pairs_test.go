package soak

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/sim"
	"github.com/gannet-net/gannet/transport"
	"github.com/gannet-net/gannet/udp"
)

// scene is a world of one player of the base protocol who joins after a second, on links that do nothing but what the faults say.
func scene(span time.Duration, faults ...Fault) Plan {
	seed := uint64(1)
	for ; Draw(seed, span).protocol != udp.Base; seed++ {
	}
	p := Draw(seed, span)
	p.links.Loss, p.links.Duplicate, p.links.Reorder, p.links.Jitter = 0, 0, 0, 0
	p.players, p.Faults = p.players[:1], faults
	p.players[0].joinAt = time.Second
	return p
}

// fault makes one of the kind that is called so.
func fault(name string, player int, at, length time.Duration) Fault {
	kind := slices.IndexFunc(kinds, func(k kindInfo) bool { return k.name == name })
	return Fault{Kind: Kind(kind), Player: player, At: at, For: length}
}

// The host hears a Connect, and then nothing for so long that the session ends. The client never knew of it, and the next Connect makes another one. An application
// that reads late is told of both at once.
func TestAHostThatReadsLateHasTheSessionThatItsClientHas(t *testing.T) {
	p := scene(12*time.Second,
		fault("black hole from the host", 0, 0, 8*time.Second),
		fault("black hole to the host", 0, 1200*time.Millisecond, 7*time.Second),
		fault("consumer stopped", theHost, 0, 10*time.Second))
	r := p.Run()
	require.Nil(t, r.Broken)
	require.EqualValues(t, 1, r.Census.Other["ended: "+transport.TimedOut.String()], "the first of two")
}

// What it said to the host was lost in the black hole. Its application hears only afterwards that the session is over.
func TestWhoeverHearsLateOfItsOwnEndLeftInTheBlackHole(t *testing.T) {
	p := scene(9*time.Second,
		fault("consumer stopped", 0, 2*time.Second, time.Minute),
		fault("black hole", 0, 3*time.Second, 5*time.Second),
		fault("abort", 0, 4*time.Second, 0))
	r := p.Run()
	require.Nil(t, r.Broken)
	require.EqualValues(t, 1, r.Census.Other["ended: "+transport.TimedOut.String()], "the host's end")
}

// The client has a session, and for longer than a host waits to hear of that, but shorter than its time-out, nothing that it says gets through.
func TestAHostThatNeverHeardItsClientMayGiveItUpSooner(t *testing.T) {
	p := scene(12*time.Second, fault("black hole to the host", 0, 1100*time.Millisecond, 8*time.Second))
	p.links.Delay = 50 * time.Millisecond
	r := p.Run()
	require.Nil(t, r.Broken)
	require.EqualValues(t, 2, r.Census.Other["ended: "+transport.TimedOut.String()], "the host's end, and that of the client, which hears no more of it")
}

// A copy of the Connect comes when the host has started again, and makes a session there. Its client goes on in the one of before, and hears what the host says in the other.
func TestAClientThatHearsASessionWhichALateConnectMadeLeaves(t *testing.T) {
	p := scene(6*time.Second, fault("host restart", theHost, 1200*time.Millisecond, 100*time.Millisecond))
	p.links.Duplicate, p.links.DuplicateDelay = sim.Percent(100), 600*time.Millisecond
	r := p.Run()
	require.Nil(t, r.Broken)
	require.NotZero(t, r.Census.Other["message of a session that a late Connect made"])
	require.NotZero(t, r.Census.Other["ended: "+transport.ClosedLocally.String()])
}

// The host times out in a black hole. When its application reads that, its clock has been set back by as long as this took, and more of the player has come.
func TestAnEndIsLateWhateverTheClockSays(t *testing.T) {
	back := fault("clock back", theHost, 13500*time.Millisecond, 0)
	back.Size = 3000
	p := scene(17*time.Second,
		fault("black hole to the host", 0, 2*time.Second, 10300*time.Millisecond),
		fault("black hole from the host", 0, 11*time.Second, 5*time.Second),
		fault("consumer stopped", theHost, 2*time.Second, 13*time.Second),
		back)
	r := p.Run()
	require.Nil(t, r.Broken)
	require.NotZero(t, r.Census.Other["ended: "+transport.TimedOut.String()])
}
