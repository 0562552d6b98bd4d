package main

import (
	"context"
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/sim"
	"github.com/gannet-net/gannet/sim/proxy"
	"github.com/gannet-net/gannet/transport"
	"github.com/gannet-net/gannet/udp"
)

// listen starts a host in this process that does with each event what f does.
func listen(t *testing.T, f func(transport.Event)) string {
	t.Helper()
	h, err := udp.Listen("127.0.0.1:0", udp.Config{Protocol: udp.Base, Linger: 100 * time.Millisecond, Handler: f})
	require.NoError(t, err)
	t.Cleanup(func() { _ = h.Close() })
	return h.Addr().String()
}

func echo(ev transport.Event) {
	if ev.Kind == transport.Message {
		_ = ev.Conn.Send(ev.Payload, transport.SendOptions{Delivery: ev.Delivery})
	}
}

// through puts a relay before a host and gives its address.
func through(t *testing.T, host string, c sim.Conditions) string {
	t.Helper()
	p, err := proxy.New(proxy.Config{Listen: "127.0.0.1:0", To: host, Up: c, Down: c, Seed: 1})
	require.NoError(t, err)
	go p.Run()
	t.Cleanup(func() { _ = p.Close() })
	return p.Addr().String()
}

func TestClientChecksAndMeasuresEchoes(t *testing.T) {
	t.Parallel()
	addr := listen(t, echo)
	for _, mode := range []string{"ordered", "unreliable"} {
		r := udpecho(t, "client", "-base", "-connect", addr, "-n", "50", "-rate", "500", "-mode", mode, "-json")
		require.Zero(t, r.code, r.err)
		require.Empty(t, r.err)
		o := r.object(t)
		require.EqualValues(t, 50, o["sent"])
		require.EqualValues(t, 50, o["delivered"])
		require.Positive(t, o["p50_ms"])
		require.GreaterOrEqual(t, o["bytes_ratio"], 1.0)
		require.InDelta(t, 500, o["rate_hz"], 400)
		require.NotContains(t, o, "error")
		require.NotContains(t, o, "interrupted")
	}
}

func TestClientReportsForPeople(t *testing.T) {
	r := udpecho(t, "client", "-base", "-connect", listen(t, echo), "-n", "20", "-rate", "500")
	require.Zero(t, r.code, r.err)
	require.Regexp(t, `20 ordered messages of 64 bytes sent to \S+ at \d+\.\d a second; asked for were 20 at 500\n`, r.out)
	require.Contains(t, r.out, "echoes       20, lost 0 (0.0 %), twice 0, out of order 0")
}

func TestClientDeliversThroughLoss(t *testing.T) {
	t.Parallel()
	addr := through(t, listen(t, echo), sim.Conditions{Delay: 5 * time.Millisecond, Loss: sim.Percent(20), Duplicate: sim.Percent(10)})
	r := udpecho(t, "client", "-base", "-connect", addr, "-n", "200", "-rate", "400", "-json")
	require.Zero(t, r.code, r.err)
	o := r.object(t)
	require.EqualValues(t, 200, o["delivered"])
	require.Zero(t, o["duplicates"])
	require.Positive(t, o["repairs"])
}

func TestClientCountsWhatIsLostInUnreliableMode(t *testing.T) {
	t.Parallel()
	addr := through(t, listen(t, echo), sim.Conditions{Loss: sim.Percent(30)})
	r := udpecho(t, "client", "-base", "-connect", addr, "-n", "200", "-rate", "800", "-mode", "unreliable", "-json")
	require.Zero(t, r.code, "loss is no error: %s", r.err)
	require.Positive(t, r.object(t)["lost"])
}

