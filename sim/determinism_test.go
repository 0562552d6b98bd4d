package sim_test

import (
	"fmt"
	"math"
	"net/netip"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/sim"
)

// harsh has every impairment on.
var harsh = sim.Conditions{Delay: 40 * time.Millisecond, Jitter: 10 * time.Millisecond, Loss: sim.Percent(20),
	Burst: sim.Burst{Average: sim.Percent(2), Length: 3}, Outage: sim.Outage{Average: sim.Percent(2), Mean: 80 * time.Millisecond},
	Duplicate: sim.Percent(5), Reorder: sim.Percent(5), ReorderDelay: 20 * time.Millisecond,
	Corrupt: sim.Percent(1), Truncate: sim.Percent(1), Extend: sim.Percent(1), Rate: 2_000_000, Queue: 20_000}

// party is a host that echoes and players that join, leave and crash; every other one is behind a NAT box. It returns
// the network at its end.
func party(seed uint64, players int, idle ...string) *sim.Network {
	nw := sim.New(seed)
	nw.SetDefault(harsh)
	for i, name := range idle {
		_, _ = nw.Node(name, addr(fmt.Sprintf("198.51.100.%d", i+1))).Listen(0)
	}
	host := nw.Node("host", addr("192.0.2.1"))
	h, _ := host.Listen(7000)
	host.Attach(echo(h), h)
	for i := range players {
		n := guest(nw, i)
		s, _ := n.Listen(0)
		n.SetDrift(int64(i)*100 - 400)
		n.Attach(player(n, s, int64(i)), s)
	}
	nw.At(5000*ms, func() { host.Freeze(300 * time.Millisecond) })
	nw.RunFor(10 * time.Second)
	return nw
}

// guest makes the node of a player.
func guest(nw *sim.Network, i int) *sim.Node {
	name := fmt.Sprint("player ", i)
	if i%2 == 0 {
		return nw.Node(name)
	}
	outside := []netip.Addr{addr(fmt.Sprintf("203.0.113.%d", i))}
	box := nw.NAT("box of "+name, sim.NATConfig{Outside: outside, Expiry: time.Second})
	nw.At(3000*ms, box.Rebind)
	return box.Node(name)
}

// echo answers what it gets.
func echo(s *sim.Socket) sim.Process {
	buf := make([]byte, 1500)
	return sim.ProcessFunc(func(int64) int64 {
		for s.Waiting() > 0 {
			n, from, at, _ := s.TryRead(buf)
			_ = s.Write(buf[:n], from, at)
		}
		return math.MaxInt64
	})
}

// player sends thirty times a second from when it joins to when it leaves.
func player(n *sim.Node, s *sim.Socket, i int64) sim.Process {
	buf := make([]byte, 1500)
	next := i * 200 * ms
	return sim.ProcessFunc(func(now int64) int64 {
		for s.Waiting() > 0 {
			s.TryRead(buf)
		}
		if now > (6+i)*1000*ms {
			n.Kill()
			return math.MaxInt64
		}
		if now >= next {
			_ = s.Write(buf[:20+i*10], at("192.0.2.1:7000"), addrNone)
			next += 33 * ms
		}
		return next
	})
}

func TestOneSeedIsOneRun(t *testing.T) {
	before := runtime.GOMAXPROCS(0)
	defer runtime.GOMAXPROCS(before)
	want := party(1, 8)
	require.NoError(t, want.Audit())
	for i := range 50 {
		runtime.GOMAXPROCS([]int{1, 2, 16}[i%3])
		require.Equal(t, want.TraceHash(), party(1, 8).TraceHash(), "seed 1, run %d", i)
	}
}

// TestRunIsTheSameOnEveryPlatform pins a whole run. If the simulator is meant to behave otherwise from now on, take
// over the new value.
func TestRunIsTheSameOnEveryPlatform(t *testing.T) {
	require.Equal(t, uint64(0xbcbbfae02f1a0967), party(1, 8).TraceHash())
}

func TestSeedsGiveDifferentRuns(t *testing.T) {
	seen := map[uint64]uint64{}
	for seed := range uint64(50) {
		hash := party(seed, 3).TraceHash()
		require.NotContains(t, seen, hash, "seeds %d and %d", seed, seen[hash])
		seen[hash] = seed
	}
}

func TestIdleNodesShiftNothing(t *testing.T) {
	require.Equal(t, party(2, 8).TraceHash(), party(2, 8, "ninth").TraceHash())
	require.Equal(t, party(2, 8).TraceHash(), party(2, 8, "ninth", "tenth").TraceHash())
}

