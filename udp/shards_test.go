package udp_test

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/transport"
	"github.com/gannet-net/gannet/udp"
)

func needShards(t *testing.T) {
	t.Helper()
	if runtime.GOOS != "linux" {
		_, err := udp.ListenShards("127.0.0.1:0", 2, udp.Config{})
		require.ErrorIs(t, err, errors.ErrUnsupported)
		t.Skip("Linux alone spreads a port")
	}
}

func echoBack(ev transport.Event) {
	if ev.Kind == transport.Message {
		_ = ev.Conn.Send(ev.Payload, transport.SendOptions{Delivery: ev.Delivery})
	}
}

// listenShards opens hosts that send back what they get.
func listenShards(t *testing.T, n int) []*udp.Host {
	t.Helper()
	hosts, err := udp.ListenShards("127.0.0.1:0", n, udp.Config{Handler: echoBack})
	require.NoError(t, err)
	for _, h := range hosts {
		t.Cleanup(func() { finish(h) })
	}
	return hosts
}

func TestShardsShareOnePortAndItsClients(t *testing.T) {
	t.Parallel()
	needShards(t)
	hosts := listenShards(t, 4)
	for i := range 40 {
		require.Equal(t, hosts[0].Addr(), hosts[i%4].Addr())
		require.Equal(t, hosts[0].Key(), hosts[i%4].Key())
		c := dial(t, hosts[0], udp.Config{HostKey: hosts[0].Key()})
		send(t, c, fmt.Sprint(i), ordered)
		require.Equal(t, fmt.Sprint(i), receive(t, c))
	}
	peers, most := 0, 0
	for _, h := range hosts {
		peers += h.Stats().Peers
		most = max(most, h.Stats().Peers)
		require.Zero(t, h.Stats().HandedOver)
	}
	require.Equal(t, 40, peers)
	require.Less(t, most, 40, "all are in one")
}

// mobile passes datagrams on between a client and a host, and goes on from another port whenever it is told to.
type mobile struct {
	*testing.T
	inside *net.UDPConn
	host   netip.AddrPort
	wg     sync.WaitGroup

	mu      sync.Mutex
	client  netip.AddrPort
	outside []*net.UDPConn // the last is in use, and all are listened to
}

func newMobile(t *testing.T, host netip.AddrPort) *mobile {
	m := &mobile{T: t, inside: rawUDP(t, "127.0.0.1:0"), host: host}
	m.move()
	m.wg.Go(func() {
		buf := make([]byte, 2000)
		for {
			n, from, err := m.inside.ReadFromUDPAddrPort(buf)
			if err != nil {
				return
			}
			m.mu.Lock()
			m.client = from
			out := m.outside[len(m.outside)-1]
			m.mu.Unlock()
			_, _ = out.WriteToUDPAddrPort(buf[:n], m.host)
		}
	})
	t.Cleanup(func() {
		m.inside.Close()
		m.mu.Lock()
		for _, conn := range m.outside {
			conn.Close()
		}
		m.mu.Unlock()
		m.wg.Wait()
	})
	return m
}

func (m *mobile) move() {
	conn := rawUDP(m.T, "127.0.0.1:0")
	m.mu.Lock()
	m.outside = append(m.outside, conn)
	m.mu.Unlock()
	m.wg.Go(func() {
		buf := make([]byte, 2000)
		for {
			n, _, err := conn.ReadFromUDPAddrPort(buf)
			if err != nil {
				return
			}
			m.mu.Lock()
			client := m.client
			m.mu.Unlock()
			_, _ = m.inside.WriteToUDPAddrPort(buf[:n], client)
		}
	})
}

func handedOver(hosts []*udp.Host) (n uint64) {
	for _, h := range hosts {
		n += h.Stats().HandedOver
	}
	return n
}

// roams moves a client from port to port until its datagrams come to another shard, and wants each message answered.
func roams(t *testing.T, hosts []*udp.Host) {
	t.Helper()
	m := newMobile(t, hosts[0].Addr())
	c, err := udp.Dial(testContext(t), m.inside.LocalAddr().String(), udp.Config{})
	require.NoError(t, err)
	t.Cleanup(func() { finish(c) })
	for i := range 40 {
		send(t, c, fmt.Sprint(i), ordered)
		require.Equal(t, fmt.Sprint(i), receive(t, c))
		if handedOver(hosts) > 4 {
			return
		}
		m.move()
	}
	require.Fail(t, "all ports are of one shard")
}

func TestAClientThatMovesToThePortOfAnotherShardStaysWithItsHost(t *testing.T) {
	needShards(t)
	hosts := listenShards(t, 4)
	roams(t, hosts)
	peers := 0
	for _, h := range hosts {
		peers += h.Stats().Peers
	}
	require.Equal(t, 1, peers)
}

func TestShardsInGameLoopsWakeOneAnother(t *testing.T) {
	needShards(t)
	hosts, err := udp.ListenShards("127.0.0.1:0", 3, udp.Config{Driving: udp.GameLoop})
	require.NoError(t, err)
	var wg sync.WaitGroup
	for _, h := range hosts {
		wg.Go(func() { frames(h, echoBack, h.Closed) })
	}
	t.Cleanup(func() {
		for _, h := range hosts {
			h.Abort()
		}
		wg.Wait()
	})
	roams(t, hosts)
}

func TestAShardThatClosesLeavesTheOthersTheirSessions(t *testing.T) {
	t.Parallel()
	needShards(t)
	hosts := listenShards(t, 4)
	var clients []*udp.Conn
	for range 12 {
		clients = append(clients, dial(t, hosts[0], udp.Config{}))
	}
	require.NoError(t, hosts[3].Close())
	for i, c := range clients {
		if c.Send([]byte("still there"), ordered) != nil {
			continue
		}
		ev, err := c.Receive(testContext(t), nil)
		if err != nil { // it was of the one that closed
			var end *transport.DisconnectError
			require.ErrorAs(t, err, &end)
			continue
		}
		require.Equal(t, "still there", string(ev.Payload), i)
	}
	peers := 0
	for _, h := range hosts[:3] {
		peers += h.Stats().Peers
	}
	require.Positive(t, peers)
}

func TestShardsRefuseWhatTheyCannotShare(t *testing.T) {
	for _, row := range []struct {
		n int
		c udp.Config
	}{{0, udp.Config{}}, {257, udp.Config{}}, {2, udp.Config{Seed: [32]byte{1}}}, {2, udp.Config{PacketConn: hidden{}}}} {
		_, err := udp.ListenShards("127.0.0.1:0", row.n, row.c)
		require.Error(t, err)
	}
	_, err := udp.ListenShards("127.0.0.1:0", 1, udp.Config{MaxPeers: -1})
	require.Error(t, err)
}
