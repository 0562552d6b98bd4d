package proxy

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/sim"
)

func TestDatagramsOfAllSizesPassUnchangedBothWays(t *testing.T) {
	r := newRig(t, Config{})
	client := newEnd(t)
	for _, size := range []int{0, 1, 1200, 9000} {
		sent := strings.Repeat("x", size)
		client.sends(sent, r.proxy.Addr())
		got, from := r.host.gets()
		require.Equal(t, sent, got)
		r.host.sends(got, from)
		got, from = client.gets()
		require.Equal(t, sent, got)
		require.Equal(t, r.proxy.Addr(), from)
	}
}

func TestOrderIsKeptWithoutJitter(t *testing.T) {
	const n = 200 // fits the buffers of the sockets
	r := newRig(t, Config{Up: delayed(3 * time.Millisecond), Down: delayed(3 * time.Millisecond)})
	client := newEnd(t)
	r.toHost(client, n, func(i int) string { return fmt.Sprint(i) })
	for i := range n {
		got, from := r.host.gets()
		require.Equal(t, fmt.Sprint(i), got)
		r.host.sends(got, from)
	}
	for i := range n {
		got, _ := client.gets()
		require.Equal(t, fmt.Sprint(i), got)
	}
	counts := r.proxy.Counts()
	require.Zero(t, counts.Up.Reordered+counts.Down.Reordered)
}

func TestJitterReorders(t *testing.T) {
	r := newRig(t, Config{Up: sim.Conditions{Delay: 20 * time.Millisecond, Jitter: 20 * time.Millisecond}})
	r.toHost(newEnd(t), 200, empty)
	r.eventually(func(c Counts) bool { return c.Up.InFlight == 0 })
	require.NotZero(t, r.proxy.Counts().Up.Reordered)
}

func TestDelayPassesBeforeADatagramLeaves(t *testing.T) {
	r := newRig(t, Config{Up: delayed(30 * time.Millisecond), Down: delayed(20 * time.Millisecond)})
	client, began := newEnd(t), time.Now()
	client.sends("ping", r.proxy.Addr())
	_, from := r.host.gets()
	require.GreaterOrEqual(t, time.Since(began), 30*time.Millisecond)
	r.host.sends("pong", from)
	client.gets()
	require.GreaterOrEqual(t, time.Since(began), 50*time.Millisecond)
}

func TestLossIsThatOfTheConditions(t *testing.T) {
	const n = 5000
	r := newRig(t, Config{Seed: 7, Up: sim.Conditions{Loss: sim.Percent(10)}})
	r.toHost(newEnd(t), n, empty)
	up := r.proxy.Counts().Up
	require.InDelta(t, 0.10*n, up.Drops[sim.DropLoss], 100, "nearly five standard deviations")
	require.Equal(t, up.Lost(), up.Drops[sim.DropLoss])
	require.EqualValues(t, n, up.Delivered+up.Lost())
}

func TestOneSeedLosesTheSameDatagrams(t *testing.T) {
	survivors := func() (got []string) {
		r := newRig(t, Config{Seed: 42, Up: sim.Conditions{Loss: sim.Percent(50)}})
		r.toHost(newEnd(t), 100, func(i int) string { return fmt.Sprint(i) })
		for range r.proxy.Counts().Up.Delivered {
			d, _ := r.host.gets()
			got = append(got, d)
		}
		return got
	}
	require.Equal(t, survivors(), survivors())
}

func TestDirectionsLoseIndependently(t *testing.T) {
	r := newRig(t, Config{Up: sim.Conditions{Loss: sim.Always}})
	r.toHost(newEnd(t), 10, empty)
	require.NoError(t, r.proxy.SetConditions(sim.Conditions{}, sim.Conditions{Loss: sim.Always}))
	newEnd(t).sends("hello", r.proxy.Addr())
	_, from := r.host.gets()
	r.host.sends("lost", from)
	r.eventually(func(c Counts) bool { return c.Down.Lost() == 1 })
	require.EqualValues(t, 10, r.proxy.Counts().Up.Lost())
}

func TestDuplicatesArriveTwice(t *testing.T) {
	r := newRig(t, Config{Up: sim.Conditions{Duplicate: sim.Always, DuplicateDelay: time.Millisecond}})
	newEnd(t).sends("again", r.proxy.Addr())
	for range 2 {
		got, _ := r.host.gets()
		require.Equal(t, "again", got)
	}
	require.EqualValues(t, 1, r.proxy.Counts().Up.Duplicated)
}

func TestConditionsChangeWhileItRuns(t *testing.T) {
	r := newRig(t, Config{Up: sim.Conditions{Loss: sim.Always}})
	client := newEnd(t)
	r.toHost(client, 5, empty)
	require.NoError(t, r.proxy.SetConditions(sim.Conditions{}, sim.Conditions{}))
	client.sends("through", r.proxy.Addr())
	got, _ := r.host.gets()
	require.Equal(t, "through", got)
}

func TestConditionsOutOfRangeChangeNothing(t *testing.T) {
	r := newRig(t, Config{})
	require.ErrorContains(t, r.proxy.SetConditions(sim.Conditions{}, delayed(-1)), "towards the clients")
	client := newEnd(t)
	client.sends("still", r.proxy.Addr())
	got, _ := r.host.gets()
	require.Equal(t, "still", got)
}

func TestHostThatComesLaterIsReached(t *testing.T) {
	r := newRig(t, Config{})
	addr := r.host.addr()
	require.NoError(t, r.host.conn.Close())
	client := newEnd(t)
	r.toHost(client, 20, empty)

	r.host.conn = listenAt(t, addr)
	client.sends("at last", r.proxy.Addr())
	got, _ := r.host.gets()
	require.Equal(t, "at last", got)
}
