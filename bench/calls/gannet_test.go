package calls

import (
	"context"
	"testing"
	"time"

	"github.com/gannet-net/gannet/bench/calls/echo"
	"github.com/gannet-net/gannet/msgs"
	"github.com/gannet-net/gannet/rpc"
	"github.com/gannet-net/gannet/transport"
	"github.com/gannet-net/gannet/udp"
)

// echoes is the server's implementation.
type echoes struct{ told int }

func (e *echoes) Echo(number uint32) (uint32, error) { return number, nil }
func (e *echoes) Tell(uint32)                        { e.told++ }

// side is one end of a session of calls.
type side struct {
	*rpc.Calls
	router *msgs.Router
}

func newSide(tb testing.TB, of msgs.Side, joined func(*msgs.Peer)) side {
	tb.Helper()
	router, err := msgs.NewRouter(msgs.Config{Side: of, Joined: joined, Catalogues: []msgs.Mount{rpc.Mount(0, 0)}})
	if err != nil {
		tb.Fatal(err)
	}
	calls, err := rpc.New(rpc.Config{Router: router, Contracts: []*rpc.Contract{&echo.Contract}, Budget: rpc.Budget{Calls: -1, Bytes: -1, Time: -1}})
	if err != nil {
		tb.Fatal(err)
	}
	return side{calls, router}
}

// loop is a server and a client in one game loop.
type loop struct {
	server, client side
	echoes         echoes
	host           *udp.Host
	conn           *udp.Conn
}

func newLoop(tb testing.TB, protocol udp.Protocol) *loop {
	tb.Helper()
	l := &loop{server: newSide(tb, msgs.Host, nil), client: newSide(tb, msgs.Client, nil)}
	if err := echo.BindEchoServer(l.server.Calls, &l.echoes); err != nil {
		tb.Fatal(err)
	}
	var err error
	config := udp.Config{Protocol: protocol, Driving: udp.GameLoop}
	if l.host, err = udp.Listen("127.0.0.1:0", config); err != nil {
		tb.Fatal(err)
	}
	if l.conn, err = udp.Dial(context.Background(), l.host.Addr().String(), config); err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		l.conn.Abort()
		l.host.Abort()
		for !l.host.Closed() {
			l.turn()
		}
	})
	for began := time.Now(); l.client.router.Host() == nil || l.server.router.Peer(l.conn.ID()) == nil; l.turn() {
		if time.Since(began) > 10*time.Second {
			tb.Fatal("not connected within 10 s")
		}
	}
	return l
}

// turn is one frame of both.
func (l *loop) turn() {
	l.conn.Flush()
	l.server.router.Pump(l.host)
	l.host.Flush()
	l.client.router.Pump(l.conn)
}

// oneLoop asks in the game loop in which the server runs as well.
func oneLoop(protocol udp.Protocol) func(*testing.B) {
	return func(b *testing.B) {
		l := newLoop(b, protocol)
		answered, number := false, uint32(0)
		done := func(same uint32, err error) {
			answered = true
			if err != nil || same != number {
				b.Error(same, err)
			}
		}
		to := l.client.Server()
		for b.Loop() {
			number++
			answered = false
			if _, err := (echo.EchoRef{}).Echo(to, number, done); err != nil {
				b.Fatal(err)
			}
			for !answered {
				l.turn()
			}
		}
	}
}

// twoGoroutines asks from one goroutine of the transport, and answers on another one, as the others here do.
func twoGoroutines(protocol udp.Protocol) func(*testing.B) {
	return func(b *testing.B) { askInTurn(b, protocol) }
}

func askInTurn(b *testing.B, protocol udp.Protocol) {
	server := newSide(b, msgs.Host, nil)
	if err := echo.BindEchoServer(server.Calls, &echoes{}); err != nil {
		b.Fatal(err)
	}
	host, err := udp.Listen("127.0.0.1:0", udp.Config{Protocol: protocol, Handler: func(ev transport.Event) { server.router.Route(ev) }})
	if err != nil {
		b.Fatal(err)
	}
	defer host.Abort()

	var client side
	ended := make(chan struct{})
	left, number := b.N, uint32(0)
	var ask func()
	done := func(same uint32, err error) {
		if err != nil || same != number {
			b.Error(same, err)
		}
		if left--; left == 0 {
			close(ended)
			return
		}
		ask()
	}
	ask = func() {
		number++
		if _, err := (echo.EchoRef{}).Echo(client.Server(), number, done); err != nil {
			b.Error(err)
			close(ended)
		}
	}
	client = newSide(b, msgs.Client, nil)
	began := false
	conn, err := udp.Dial(context.Background(), host.Addr().String(), udp.Config{Protocol: protocol, Handler: func(ev transport.Event) {
		client.router.Route(ev)
		if !began && client.router.Host() != nil {
			began = true
			b.ResetTimer()
			ask()
		}
	}})
	if err != nil {
		b.Fatal(err)
	}
	defer conn.Abort()
	<-ended
	b.StopTimer()
}

// tell tells so many numbers a frame, and drives everyone until they have arrived.
func tell(protocol udp.Protocol, each int) func(*testing.B) {
	return func(b *testing.B) {
		l := newLoop(b, protocol)
		to, number := l.client.Server(), 0
		arrives := func() {
			for l.echoes.told < number {
				l.turn()
			}
		}
		for b.Loop() {
			if err := (echo.EchoRef{}).Tell(to, uint32(number)); err != nil {
				b.Fatal(err)
			}
			if number++; number%each == 0 {
				arrives()
			}
		}
		arrives()
	}
}
