package udp_test

import (
	"encoding/binary"
	"net"
	"net/netip"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/framing"
	"github.com/gannet-net/gannet/reliable"
	"github.com/gannet-net/gannet/secure"
	"github.com/gannet-net/gannet/transport"
	"github.com/gannet-net/gannet/udp"
)

// counter is the socket of a host whose clients stand at it, one at a time: nothing of them is left once they have gone, so that all that the heap
// has grown by is the host's.
type counter struct {
	*testing.T
	now  int64
	host *udp.Host

	in     []byte // what the client says now, nil if nothing
	out    [][]byte
	from   netip.AddrPort
	closed bool
}

func (c *counter) TryRead(b []byte) (n int, from netip.AddrPort, at netip.Addr, err error) {
	switch {
	case c.closed:
		return 0, from, at, net.ErrClosed
	case c.in == nil:
		return 0, from, at, nil
	}
	n, c.in = copy(b, c.in), nil
	return n, c.from, at, nil
}

func (c *counter) Write(d []byte, to netip.AddrPort, _ netip.Addr) error {
	if to == c.from {
		c.out = append(c.out, append([]byte(nil), d...))
	}
	return nil
}

func (c *counter) LocalAddr() netip.AddrPort { return netip.AddrPort{} }
func (c *counter) Close() error              { c.closed = true; return nil }

func newCounter(t *testing.T) *counter {
	c := &counter{T: t}
	config := keyed()
	config.Driving, config.Socket, config.Seed = udp.GameLoop, c, [32]byte{1}
	config.Heartbeat, config.Timeout = 10*time.Minute, time.Hour // clients that have gone are not missed
	config.Clock, config.UnixTime = func() int64 { return c.now }, func() int64 { return epoch + c.now/int64(time.Second) }
	var err error
	c.host, err = udp.Listen("", config)
	require.NoError(t, err)
	return c
}

// gives hands a datagram of the client to the host, and takes what the host says to it.
func (c *counter) gives(d []byte) [][]byte {
	c.in, c.out = d, nil
	c.frame()
	return c.out
}

func (c *counter) frame() {
	c.host.Poll()
	for _, ok := c.host.Next(); ok; _, ok = c.host.Next() {
	}
	c.host.Flush()
}

// joins lets the n-th client join from an address of its own, and gives its side of the connection.
func (c *counter) joins(n int) *reliable.Endpoint {
	c.Helper()
	var addr [4]byte
	binary.BigEndian.PutUint32(addr[:], 10<<24|uint32(n))
	c.from = netip.AddrPortFrom(netip.AddrFrom4(addr), 4000)
	var seed secure.Secret
	binary.LittleEndian.PutUint64(seed[:], uint64(n)+1)
	client, err := secure.NewClient(c.now, secure.ClientConfig{Seed: seed, HostKey: hostKey.Public()})
	require.NoError(c, err)
	for joined, _ := client.Outcome(); joined == nil; joined, _ = client.Outcome() {
		answers := c.gives(client.PollDatagram(c.now, nil))
		require.Len(c, answers, 1)
		require.Equal(c, framing.Accepted, client.HandleDatagram(c.now, answers[0]))
	}
	joined, _ := client.Outcome()
	ep := reliable.New(c.now, reliable.Config{Role: framing.Client, Sealer: joined.Session, Seed: seed})
	c.talks(ep)
	return ep
}

// talks carries what both sides say in 200 ms, in which all is acked.
func (c *counter) talks(ep *reliable.Endpoint) {
	for range 10 {
		c.now += int64(20 * time.Millisecond)
		c.gives(nil)
		for _, answer := range c.out {
			ep.HandleDatagram(c.now, answer)
		}
		for d := ep.PollDatagram(c.now, nil); d != nil; d = ep.PollDatagram(c.now, nil) {
			c.gives(d)
			for _, answer := range c.out {
				ep.HandleDatagram(c.now, answer)
			}
		}
	}
}

func liveHeap() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// bytesPerSession is what the heap of a host grows by for each of 240 sessions: talk is what each has said and heard before its client is gone,
// and last what happens at the host to all of them just before they are measured.
func bytesPerSession(t *testing.T, talk func(c *counter, ep *reliable.Endpoint), last func(c *counter, conns []transport.Conn)) int64 {
	const made, sessions = 60, 240 // the first for what is made once
	c := newCounter(t)
	for n := range made {
		talk(c, c.joins(n))
	}
	before := c.heapAtRest()
	for n := range sessions {
		talk(c, c.joins(made+n))
	}
	c.heapAtRest()
	conns := c.host.Conns()
	require.Len(t, conns, made+sessions)
	last(c, conns[made:])
	grown := liveHeap() - before
	runtime.KeepAlive(c)
	return grown / sessions
}

// heapAtRest is the heap once nothing is left of handshakes.
func (c *counter) heapAtRest() int64 {
	c.now += int64(6 * time.Second)
	c.frame()
	return liveHeap()
}

func TestASessionOfAHostTakesLittleMemory(t *testing.T) {
	idle := bytesPerSession(t, func(*counter, *reliable.Endpoint) {}, func(*counter, []transport.Conn) {})
	active := bytesPerSession(t, func(c *counter, ep *reliable.Endpoint) {
		conn := c.host.Find(c.from)
		for range 16 {
			require.NoError(t, ep.Send(c.now, make([]byte, 64), reliable.SendOptions{Mode: reliable.ReliableOrdered}))
			require.NoError(t, conn.Send(make([]byte, 64), ordered))
		}
		c.talks(ep)
	}, func(c *counter, conns []transport.Conn) {
		for range 16 { // as many in flight
			for _, conn := range conns {
				require.NoError(t, conn.Send(make([]byte, 64), ordered))
			}
			c.now += int64(time.Millisecond)
			c.frame()
		}
	})
	t.Logf("%d bytes, %d in play", idle, active)
	require.LessOrEqual(t, idle, int64(5<<10))
	require.LessOrEqual(t, active, int64(12<<10))
}
