package listenserver

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/loopback"
	"github.com/gannet-net/gannet/sim"
	"github.com/gannet-net/gannet/transport"
	"github.com/gannet-net/gannet/udp"
)

// patience bounds every wait. Nothing waits that long unless it fails.
const patience = 10 * time.Second

// style is a way to drive a party.
type style interface {
	// listen starts the host, dial a player over UDP, and local a player in the host's process. on is called with their events.
	listen(on func(transport.Event)) *udp.Host
	dial(on func(transport.Event)) transport.Conn
	local(on func(transport.Event)) (player, atHost transport.Conn)
	// until lets things happen until done.
	until(done func() bool) bool
}

// frames is the game loop style, in virtual time. The local player lives on the host's node.
type frames struct {
	*testing.T
	nw    *sim.Network
	host  *sim.Node
	loops []func() // of the host's node: the host's and the local player's
}

const (
	port  = 7000
	frame = int64(time.Second / 60)
)

func newFrames(t *testing.T) *frames {
	f := &frames{T: t, nw: sim.New(1)}
	f.nw.SetDefault(sim.Conditions{Delay: 20 * time.Millisecond, Loss: sim.Percent(5)})
	f.host = f.nw.Node("host")
	f.host.Attach(sim.ProcessFunc(func(now int64) int64 {
		for _, loop := range f.loops {
			loop()
		}
		return now + frame
	}))
	return f
}

// driver is what a game calls once a frame.
type driver interface {
	Poll()
	Next() (transport.Event, bool)
	Flush()
}

func loopOf(d driver, on func(transport.Event)) func() {
	return func() {
		d.Poll()
		for ev, ok := d.Next(); ok; ev, ok = d.Next() {
			on(ev)
		}
		d.Flush()
	}
}

func (f *frames) config(n *sim.Node, port uint16) udp.Config {
	socket, err := n.Listen(port)
	require.NoError(f, err)
	return udp.Config{Protocol: udp.Base, Plain: udp.PlainPrivateLAN, Driving: udp.GameLoop, Clock: n.Clock, Socket: socket, Poison: true}
}

func (f *frames) listen(on func(transport.Event)) *udp.Host {
	h, err := udp.Listen("", f.config(f.host, port))
	require.NoError(f, err)
	f.loops = append(f.loops, loopOf(h, on))
	return h
}

func (f *frames) dial(on func(transport.Event)) transport.Conn {
	n := f.nw.Node(fmt.Sprint("player at ", f.nw.Now()))
	c, err := udp.Dial(context.Background(), f.host.AddrPort(port).String(), f.config(n, 0))
	require.NoError(f, err)
	loop := loopOf(c, on)
	n.Attach(sim.ProcessFunc(func(now int64) int64 {
		loop()
		return now + frame
	}))
	return c
}

func (f *frames) local(on func(transport.Event)) (player, atHost transport.Conn) {
	client, host, err := loopback.Pipe(loopback.Config{Driving: transport.GameLoop, ID: 1000, Clock: f.host.Clock, Poison: true})
	require.NoError(f, err)
	f.loops = append(f.loops, loopOf(client, on))
	return client, host
}

func (f *frames) until(done func() bool) bool {
	return f.nw.RunUntilDone(f.nw.Now()+int64(patience), done)
}

// handlers is the background style, on real sockets.
type handlers struct {
	*testing.T
	addr string
}

func (b *handlers) listen(on func(transport.Event)) *udp.Host {
	h, err := udp.Listen("127.0.0.1:0", udp.Config{Protocol: udp.Base, Handler: on, Poison: true})
	require.NoError(b, err)
	b.Cleanup(func() { h.Close() })
	b.addr = h.Addr().String()
	return h
}

func (b *handlers) dial(on func(transport.Event)) transport.Conn {
	c, err := udp.Dial(b.Context(), b.addr, udp.Config{Protocol: udp.Base, Handler: on, Poison: true})
	require.NoError(b, err)
	b.Cleanup(func() { c.Close() })
	return c
}

func (b *handlers) local(on func(transport.Event)) (player, atHost transport.Conn) {
	client, host, err := loopback.Pipe(loopback.Config{Handler: on, Host: &loopback.End{}, ID: 1000, Poison: true})
	require.NoError(b, err)
	b.Cleanup(func() { client.Close() })
	return client, host
}

func (b *handlers) until(done func() bool) bool {
	for end := time.Now().Add(patience); !done(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			return false
		}
	}
	return true
}
