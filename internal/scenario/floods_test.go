package scenario

import (
	"encoding/binary"
	"fmt"
	"net/netip"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/framing"
	"github.com/gannet-net/gannet/sim"
	"github.com/gannet-net/gannet/transport"
	"github.com/gannet-net/gannet/udp"
)

func addr(s string) netip.Addr { return netip.MustParseAddr(s) }

// victim is the i-th address that an attacker makes up, of a private network in which nobody lives.
func victim(i int) netip.AddrPort {
	a := [4]byte{172, 16}
	binary.BigEndian.PutUint16(a[2:], uint16(i))
	return netip.AddrPortFrom(netip.AddrFrom4(a), 5000)
}

// ledger counts the bytes between a host and addresses at which nobody lives.
type ledger struct{ in, out map[netip.AddrPort]int }

func (w *world) ledger(h *app) *ledger {
	l := &ledger{map[netip.AddrPort]int{}, map[netip.AddrPort]int{}}
	w.nw.Watch(func(e sim.Event) {
		switch {
		case e.Kind == sim.Delivered && e.To == h.node:
			l.in[e.Source] += len(e.Payload)
		case e.Kind == sim.Sent && e.From == h.node:
			l.out[e.Destination] += len(e.Payload)
		}
	})
	return l
}

var connect = framing.AppendConnect(nil, framing.BaseVersion)

// B27, T01: Connects from made-up addresses fill a host, get less than they sent, and are gone in seconds.
func TestAConnectFloodIsBoundedCheapAndSoonOver(t *testing.T) {
	onBothProtocols(t, func(w *world) {
		h := w.host(func(c *udp.Config) { c.MaxPeers = 16 })
		r := w.raw("attacker", h)
		l := w.ledger(h)
		w.every(100*time.Microsecond, 10_000, func(i int) { r.node.Forge(connect, victim(i%200), r.to) })
		require.Equal(w, 16, h.peers())
		w.run(10 * time.Second)
		require.Zero(w, h.peers())
		require.Len(w, h.sessions, 16)
		for _, s := range h.sessions {
			require.Equal(w, transport.TimedOut, s.cause())
		}
		require.Len(w, l.in, 200)
		for i := range 200 {
			require.LessOrEqual(w, l.out[victim(i)], l.in[victim(i)], "no address gets more than came from it")
		}
		c := w.client("player", h)
		w.until(soon, c.connected)
	})
}

// B27, T03: the same with a host that has much to say to everybody who comes.
func TestAHostThatTalksToEverybodyAmplifiesNothing(t *testing.T) {
	onBothProtocols(t, func(w *world) {
		h := w.host()
		h.on = func(ev transport.Event) {
			if ev.Kind == transport.Connected {
				for range 100 {
					require.NoError(w, ev.Conn.Send(make([]byte, 1000), ordered))
					require.NoError(w, ev.Conn.Send([]byte("hello"), unreliable))
				}
			}
		}
		r := w.raw("attacker", h)
		l := w.ledger(h)
		const n = 200
		for copies := range 10 {
			for i := range n {
				if i%10 >= copies {
					r.node.Forge(connect, victim(i), r.to)
					w.run(2 * time.Millisecond)
				}
			}
		}
		w.run(20 * time.Second)
		require.Zero(w, h.peers())
		for i := range n {
			require.LessOrEqual(w, l.out[victim(i)], max(64, 3*l.in[victim(i)]), "over the whole life of the session")
		}
	})
}