func TestClientEndsWithoutAHost(t *testing.T) {
	t.Parallel()
	closed, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	require.NoError(t, err)
	require.NoError(t, closed.Close())
	for name, addr := range map[string]string{
		"closed port":                closed.LocalAddr().String(),
		"address that swallows all":  "192.0.2.1:7777",
		"name that does not resolve": "no-such-name.invalid:7777",
	} {
		r := udpecho(t, "client", "-base", "-connect", addr, "-timeout", "300ms")
		require.Equal(t, exitRuntime, r.code, name)
		require.Empty(t, r.out, name)
		require.Contains(t, r.err, "connecting to "+addr, name)
	}
}

func TestClientEndsWhenNothingIsEchoed(t *testing.T) {
	t.Parallel()
	addr := listen(t, func(transport.Event) {})
	for _, mode := range []string{"ordered", "unreliable"} {
		r := udpecho(t, "client", "-base", "-connect", addr, "-timeout", "200ms", "-n", "10", "-rate", "200", "-mode", mode, "-json")
		require.Equal(t, exitRuntime, r.code, mode)
		require.Contains(t, r.err, "waiting for echoes from "+addr)
		require.Contains(t, r.err, "does the host echo?")
		require.Contains(t, r.object(t)["error"], "0 of 10 came")
	}
}

func TestClientSeesEchoesThatWereChanged(t *testing.T) {
	t.Parallel()
	addr := listen(t, func(ev transport.Event) {
		if ev.Kind == transport.Message {
			changed := ev.Retain()
			changed[len(changed)-1] ^= 1
			_ = ev.Conn.Send(changed, transport.SendOptions{Delivery: ev.Delivery})
		}
	})
	r := udpecho(t, "client", "-base", "-connect", addr, "-timeout", "200ms", "-n", "5", "-rate", "500")
	require.Equal(t, exitRuntime, r.code)
	require.Contains(t, r.err, "5 of 5 ordered messages were never sent like that")
}

func TestClientSeesThatTheHostLeaves(t *testing.T) {
	addr := listen(t, func(ev transport.Event) {
		if ev.Kind == transport.Message {
			ev.Conn.Abort()
		}
	})
	r := udpecho(t, "client", "-base", "-connect", addr)
	require.Equal(t, exitRuntime, r.code)
	require.Contains(t, r.err, addr+": host closed the connection after 0 echoes")
}

func TestInterruptedClientSaysGoodbyeAndReports(t *testing.T) {
	ctx, interrupt := context.WithCancel(t.Context())
	left := make(chan error, 1)
	addr := listen(t, func(ev transport.Event) {
		echo(ev)
		switch ev.Kind {
		case transport.Message:
			interrupt()
		case transport.Disconnected:
			left <- ev.Err
		}
	})
	r := udpechoUntil(ctx, "client", "-base", "-connect", addr, "-n", "100000", "-json")
	require.Zero(t, r.code, r.err)
	require.Contains(t, r.err, "interrupted while waiting for echoes from "+addr)
	o := r.object(t)
	require.Positive(t, o["sent"])
	require.Equal(t, true, o["interrupted"])
	require.EqualValues(t, 100_000, o["asked"])
	require.ErrorContains(t, <-left, "closed by the peer")
}

func TestSignalEndsAClientThatIsConnecting(t *testing.T) {
	for _, sig := range signals(t) {
		silent, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
		require.NoError(t, err)
		defer silent.Close()
		c := start(t, "client", "-base", "-connect", silent.LocalAddr().String())
		buf := make([]byte, 1200)
		_, err = silent.Read(buf)
		require.NoError(t, err)
		c.signal(sig)
		c.signal(sig)
		r := c.ends()
		require.Zero(t, r.code, r.err)
		require.Contains(t, r.err, "interrupted while connecting")
		require.Empty(t, r.out)
	}
}

func TestClientWaitsForTheLastEcho(t *testing.T) {
	t.Parallel()
	addr := through(t, listen(t, echo), sim.Conditions{Delay: 150 * time.Millisecond})
	r := udpecho(t, "client", "-base", "-connect", addr, "-n", "3", "-rate", "1000", "-mode", "unreliable", "-json")
	require.Zero(t, r.code, r.err)
	require.EqualValues(t, 3, r.object(t)["delivered"])
}
