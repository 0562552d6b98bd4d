package sim_test

import (
	"math"
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/sim"
)

// FuzzFaultScripts plays scripts of faults on a small network. Whatever happens, the books balance, and the same script gives the
// same run.
func FuzzFaultScripts(f *testing.F) {
	f.Add(uint64(1), []byte("\x00\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b\x0c\x0d\x0e\x0f\x10\x11\x12\x13"))
	f.Add(uint64(2), []byte("\x07\x00\x30\x05\x00\x00\x09\x01\x0a\x00\x00\x08\x02\x00\x40\x0b\x05\x00\x01\x06\x00\x22"))
	f.Fuzz(func(t *testing.T, seed uint64, script []byte) {
		if len(script) > 300 {
			return
		}
		require.Equal(t, play(t, seed, script), play(t, seed, script))
	})
}

// stage is what a script plays on: two nodes outside and one behind a box, with a socket each.
type stage struct {
	t       *testing.T
	nw      *sim.Network
	box     *sim.NAT
	nodes   [3]*sim.Node
	sockets [3]*sim.Socket
}

func play(t *testing.T, seed uint64, script []byte) uint64 {
	s := &stage{t: t, nw: sim.New(seed)}
	s.box = s.nw.NAT("box", sim.NATConfig{Outside: []netip.Addr{addr("203.0.113.1")}, Expiry: time.Second})
	s.nodes = [3]*sim.Node{s.nw.Node("a"), s.nw.Node("b"), s.box.Node("c")}
	for i := range s.nodes {
		s.open(i)
	}
	for len(script) >= 3 {
		s.act(script[0], int(script[1])%3, script[2])
		script = script[3:]
	}
	require.NoError(t, s.nw.Audit())
	s.nw.RunFor(time.Minute)
	requireBooks(t, s.nw)
	return s.nw.TraceHash()
}

func (s *stage) open(i int) {
	if socket, err := s.nodes[i].Listen(7000); err == nil {
		s.sockets[i] = socket
		s.nodes[i].Attach(shrinkingEcho(socket), socket)
	}
}

// shrinkingEcho answers with less than it got, and so not for ever, more than Extend adds.
func shrinkingEcho(s *sim.Socket) sim.Process {
	buf := make([]byte, 1500)
	return sim.ProcessFunc(func(int64) int64 {
		for s.Waiting() > 0 {
			if n, from, at, _ := s.TryRead(buf); n >= 100 {
				_ = s.Write(buf[:n-100], from, at)
			}
		}
		return math.MaxInt64
	})
}

// act does one thing to node i.
func (s *stage) act(what byte, i int, arg byte) {
	n, socket, other := s.nodes[i], s.sockets[i], s.nodes[(i+1)%3]
	wait := time.Duration(arg) * time.Millisecond
	switch what % 16 {
	case 0:
		_ = socket.Write(make([]byte, int(arg)*5), at("10.0.0.1:7000"), addrNone)
	case 1:
		n.Forge([]byte{arg}, at("203.0.113.1:20000"), at("10.0.0.2:7000"))
	case 2:
		s.nw.RunFor(wait)
	case 3:
		s.nw.SetLink(n, other, s.conditions(arg))
	case 4:
		s.nw.SetDefault(s.conditions(arg))
	case 5:
		s.nw.Cut(n, other)
	case 6:
		s.nw.Heal(n, other)
	case 7:
		n.Freeze(wait)
	case 8:
		n.Suspend(wait)
	case 9:
		n.Kill()
	case 10:
		n.Restart()
		s.open(i)
	case 11:
		n.SetDrift(int64(arg)*5_000 - 600_000)
	case 12:
		n.JumpClock(wait - 100*time.Millisecond)
	case 13:
		s.box.Rebind()
	case 14:
		socket.SetReadBuffer(int(arg) * 100)
	case 15:
		_ = socket.Close()
	}
}

// conditions have an impairment for each bit.
func (s *stage) conditions(bits byte) sim.Conditions {
	c := sim.Conditions{Delay: 3 * time.Millisecond, Loss: sim.Percent(30)}
	if bits&1 != 0 {
		c.Jitter = 2 * time.Millisecond
	}
	if bits&2 != 0 {
		c.Duplicate = sim.Percent(10)
	}
	if bits&4 != 0 {
		c.Corrupt, c.Truncate, c.Extend = sim.Percent(20), sim.Percent(20), sim.Percent(20)
	}
	if bits&8 != 0 {
		c.Reorder, c.ReorderDelay = sim.Percent(20), time.Millisecond
	}
	if bits&16 != 0 {
		c.Rate, c.Queue = 1_000_000, 3_000
	}
	if bits&32 != 0 {
		c.Outage = sim.Outage{Average: sim.Percent(20), Mean: 20 * time.Millisecond}
	}
	if bits&64 != 0 {
		c.Burst = sim.Burst{Average: sim.Percent(20), Length: 3}
	}
	if bits&128 != 0 {
		c.KeepOrder, c.MTU = true, 500
	}
	return c
}
