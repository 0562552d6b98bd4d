package udp

import (
	"math/rand/v2"
	"net/netip"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/framing"
)

func TestAPeerIDRestsAsLongAsOthersAreFree(t *testing.T) {
	for _, highest := range []int{framing.MaxPeerID, framing.MaxPeerID + 50} {
		ids := newPeerIDs(highest)
		first := ids.take()
		ids.give(first)
		for range highest - 1 {
			require.NotEqual(t, first, ids.take())
		}
		require.Equal(t, first, ids.take())
		require.Zero(t, ids.take())
	}
}

func TestAQueueKeepsItsOrderAsItGrows(t *testing.T) {
	var f fifo[int]
	next := 0
	for i := range 100 {
		f.push(i)
		if i%3 == 0 {
			v, ok := f.pop()
			require.True(t, ok)
			require.Equal(t, next, v)
			next++
		}
	}
	for f.len() > 0 {
		require.Equal(t, next, *f.at(0))
		v, _ := f.pop()
		require.Equal(t, next, v)
		next++
	}
	_, ok := f.pop()
	require.False(t, ok)
}

func TestConnectionsThatNobodyAcceptsAreForgottenOnceTheyEnded(t *testing.T) {
	a := newAccepts()
	stands := &Conn{}
	a.add(stands)
	for range 10 * fewestWaiting {
		a.add(&Conn{ended: true})
		require.LessOrEqual(t, a.queue.len(), fewestWaiting)
	}
	first, _ := a.queue.pop()
	require.Same(t, stands, first)
}

func TestTheGraveyardIsBounded(t *testing.T) {
	var g graveyard
	for i := range 10 * maxTombstones {
		g.add(netip.AddrPortFrom(netip.IPv6Loopback(), uint16(i)), int64(i), false)
	}
	require.LessOrEqual(t, len(g.stones), maxTombstones)
	require.LessOrEqual(t, g.order.len(), maxTombstones)
	require.True(t, g.answer(netip.AddrPortFrom(netip.IPv6Loopback(), 10*maxTombstones-1), 10*maxTombstones))
}

func TestLogLinesOfOneReasonComeOnceInTenSeconds(t *testing.T) {
	var l logs
	for i := range 2000 {
		l.add(int64(i)*int64(10*time.Millisecond), logRead, "reading failed", nil)
	}
	l.add(0, logWrite, "writing failed", nil)
	lines := l.take()
	require.Len(t, lines, 3)
	require.Equal(t, 999, lines[1].muted)
	require.Empty(t, l.take())
}

func TestIDsOfTheBaseProtocolAreLeftToItsClientsOnceMoreWereTaken(t *testing.T) {
	ids := newPeerIDs(framing.MaxPeerID + 2)
	for range framing.MaxPeerID {
		require.LessOrEqual(t, ids.take(), uint16(framing.MaxPeerID))
	}
	require.Zero(t, ids.takeSmall())
	ids.give(7)
	require.EqualValues(t, framing.MaxPeerID+1, ids.take(), "one that was never taken")
	require.EqualValues(t, 7, ids.takeSmall())
}

func TestAReservedIDIsNotGivenOut(t *testing.T) {
	ids := newPeerIDs(framing.MaxPeerID)
	require.True(t, ids.reserve(2, slices.Values([]*Conn{})))
	peer := &Conn{}
	peer.id.Store(5)
	require.False(t, ids.reserve(5, slices.Values([]*Conn{peer})), "a peer has it")
	for range framing.MaxPeerID - 1 {
		require.NotEqual(t, uint16(2), ids.take())
	}
	require.Zero(t, ids.take())
}

func TestAnIDThatIsWantedIsGivenIfItIsFree(t *testing.T) {
	ids := newPeerIDs(framing.MaxPeerID + 50)
	for _, wanted := range []uint16{5, 1, 260} {
		require.True(t, ids.takeThis(wanted))
		require.False(t, ids.takeThis(wanted), "somebody has it")
	}
	require.False(t, ids.takeThis(0))
	require.False(t, ids.takeThis(framing.MaxPeerID+51), "there is none")
	ids.give(5)
	require.True(t, ids.takeThis(5), "it was given back")
	taken := map[uint16]bool{5: true, 1: true, 260: true}
	for range framing.MaxPeerID + 50 - 3 {
		id := ids.take()
		require.False(t, taken[id])
		taken[id] = true
	}
	require.Zero(t, ids.take())
	require.Zero(t, ids.takeSmall())
}

func TestARosterKeepsItsOrderAndClosesItsGaps(t *testing.T) {
	var r roster
	conns := make([]*Conn, 1000)
	for i := range conns {
		conns[i] = new(Conn)
		r.add(conns[i])
	}
	wants := func(want []*Conn) {
		t.Helper()
		require.Equal(t, len(want), r.len())
		require.True(t, slices.Equal(want, slices.Collect(r.all())))
		require.LessOrEqual(t, len(r.places), 2*len(want)+1)
	}
	wants(conns)
	random := rand.New(rand.NewPCG(1, 1))
	for len(conns) > 0 {
		i := random.IntN(len(conns))
		r.remove(conns[i])
		conns = slices.Delete(conns, i, i+1)
		wants(conns)
	}
	c := new(Conn)
	r.add(c)
	wants([]*Conn{c})
}
