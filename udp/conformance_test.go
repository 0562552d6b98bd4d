package udp_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/transport"
	"github.com/gannet-net/gannet/transport/transporttest"
	"github.com/gannet-net/gannet/udp"
)

func TestConformance(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		protocol udp.Protocol
		offload  udp.OffloadMode
	}{{udp.Secure, udp.OffloadAuto}, {udp.Secure, udp.OffloadOn}, {udp.Base, udp.OffloadAuto}} {
		t.Run(fmt.Sprintf("%v, offload %v", row.protocol, row.offload), func(t *testing.T) {
			t.Parallel() // it waits more than it works
			transporttest.Run(t, func(t *testing.T, o transporttest.Options) transporttest.Pair {
				p := &pair{t: t, o: o, protocol: row.protocol, offload: row.offload, admitted: make(chan transport.Conn, 1)}
				p.start()
				return transporttest.Pair{Client: p.client, Host: p.peer, Advance: p.advance, Stop: p.stop}
			})
		})
	}
}

// pair is a host with one client on real loopback sockets.
type pair struct {
	t        *testing.T
	o        transporttest.Options
	protocol udp.Protocol
	offload  udp.OffloadMode
	host     *udp.Host
	client   *udp.Conn
	peer     transport.Conn
	handlers []chan struct{}     // closed with the last event of each handler
	admitted chan transport.Conn // from the host's handler
}

func (p *pair) config(handler func(transport.Event)) udp.Config {
	return udp.Config{
		Protocol: p.protocol, Driving: p.o.Driving, Handler: handler, Poison: p.o.Poison, Offload: p.offload,
		SendQueueMessages: p.o.QueueMessages, UnreadMessages: p.o.QueueMessages,
	}
}

// watched makes it known who was connected, and when a handler will not be called again.
func (p *pair) watched(handler func(transport.Event), admitted chan<- transport.Conn) func(transport.Event) {
	if handler == nil {
		return nil
	}
	over := make(chan struct{})
	p.handlers = append(p.handlers, over)
	return func(ev transport.Event) {
		if ev.Kind == transport.Connected && admitted != nil {
			admitted <- ev.Conn
		}
		handler(ev)
		if ev.Kind == transport.Disconnected {
			close(over)
		}
	}
}

func (p *pair) start() {
	var err error
	p.host, err = udp.Listen("127.0.0.1:0", p.config(p.watched(p.o.HostHandler, p.admitted)))
	require.NoError(p.t, err)
	p.client, err = udp.Dial(context.Background(), p.host.Addr().String(), p.config(p.watched(p.o.ClientHandler, nil)))
	require.NoError(p.t, err)
	switch {
	case p.o.Dialling:
	case p.o.HostHandler != nil:
		p.peer = <-p.admitted
	case p.o.Driving == udp.Background:
		p.peer, err = p.host.Accept(p.t.Context())
		require.NoError(p.t, err)
	default:
		p.meet()
	}
}

// meet drives both ends of a game loop until they are connected.
func (p *pair) meet() {
	for len(p.host.Conns()) == 0 || p.client.ID() == 0 {
		p.advance()
	}
	p.peer = p.host.Conns()[0]
}

// advance polls and flushes until nothing moves.
func (p *pair) advance() {
	for moved := p.moved(); ; {
		for _, d := range []driver{p.host, p.client} {
			d.Poll()
			d.Flush()
		}
		time.Sleep(100 * time.Microsecond)
		before := moved
		if moved = p.moved(); moved == before {
			return
		}
	}
}

func (p *pair) moved() uint64 {
	h, c := p.host.Stats(), p.client.HostStats()
	return h.DatagramsSent + h.DatagramsReceived + c.DatagramsSent + c.DatagramsReceived
}

// stop ends both ends. In the background their last goodbyes go on for a moment.
func (p *pair) stop() {
	p.client.Abort()
	p.host.Abort()
	for p.o.Driving == udp.GameLoop && !(p.client.NextDeadline() == noDeadline && p.host.NextDeadline() == noDeadline) {
		p.advance()
	}
	for _, over := range p.handlers {
		<-over
	}
}
