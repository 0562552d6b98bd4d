package proxy

import (
	"fmt"
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/sim"
)

func TestClientsDoNotMix(t *testing.T) {
	r := newRig(t, Config{Up: sim.Conditions{Jitter: time.Millisecond}, Down: sim.Conditions{Jitter: time.Millisecond}})
	clients := []*end{newEnd(t), newEnd(t), newEnd(t)}
	names := map[netip.AddrPort]string{}
	for round := range 20 {
		for i, c := range clients {
			c.sends(fmt.Sprint("client ", i), r.proxy.Addr())
		}
		for range clients {
			name, from := r.host.gets()
			if round == 0 {
				names[from] = name
			}
			require.Equal(t, names[from], name)
			r.host.sends(name, from)
		}
		for i, c := range clients {
			got, _ := c.gets()
			require.Equal(t, fmt.Sprint("client ", i), got)
		}
	}
	require.Len(t, names, len(clients))
	require.Equal(t, len(clients), r.proxy.Counts().Clients)
}

func TestIdleClientsAreForgottenAndComeBackFromAnotherPort(t *testing.T) {
	r := newRig(t, Config{Idle: 20 * time.Millisecond})
	client := newEnd(t)
	client.sends("first", r.proxy.Addr())
	_, first := r.host.gets()
	r.eventually(func(c Counts) bool { return c.Clients == 0 && c.Expired == 1 })

	client.sends("second", r.proxy.Addr())
	got, second := r.host.gets()
	require.Equal(t, "second", got)
	require.NotEqual(t, first, second)
	r.host.sends("answer", second)
	got, _ = client.gets()
	require.Equal(t, "answer", got)
	require.Len(t, r.proxy.up.tracks, 1, "the way of the forgotten client serves again")
}

func TestTrafficFromTheHostAloneKeepsAClient(t *testing.T) {
	r := newRig(t, Config{Idle: 300 * time.Millisecond})
	client := newEnd(t)
	client.sends("", r.proxy.Addr())
	_, from := r.host.gets()
	for range 50 {
		r.host.sends("tick", from)
		client.gets()
		time.Sleep(10 * time.Millisecond)
	}
	require.Zero(t, r.proxy.Counts().Expired)
}

func TestClientsAboveTheMaximumAreRefused(t *testing.T) {
	r := newRig(t, Config{MaxClients: 1})
	newEnd(t).sends("first", r.proxy.Addr())
	r.host.gets()
	newEnd(t).sends("second", r.proxy.Addr())
	r.eventually(func(c Counts) bool { return c.Refused == 1 })
	require.Equal(t, 1, r.proxy.Counts().Clients)
}

func TestAClosedWayTakesNothing(t *testing.T) {
	l := newLane("up", 1, sim.Conditions{})
	var got []string
	first := l.open(func(d []byte) { got = append(got, string(d)) })
	require.True(t, l.send(first, []byte("in time")))
	l.close(first)
	second := l.open(func([]byte) { t.Error("not for this client") })
	require.Same(t, first.track, second.track)
	require.False(t, l.send(first, []byte("late")))
	require.Equal(t, []string{"in time"}, got)
}

func TestWhatIsOnAWayThatIsClosedReachesNobody(t *testing.T) {
	l := newLane("down", 1, delayed(time.Hour))
	first := l.open(func([]byte) { t.Error("it is closed") })
	require.True(t, l.send(first, []byte("on its way")))
	l.close(first)
	second := l.open(func([]byte) { t.Error("not for this client") })
	require.Same(t, first.track, second.track)
	l.nw.RunFor(time.Hour)
	require.EqualValues(t, 1, l.nw.Counts().Drops[sim.DropNoSocket])
}
