package main

import (
	"net"
	"os"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/transport"
	"github.com/gannet-net/gannet/udp"
)

// signals are those that ask a command to end. Windows cannot send them to a process.
func signals(t *testing.T) []os.Signal {
	if runtime.GOOS == "windows" {
		t.Skip("no signals between processes")
	}
	return []os.Signal{os.Interrupt, syscall.SIGTERM}
}

func TestHostPrintsItsAddressFirst(t *testing.T) {
	h := start(t, "host", "-listen", "127.0.0.1:0")
	addr, err := net.ResolveUDPAddr("udp", h.listening())
	require.NoError(t, err)
	require.NotZero(t, addr.Port)
}

func TestHostThatFindsItsPortTakenNamesIt(t *testing.T) {
	taken, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	require.NoError(t, err)
	defer taken.Close()
	addr := taken.LocalAddr().String()
	for _, args := range [][]string{{"host", "-listen", addr}, {"proxy", "-listen", addr, "-to", "127.0.0.1:1"}} {
		r := udpecho(t, args...)
		require.Equal(t, exitRuntime, r.code)
		require.Empty(t, r.out)
		require.Contains(t, r.err, addr)
	}
}

func TestSignalEndsHostAndTellsItsClients(t *testing.T) {
	t.Parallel()
	for _, sig := range signals(t) {
		h := start(t, "host", "-listen", "127.0.0.1:0")
		addr := h.listening()
		var clients []*child
		for range 3 {
			clients = append(clients, start(t, "client", "-base", "-connect", addr, "-n", "100000", "-rate", "20"))
		}
		h.says("client 3 connected")
		h.signal(sig)
		h.signal(sig) // people press ctrl-C twice
		asked := time.Now()
		r := h.ends()
		require.Zero(t, r.code, r.err)
		require.Contains(t, r.out, "served 3 clients")
		require.Less(t, time.Since(asked), 5*time.Second, "it did not wait for a time-out")
		for _, c := range clients {
			r := c.ends()
			require.Equal(t, exitRuntime, r.code)
			require.Contains(t, r.err, "host closed")
			require.Contains(t, r.err, addr)
		}
	}
}

func TestSignalEndsAHostWithoutClients(t *testing.T) {
	for _, sig := range signals(t) {
		h := start(t, "host", "-listen", "127.0.0.1:0")
		h.listening()
		h.signal(sig)
		r := h.ends()
		require.Zero(t, r.code, r.err)
		require.Contains(t, r.out, "served 0 clients")
	}
}

func TestHostWarnsWhenOnlyThisMachineMayConnect(t *testing.T) {
	h := start(t, "host", "-listen", "0.0.0.0:0")
	h.listening()
	h.says("-plain lan")
	h.says("clients dial one of them")
}

func TestHostExplainsTheGoodbyesThatItCounts(t *testing.T) {
	h := start(t, "host", "-listen", "127.0.0.1:0")
	addr := h.listening()
	r := udpecho(t, "client", "-base", "-connect", addr, "-n", "1")
	require.Zero(t, r.code, r.err)
	h.signal(signals(t)[0])
	require.Regexp(t, `no-peer=[1-9].*\n(.*\n)*no-peer counts goodbyes`, h.ends().out)
}

func TestHostRefusesAnotherVersion(t *testing.T) {
	h := start(t, "host", "-listen", "127.0.0.1:0", "-version", "OTHER-2")
	addr := h.listening()
	r := udpecho(t, "client", "-base", "-connect", addr)
	require.Equal(t, exitRuntime, r.code)
	require.Contains(t, r.err, "refused")
	require.Contains(t, r.err, addr)
	require.Zero(t, udpecho(t, "client", "-base", "-connect", addr, "-version", "OTHER-2", "-n", "1").code)
}

func TestHostThatLetsNobodyInIsSilent(t *testing.T) {
	t.Parallel()
	h := start(t, "host", "-listen", "127.0.0.1:0", "-plain", "never")
	r := udpecho(t, "client", "-base", "-connect", h.listening(), "-timeout", "300ms")
	require.Equal(t, exitRuntime, r.code)
	require.Contains(t, r.err, "Plain policy")
}

func TestFullHostRefuses(t *testing.T) {
	h := start(t, "host", "-listen", "127.0.0.1:0", "-max", "1")
	addr := h.listening()
	start(t, "client", "-base", "-connect", addr, "-n", "100000")
	h.says("client 1 connected")
	r := udpecho(t, "client", "-base", "-connect", addr)
	require.Equal(t, exitRuntime, r.code)
	require.Contains(t, r.err, "full")
}

// stuckConn is a connection whose send queue is full for the first tries.
type stuckConn struct {
	transport.Conn
	fullFor int
	sent    []string
}

func (c *stuckConn) Send(payload []byte, _ transport.SendOptions) error {
	if c.fullFor > 0 {
		c.fullFor--
		return transport.ErrQueueFull
	}
	c.sent = append(c.sent, string(payload))
	return nil
}

func TestReliableEchoesWaitForRoom(t *testing.T) {
	var h echoHost
	c := &stuckConn{fullFor: 3}
	h.echo(c, transport.Event{Payload: []byte("kept"), Delivery: transport.ReliableOrdered})
	require.Equal(t, []string{"kept"}, c.sent)
	require.EqualValues(t, 1, h.echoed.Load())
	require.EqualValues(t, 1, h.heldBack.Load())
	require.Zero(t, h.unechoed.Load())
}

func TestUnreliableEchoesWithoutRoomAreCounted(t *testing.T) {
	var h echoHost
	c := &stuckConn{fullFor: 1}
	h.echo(c, transport.Event{Payload: []byte("given up"), Delivery: transport.Unreliable})
	require.Empty(t, c.sent)
	require.EqualValues(t, 1, h.unechoed.Load())
	require.Zero(t, h.heldBack.Load())
}

func TestPoliciesAreThoseOfTheLibrary(t *testing.T) {
	for name, want := range map[string]udp.Plain{
		"never": udp.PlainNever, "loopback": udp.PlainLoopback, "lan": udp.PlainPrivateLAN, "any": udp.PlainAny,
	} {
		got, err := plainPolicy(name)
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
	_, err := plainPolicy(strings.ToUpper("any"))
	require.Error(t, err)
}