// fates gives what becomes of each of n numbers on the way to the host, in the presence of others.
func fates(c sim.Conditions, n int, others int) (lost []bool, copies []bool) {
	nw := sim.New(3)
	nw.SetDefault(harsh)
	for i := range others {
		o := nw.Node(fmt.Sprint("other ", i), addr(fmt.Sprintf("198.51.100.%d", i+1)))
		s, _ := o.Listen(0)
		o.Attach(sim.ProcessFunc(func(now int64) int64 {
			_ = s.Write([]byte("noise"), at("192.0.2.1:7000"), addrNone)
			return now + 7*ms
		}))
	}
	host, client := nw.Node("host", addr("192.0.2.1")), nw.Node("client", addr("192.0.2.2"))
	s, _ := client.Listen(4000)
	_, _ = host.Listen(7000)
	nw.SetLink(client, host, c)
	lost, copies = make([]bool, n), make([]bool, n)
	nw.Watch(func(e sim.Event) {
		if e.From != client {
			return
		}
		i := int(e.Payload[0])<<8 | int(e.Payload[1])
		switch e.Kind {
		case sim.Lost:
			lost[i] = lost[i] || e.Drop == sim.DropLoss
		case sim.Duplicated:
			copies[i] = true
		}
	})
	for i := range n {
		_ = s.Write([]byte{byte(i >> 8), byte(i)}, at("192.0.2.1:7000"), addrNone)
		nw.RunFor(time.Millisecond)
	}
	nw.RunFor(time.Second)
	return lost, copies
}

func TestOtherNodesAndImpairmentsShiftNoDraw(t *testing.T) {
	const n = 5_000
	lossOnly, _ := fates(sim.Conditions{Loss: sim.Percent(20)}, n, 0)
	_, copiesOnly := fates(sim.Conditions{Duplicate: sim.Percent(20)}, n, 0)
	require.True(t, equal(lossOnly, first(fates(sim.Conditions{Loss: sim.Percent(20)}, n, 3))), "other nodes")

	both := sim.Conditions{Loss: sim.Percent(20), Duplicate: sim.Percent(20)}
	everything := both
	everything.Delay, everything.Jitter = 10*time.Millisecond, 5*time.Millisecond
	everything.Reorder, everything.ReorderDelay = sim.Percent(20), time.Millisecond
	everything.Rate = 100_000_000
	for _, c := range []sim.Conditions{both, everything} {
		lost, copies := fates(c, n, 1)
		require.True(t, equal(lossOnly, lost))
		for i := range n {
			require.Equal(t, copiesOnly[i] && !lost[i], copies[i], "a copy is made of the same datagrams, unless lost")
		}
	}
}

func first(lost, _ []bool) []bool { return lost }

func equal(a, b []bool) bool { return fmt.Sprint(a) == fmt.Sprint(b) }

func TestDirectionsDrawIndependently(t *testing.T) {
	p := newPair(1, sim.Conditions{Loss: sim.Percent(50)})
	p.nw.SetLink(p.host, p.client, sim.Conditions{Loss: sim.Percent(50)})
	for i := range 10_000 {
		sendNumber(t, i, p.h, p.clientAddr())
		p.send(t, i, i+1)
		p.nw.RunFor(time.Microsecond)
	}
	there, back := p.receive(t), drain(t, p.c)
	arrived := map[int]int{}
	for _, i := range append(there, back...) {
		arrived[i]++
	}
	both := 0
	for _, n := range arrived {
		both += n / 2
	}
	require.InDelta(t, 2_500, both, 250)
}

func TestSeedsOfTheCallersOwnDependOnSeedAndNames(t *testing.T) {
	nw := sim.New(1)
	require.Equal(t, nw.Seed("host"), sim.New(1).Seed("host"))
	require.NotEqual(t, nw.Seed("host"), sim.New(2).Seed("host"))
	require.NotEqual(t, nw.Seed("a", "bc"), nw.Seed("ab", "c"))
	before := nw.TraceHash()
	nw.Seed("host")
	require.Equal(t, before, nw.TraceHash())
}

func TestHashSeesTimesPayloadsAndNotes(t *testing.T) {
	run := func(payload string, delay time.Duration, note string) uint64 {
		p := newPair(1, sim.Conditions{Delay: delay})
		_ = p.c.Write([]byte(payload), p.to, addrNone)
		p.nw.RunFor(time.Second)
		p.nw.Note(note)
		return p.nw.TraceHash()
	}
	base := run("payload", time.Millisecond, "note")
	require.Equal(t, base, run("payload", time.Millisecond, "note"))
	require.NotEqual(t, base, run("Payload", time.Millisecond, "note"))
	require.NotEqual(t, base, run("payload", time.Millisecond+1, "note"))
	require.NotEqual(t, base, run("payload", time.Millisecond, "Note"))
}