// T01, T13: far more addresses than peers leave nothing in memory, inside the policy or outside.
func TestAFloodFromManyAddressesCostsNoMemory(t *testing.T) {
	n := size(50_000, 1_000_000)
	for name, plain := range map[string]udp.Plain{"outside the policy": udp.PlainLoopback, "inside it": udp.PlainPrivateLAN} {
		t.Run(name, func(t *testing.T) {
			sock := &feed{from: victim}
			h, err := udp.Listen("", udp.Config{Protocol: udp.Base, Driving: udp.GameLoop, Plain: plain, Socket: sock,
				Clock: func() int64 { return sock.now }})
			require.NoError(t, err)
			poll := func(n int) {
				for range n / 1000 {
					sock.left, sock.now = 1000, sock.now+int64(10*time.Millisecond)
					h.Poll()
					for _, ok := h.Next(); ok; _, ok = h.Next() {
					}
					h.Flush()
				}
			}
			sock.d = connect
			poll(10_000)
			before := heap()
			poll(n)
			require.LessOrEqual(t, heap(), before+1<<20)
			require.LessOrEqual(t, len(h.Conns()), framing.MaxPeerID)
			require.Equal(t, plain == udp.PlainLoopback, h.Stats().Drops[framing.DropPolicy] == h.Stats().DatagramsReceived)
		})
	}
}

// T01: what no peer sent is dropped without an allocation.
func TestDroppedDatagramsAllocateNothing(t *testing.T) {
	sock := &feed{from: func(i int) netip.AddrPort { return victim(i % 50) }}
	h, err := udp.Listen("", udp.Config{Protocol: udp.Base, Driving: udp.GameLoop, Socket: sock, Clock: func() int64 { return sock.now }})
	require.NoError(t, err)
	for _, d := range [][]byte{nil, {0}, {1}, []byte("\x01\xff\xffhello"), connect, []byte("\x04hello"), make([]byte, 1201), {2, 5}, {15}} {
		sock.d = d
		require.Zero(t, testing.AllocsPerRun(100, func() {
			sock.left = 100
			h.Poll()
		}), "% x", d)
	}
}

// feed is a socket at which one datagram waits as often as the test says, each from the next address.
type feed struct {
	d       []byte
	from    func(int) netip.AddrPort
	left, i int
	now     int64

	written int                          // datagrams
	wrote   func([]byte, netip.AddrPort) // nil if nobody looks at them
}

func (f *feed) TryRead(p []byte) (n int, from netip.AddrPort, at netip.Addr, err error) {
	if f.left == 0 {
		return 0, from, at, nil
	}
	f.left--
	f.i++
	return copy(p, f.d), f.from(f.i), at, nil
}

func (f *feed) Write(d []byte, to netip.AddrPort, _ netip.Addr) error {
	f.written++
	if f.wrote != nil {
		f.wrote(d, to)
	}
	return nil
}

func (f *feed) LocalAddr() netip.AddrPort { return local(port) }
func (f *feed) Close() error              { return nil }

// heap is what is in use after a collection.
func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// 5c row 17: Connects of one address, far faster than any client.
func TestConnectsOfOneAddressAreLimited(t *testing.T) {
	const seconds = 1
	w := newWorld(t)
	h := w.host()
	r := w.raw("attacker", h)
	answers, n := 0, 10_000*seconds
	w.every(100*time.Microsecond, n, func(int) {
		r.sends("connect other")
		answers += len(r.got())
	})
	require.InDelta(t, 5+seconds*20, answers, 1)
	require.Equal(t, n-answers, h.drops(framing.DropRate))
}

// T03: a peer that only acks, as fast as it can.
func TestAPeerThatAcksAtOnceGetsNoMoreThanTheCeiling(t *testing.T) {
	const ceiling = 64 << 10
	w := newWorld(t)
	h := w.host(func(c *udp.Config) { c.SendCeiling = ceiling })
	r := w.raw("greedy", h).joins()
	l := w.ledger(h)
	s := h.session()
	w.every(time.Millisecond, 10_000, func(int) {
		for s.conn.Send(make([]byte, 1000), ordered) == nil {
		}
		h.wake()
		for _, f := range r.got() {
			var seq int32
			if n, _ := fmt.Sscanf(f, "reliable %d ", &seq); n == 1 {
				r.sendsBytes(framing.AppendAck(nil, seq))
			}
		}
	})
	require.InDelta(t, 10*ceiling, l.out[r.address()], 0.1*10*ceiling)
	require.LessOrEqual(t, l.out[r.address()], 10*ceiling+10*framing.MaxDatagram)
}
