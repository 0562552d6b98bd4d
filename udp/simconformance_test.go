package udp_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/sim"
	"github.com/gannet-net/gannet/transport"
	"github.com/gannet-net/gannet/transport/transporttest"
	"github.com/gannet-net/gannet/udp"
)

// The simulator has no background: its sockets do not wait. So the other styles are skipped.
func TestConformanceOnTheSimulator(t *testing.T) {
	for _, row := range []struct {
		protocol udp.Protocol
		batches  bool
		offload  udp.OffloadMode
	}{{udp.Secure, false, udp.OffloadOff}, {udp.Base, false, udp.OffloadOff}, {udp.Secure, true, udp.OffloadOff}, {udp.Secure, true, udp.OffloadOn}, {udp.Base, true, udp.OffloadOff}} {
		t.Run(fmt.Sprintf("%v, batches %v, offload %v", row.protocol, row.batches, row.offload), func(t *testing.T) {
			var probed atomic.Bool
			transporttest.Run(t, func(t *testing.T, o transporttest.Options) transporttest.Pair {
				if probed.Swap(true) && o.Driving == udp.Background {
					t.Skip("not in the background")
				}
				p := meetSimulated(t, row.protocol, row.batches, row.offload, o)
				return transporttest.Pair{Client: p.client, Host: p.peer, Advance: p.advance, Stop: p.stop}
			})
		})
	}
}

// simulatedPair is a host with one client on a simulated network.
type simulatedPair struct {
	nw     *sim.Network
	host   *udp.Host
	client *udp.Conn
	peer   transport.Conn
}

func meetSimulated(t *testing.T, protocol udp.Protocol, batches bool, offload udp.OffloadMode, o transporttest.Options) *simulatedPair {
	nw := sim.New(1)
	nw.SetDefault(sim.Conditions{Delay: time.Millisecond})
	config := func(n *sim.Node, port uint16) udp.Config {
		plain, err := n.Listen(port)
		require.NoError(t, err)
		sock := udp.Socket(plain)
		if batches {
			sock = &batched{Socket: plain, runs: true}
		}
		return udp.Config{
			Protocol: protocol, Plain: udp.PlainPrivateLAN, Driving: udp.GameLoop, Socket: sock, Clock: n.Clock, Seed: [32]byte{1}, Poison: o.Poison, Offload: offload,
			SendQueueMessages: o.QueueMessages, UnreadMessages: o.QueueMessages,
		}
	}
	server, player := nw.Node("server"), nw.Node("player")
	p := &simulatedPair{nw: nw}
	var err error
	p.host, err = udp.Listen("", config(server, port))
	require.NoError(t, err)
	p.client, err = udp.Dial(context.Background(), server.AddrPort(port).String(), config(player, 0))
	require.NoError(t, err)
	for !o.Dialling && (len(p.host.Conns()) == 0 || p.client.ID() == 0) {
		p.advance()
	}
	if conns := p.host.Conns(); len(conns) > 0 {
		p.peer = conns[0]
	}
	return p
}

// advance goes on until nothing moves for two ticks, so that all that is on its way arrives.
func (p *simulatedPair) advance() {
	for still := 0; still < 2; still++ {
		before := p.moved()
		for _, d := range []driver{p.host, p.client} {
			d.Poll()
			d.Flush()
		}
		p.nw.RunFor(time.Millisecond)
		if p.moved() != before {
			still = -1
		}
	}
}

func (p *simulatedPair) moved() uint64 {
	h, c := p.host.Stats(), p.client.HostStats()
	return h.DatagramsSent + h.DatagramsReceived + c.DatagramsSent + c.DatagramsReceived
}

func (p *simulatedPair) stop() {
	p.client.Abort()
	p.host.Abort()
	for p.client.NextDeadline() != noDeadline || p.host.NextDeadline() != noDeadline {
		p.advance()
	}
}
