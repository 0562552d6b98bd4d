package main

import (
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/secure"
	"github.com/gannet-net/gannet/transport"
	"github.com/gannet-net/gannet/udp"
)

// listenWith starts a host at an address that is known by its key.
func listenWith(t *testing.T, addr string, key secure.Secret, f func(transport.Event)) *udp.Host {
	t.Helper()
	h, err := udp.Listen(addr, udp.Config{Key: key, Linger: 100 * time.Millisecond, Handler: f})
	require.NoError(t, err)
	t.Cleanup(func() { _ = h.Close() })
	return h
}

func TestRejoiningClientGoesOnWithAHostThatWasRestarted(t *testing.T) {
	t.Parallel()
	key := secure.Secret{1}
	var echoes atomic.Int32
	tenth := make(chan struct{})
	first := listenWith(t, "127.0.0.1:0", key, func(ev transport.Event) {
		echo(ev)
		if ev.Kind == transport.Message && echoes.Add(1) == 10 {
			close(tenth)
		}
	})
	restarted := make(chan *udp.Host, 1)
	go func() {
		<-tenth
		first.Abort()
		_ = first.Close()
		h, _ := udp.Listen(first.Addr().String(), udp.Config{Key: key, Linger: 100 * time.Millisecond, Handler: echo})
		restarted <- h
	}()
	defer func() { _ = (<-restarted).Close() }()
	r := udpecho(t, "client", "-connect", first.Addr().String(), "-host-key", first.Key().String(), "-n", "200", "-rate", "200", "-rejoin", "-every", "50ms", "-json")
	require.Zero(t, r.code, r.err)
	o := r.object(t)
	require.EqualValues(t, 2, o["sessions"])
	require.Equal(t, []any{"closed by the peer"}, o["ends"])
	require.EqualValues(t, 200, o["sent"])
	require.InDelta(t, 200, o["delivered"].(float64)+o["told"].(float64), 0)
	require.Greater(t, o["delivered"], 100.0)
	require.Zero(t, o["duplicates"])
	require.Regexp(t, `\d\.\d s: sent \d+, echoed \d+, told of \d+, lost connections 1\n`, r.err)
}

func TestLostConnectionsAreToldToPeople(t *testing.T) {
	require.Empty(t, (&clientReport{Sessions: 1}).connections())
	lost := clientReport{Sessions: 3, Told: 7, Ends: []string{"timed out", "closed by the peer"}}
	require.Equal(t, "connections  3, lost because: timed out, closed by the peer; 7 of the lost messages went with them\n", lost.connections())
}

func TestClientThatIsNotToRejoinEndsWithItsConnection(t *testing.T) {
	h := listenWith(t, "127.0.0.1:0", secure.Secret{1}, func(ev transport.Event) {
		if ev.Kind == transport.Message {
			ev.Conn.Abort()
		}
	})
	r := udpecho(t, "client", "-connect", h.Addr().String(), "-json")
	require.Equal(t, exitRuntime, r.code)
	o := r.object(t)
	require.EqualValues(t, 1, o["sessions"])
	require.Empty(t, o["ends"])
}

func TestRejoiningClientGivesUpInTheEnd(t *testing.T) {
	t.Parallel()
	var h *udp.Host
	ready := make(chan struct{})
	h = listenWith(t, "127.0.0.1:0", secure.Secret{1}, func(ev transport.Event) {
		<-ready
		if ev.Kind == transport.Message {
			h.Abort()
		}
	})
	close(ready)
	r := udpecho(t, "client", "-connect", h.Addr().String(), "-rejoin", "-timeout", "300ms", "-n", "20", "-json")
	require.Equal(t, exitRuntime, r.code)
	require.Contains(t, r.err, "connecting to "+h.Addr().String())
	require.EqualValues(t, 1, r.object(t)["sessions"])
}

func TestWhatASessionDidNotDeliverIsToldAndWhatItSkippedIsBroken(t *testing.T) {
	l := newLedger(1, transport.ReliableOrdered, 0)
	for n := range uint32(4) {
		l.arrive(l.send(n, 8, 0), 0)
	}
	l.send(4, 8, 0)
	l.send(5, 8, 0) // was not accepted
	l.endSession(0, 5)
	require.Equal(t, 1, l.told)
	require.Equal(t, 1, l.awaited())
	l.arrive(l.send(5, 8, 0), 0)
	require.NoError(t, l.broken())

	l.send(6, 8, 0)
	l.arrive(l.send(7, 8, 0), 0)
	l.endSession(5, 8)
	require.EqualError(t, l.broken(), "1 of 8 ordered messages were skipped")
}
