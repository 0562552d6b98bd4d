package derbyrows

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/msgs/derby"
	"github.com/gannet-net/gannet/sim"
	"github.com/gannet-net/gannet/udp"
)

// While Ann's lines are relayed, Bob goes and comes back forty times, with and without a word, over a link that loses and delays. What was relayed to him before
// never reaches his next session, and Cem gets all.
func TestARelayNeverGoesOnInTheNextSession(t *testing.T) {
	w := newWireLobby(t)
	w.nw.SetDefault(sim.Conditions{Delay: 25 * time.Millisecond, Jitter: 20 * time.Millisecond, Loss: sim.Percent(10)})
	var lines []int // that Cem has seen
	ann, _ := w.joins("Ann", nil)
	w.joins("Cem", func(m derby.GameMessage) { lines = append(lines, lineOf(t, m)...) })
	require.True(t, w.nw.RunUntilDone(int64(5*time.Second), func() bool { return len(w.host.Roster()) == 2 }))
	require.NoError(t, w.host.StartRun(derby.StartRun{}))
	w.nw.RunFor(time.Second)

	sent := 0
	says := func() {
		text := fmt.Sprint(sent, " ", strings.Repeat("x", sent%200))
		require.NoError(t, derby.PlayFeed{Headline: text, DistanceFt: float32(len(text))}.Send(ann.ToAll()))
		sent++
	}
	var bob *derby.Client
	var conn *udp.Conn
	heard, sessions := 0, 0
	for i := range 40 {
		first, last := sent, -1
		bob, conn = w.joins("Bob", func(m derby.GameMessage) {
			for _, n := range lineOf(t, m) {
				require.GreaterOrEqual(t, n, first-10, "what was said while he dialled, but nothing of before")
				require.True(t, last < 0 || n == last+1, "line %d after %d", n, last)
				last = n
				heard++
			}
		})
		for range 10 {
			says()
			w.nw.RunFor(50 * time.Millisecond)
		}
		if bob.ID() != 0 {
			sessions++
		}
		if i%2 == 0 {
			require.NoError(t, bob.Leave())
		} else {
			conn.Abort()
		}
	}
	w.nw.RunFor(15 * time.Second) // whoever was not heard of any more has timed out
	require.Greater(t, sessions, 30)
	require.Greater(t, heard, 100)
	require.Len(t, w.host.Roster(), 2, "no dead player is left")
	require.Len(t, lines, sent)
	for i, n := range lines {
		require.Equal(t, i, n)
	}
	require.Zero(t, w.host.Router().Stats().Drops.Total(), w.host.Router().Stats().Drops.String())
}

// lineOf is the number of a line of the feed, which is whole, or nothing if m is none.
func lineOf(t *testing.T, m derby.GameMessage) []int {
	feed, ok := m.Message.(*derby.PlayFeed)
	if !ok {
		return nil
	}
	var n int
	_, err := fmt.Sscan(feed.Headline, &n)
	require.NoError(t, err)
	require.Equal(t, fmt.Sprint(n, " ", strings.Repeat("x", n%200)), feed.Headline)
	require.EqualValues(t, len(feed.Headline), feed.DistanceFt)
	return []int{n}
}
