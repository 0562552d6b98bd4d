package soak

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/internal/testflag"
	"github.com/gannet-net/gannet/transport"
	"github.com/gannet-net/gannet/udp"
)

// sized gives n, or the other number in short runs: with the race detector, and on emulated processors.
func sized(n, short int) int {
	if testing.Short() {
		return short
	}
	return n
}

// requireWhole plays plans and requires that no invariant was broken.
func requireWhole(t *testing.T, n int, draw func(i int) Plan) *Series {
	t.Helper()
	all := RunAll(n, draw, nil)
	if r := all.Broken; r != nil {
		require.Fail(t, r.Broken.Error(), "%v%s%s\nagain: go run ./cmd/udpecho soak -seeds 1 -first %d -span %v", r.Plan, r.Plan.Script(), r.Sessions, r.Plan.Seed, r.Plan.Span)
	}
	return all
}

// reachedSoon are rows of the census that few worlds are enough for.
var reachedSoon = []string{
	"fault: black hole", "fault: loss", "fault: crash", "fault: replay", "fault: bit flips", "fault: NAT port rebind", "fault: stall of 200 ms", "fault: guest",
	"drop: duplicate", "drop: auth", "drop: no-peer", "drop: kind", "drop: direction", "drop: ack-again",
	"datagram: Sealed", "datagram: Reliable", "datagram: Heartbeat", "datagram: Reset", "frame: Reliable", "frame: Ack", "frame: PathChallenge", "frame: Ticket",
	"ended: " + transport.ClosedByPeer.String(), "ended: " + transport.ClosedLocally.String(), "ended: " + transport.TimedOut.String(), "ended: " + transport.Replaced.String(),
	"connecting to connected", "connected to closing", "closing to closed", "connected to closed", "fate delivered", "dial with a ticket",
}

func TestWorldsHoldTheirInvariants(t *testing.T) {
	n := sized(24, 4)
	all := requireWhole(t, n, func(i int) Plan { return Draw(uint64(1+i), 30*time.Second) })
	require.Equal(t, n, all.Worlds)
	require.Greater(t, all.UpTime, time.Duration(n)*time.Minute)
	if testing.Short() {
		return
	}
	count := map[string]uint64{}
	for row := range all.Census.Rows() {
		count[row.Name] = row.Count
	}
	for _, name := range reachedSoon {
		require.NotZero(t, count[name], name)
	}
}

// longest is a kept seed whose world takes as long as those of all others together. The soak of .ci/run plays it.
const longest = 427058064

func TestSeedsThatOnceFailedHold(t *testing.T) {
	kept := Kept()
	at := slices.IndexFunc(kept, func(s Seed) bool { return s.Seed == longest })
	require.Positive(t, at)
	if !testflag.Long() {
		kept = slices.Delete(kept, at, at+1)
	}
	requireWhole(t, sized(len(kept), 1), func(i int) Plan { return Draw(kept[i].Seed, kept[i].Span) })
}

func TestOneSeedIsOneWorld(t *testing.T) {
	for _, seed := range []uint64{1, 6, 16}[:sized(3, 2)] { // 16 is heavy
		p := Draw(seed, 10*time.Second)
		require.Equal(t, p.String()+p.Script(), Draw(seed, 10*time.Second).String()+Draw(seed, 10*time.Second).Script())
		require.Equal(t, p.Run().Hash, p.Run().Hash)
	}
	require.NotEqual(t, Draw(1, 10*time.Second).Run().Hash, Draw(2, 10*time.Second).Run().Hash)
}

// A world in which the players cannot know the host breaks the invariant that all of them join, with nothing else.
func TestABrokenWorldIsMadeSmaller(t *testing.T) {
	p := Draw(1, 20*time.Second)
	require.Equal(t, udp.Secure, p.protocol)
	p.players[1].stranger = true
	r := p.Run()
	require.NotNil(t, r.Broken)
	require.Equal(t, Live, r.Broken.Invariant)
	small := Shrink(r, 40)
	require.Equal(t, Live, small.Broken.Invariant)
	require.Empty(t, small.Plan.Faults)
	require.True(t, small.Plan.players[0].absent && small.Plan.players[2].absent)
	require.Contains(t, small.Story(20, func([]byte) string { return "datagram" }), "violation: ")
}

func TestTheCensusNamesWhatWasNotReached(t *testing.T) {
	var c Census
	c.count("sessions")
	c.fault(0, 5)
	missing := c.Missing(1)
	require.Contains(t, missing, "drop: auth (0)")
	require.Contains(t, missing, "fault: swizzle (0)")
	require.NotContains(t, missing, "fault: black hole (0)")
	require.NotContains(t, missing, "drop: token-full (0)", "nothing can reach it")
	require.Contains(t, c.Missing(6), "fault: black hole (5)")
	c.add("what happened to be counted", 1)
	require.NotContains(t, strings.Join(c.Missing(6), "\n"), "happened")
}
