package secure

import (
	"fmt"
	"math/rand/v2"
	"net/netip"
	"strconv"
	"strings"
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/require"
)

// Addresses of the scripts: A2 and A3 are other ports of A, "a" is A in its IPv6 form.
var pathAddresses = map[string]netip.AddrPort{
	"A": netip.MustParseAddrPort("192.0.2.1:1000"), "A2": netip.MustParseAddrPort("192.0.2.1:2000"), "A3": netip.MustParseAddrPort("192.0.2.1:3000"),
	"a": netip.MustParseAddrPort("[::ffff:192.0.2.1]:1000"), "a2": netip.MustParseAddrPort("[::ffff:192.0.2.1]:2000"),
	"B": netip.MustParseAddrPort("198.51.100.1:1000"), "b": netip.MustParseAddrPort("[::ffff:198.51.100.1]:1000"),
	"C": netip.MustParseAddrPort("[2001:db8::1]:1000"), "C2": netip.MustParseAddrPort("[2001:db8::1]:2000"),
}

func nameOf(a netip.AddrPort) string {
	for _, name := range []string{"A", "A2", "A3", "B", "C", "C2"} {
		if pathAddresses[name] == a {
			return name
		}
	}
	return a.String()
}

var pathEvents = [...]string{PathStays: "stays", PathFollowed: "followed", PathBack: "back", PathProved: "proved", PathMoved: "moved"}

// pathScripts are what a host sees, a step a line, and what has to come of it. The peer is at A at first.
//
//	new B 100: stays      a packet of 100 bytes from B opened, with the highest number so far; old: with another one
//	ask: B #1             the challenge that is due goes to B, and has the first random that was drawn; "ask: nothing"
//	answer B #1: moved 20ms
//	next: 250ms           the deadline from now on; "never", and "now" for all that is past
//	send 100: A           where a datagram of 100 bytes goes
//	wait 250ms
var pathScripts = []struct{ name, script string }{
	{"nothing is asked while the peer stays", `
		new A 100: stays
		old A 100: stays
		new a 100: stays
		next: never
		ask: nothing
		send 1200: A`},
	{"another IP address gets nothing but challenges before it is proved", `
		new B 100: stays
		send 1200: A
		next: now
		ask: B #1
		send 30: A
		wait 20ms
		new B 50: stays
		answer B #1: moved 20ms
		send 1200: B
		next: never
		new A 100: stays
		ask: nothing
		wait 230ms
		ask: A #2
		answer A #2: moved 0s
		send 100: A`},
	{"another port is followed at once, for three times what came from it", `
		new A2 100: followed
		send 200: A2
		send 67: A
		send 66: A2
		send 1: A
		ask: A2 #1
		old A2 50: stays
		send 116: A2
		send 1: A
		answer A2 #1: proved 0s
		send 1200: A2
		next: never`},
	{"another port of IPv6 is followed, another address is not", `
		new C 100: stays
		ask: C #1
		answer C #1: moved 0s
		new C2 100: followed
		send 100: C2
		new A 100: back
		send 100: C`},
	{"the peer is where it was if it is heard from there again", `
		new A2 100: followed
		ask: A2 #1
		new A 100: back
		send 100: A
		next: never
		answer A2 #1: stays
		new B 100: stays
		new A 100: stays
		ask: nothing
		answer B #1: stays
		proved: A`},
	{"what left before the peer moved ends no check", `
		new A2 100: followed
		old A 100: stays
		send 100: A2
		new B 100: back
		old A 100: stays
		old A2 100: stays
		ask: B #1`},
	{"an old packet begins no check", `
		old A2 100: stays
		old B 100: stays
		next: never
		ask: nothing`},
	{"three challenges, 250 ms apart", `
		new B 100: stays
		ask: B #1
		ask: nothing
		next: 250ms
		wait 249ms
		ask: nothing
		wait 1ms
		ask: B #1
		wait 250ms
		ask: B #1
		next: never
		wait 1h
		ask: nothing
		answer B #1: moved 0s`},
	{"one that is heard again is asked again", `
		new B 100: stays
		ask: B #1
		wait 250ms
		ask: B #1
		wait 250ms
		ask: B #1
		old B 100: stays
		next: never
		new B 100: stays
		next: 250ms
		wait 1s
		ask: B #1
		new B 100: stays
		wait 250ms
		ask: B #1
		wait 250ms
		ask: B #1
		wait 250ms
		ask: B #1
		next: never`},
	{"challenges are within the budget, and the first always is", `
		new B 26: stays
		ask: B #1
		wait 250ms
		ask: B #1
		wait 250ms
		next: never
		ask: nothing
		old B 26: stays
		next: now
		ask: B #1
		next: never
		new B 26: stays
		next: 250ms`},
	{"what follows a port leaves room for the next challenge", `
		new A2 26: followed
		send 45: A
		send 44: A2
		send 1: A
		ask: A2 #1
		wait 250ms
		ask: nothing
		new A2 26: stays
		send 1000: A
		send 44: A2
		ask: A2 #1`},
	{"only the newest address is asked, and addresses that change often are not asked more", `
		new B 100: stays
		ask: B #1
		new C 100: stays
		answer B #1: stays
		next: 250ms
		new A2 100: followed
		new A3 100: followed
		send 100: A3
		ask: nothing
		wait 250ms
		ask: A3 #2
		answer C #1: stays
		answer A3 #2: proved 0s`},
	{"a response counts from where the challenge went and with its random", `
		new B 100: stays
		answer B #0: stays
		ask: B #1
		answer C #1: stays
		answer A #1: stays
		answer B #0: stays
		answer B #2: stays
		send 100: A
		answer B #1: moved 0s
		answer B #1: stays`},
	{"a candidate that is asked anew has a random of its own", `
		new B 100: stays
		ask: B #1
		new A 100: stays
		wait 250ms
		new B 100: stays
		answer B #1: stays
		ask: B #2
		answer B #1: stays
		answer B #2: moved 0s`},
	{"a late answer to the first of several counts, but is no round trip", `
		new B 100: stays
		ask: B #1
		wait 250ms
		ask: B #1
		wait 50ms
		answer B #1: moved 0s`},
	{"an address is the same in its IPv6 form", `
		new a2 100: followed
		new b 100: back
		ask: B #1
		answer b #1: moved 0s
		proved: B
		new a 100: stays
		wait 250ms
		ask: A #2
		answer A #2: moved 0s`},
	{"an idle peer is found by its heartbeats", `
		wait 1h
		new B 26: stays
		ask: B #1
		wait 250ms
		ask: B #1
		wait 750ms
		new B 26: stays
		ask: B #1
		ask: nothing
		wait 250ms
		ask: B #1
		wait 40ms
		answer B #1: moved 0s`},
	{"a peer that is at two places at once stays where it was", `
		new B 100: stays
		ask: B #1
		new A 100: stays
		new B 100: stays
		new A 100: stays
		answer B #1: stays
		new A2 100: followed
		new A 100: back
		send 100: A`},
}

// pathPlay is a script that is played.
type pathPlay struct {
	paths Paths
	now   int64
	drawn byte
}

func TestPathsDoWhatTheScriptsSay(t *testing.T) {
	for _, s := range pathScripts {
		t.Run(s.name, func(t *testing.T) {
			p := &pathPlay{paths: NewPaths(pathAddresses["a"]), now: 77 * ms}
			for i, line := range strings.Split(strings.TrimSpace(s.script), "\n") {
				step, want, _ := strings.Cut(strings.TrimSpace(line), ": ")
				require.Equal(t, want, p.step(t, strings.Fields(step)), "step %d: %s", i+1, line)
			}
		})
	}
}

func (p *pathPlay) step(t *testing.T, words []string) string {
	at := func(i int) netip.AddrPort {
		require.Contains(t, pathAddresses, words[i])
		return pathAddresses[words[i]]
	}
	number := func(i int) int {
		n, err := strconv.Atoi(strings.Trim(words[i], "#"))
		require.NoError(t, err)
		return n
	}
	switch words[0] {
	case "new", "old":
		return pathEvents[p.paths.Received(at(1), number(2), words[0] == "new")]
	case "ask":
		random, to, ok := p.paths.Poll(p.now, [8]byte{p.drawn + 1})
		if !ok {
			return "nothing"
		}
		p.drawn = max(p.drawn, random[0])
		return fmt.Sprintf("%s #%d", nameOf(to), random[0])
	case "answer":
		event, rtt := p.paths.Responded(p.now, at(1), [8]byte{byte(number(2))})
		if event == PathStays {
			return "stays"
		}
		return fmt.Sprintf("%s %v", pathEvents[event], rtt)
	case "next":
		switch next := p.paths.NextDeadline(); {
		case next == never:
			return "never"
		case next <= p.now:
			return "now"
		default:
			return time.Duration(next - p.now).String()
		}
	case "send":
		return nameOf(p.paths.Target(number(1)))
	case "proved":
		return nameOf(p.paths.Proved())
	case "wait":
		d, err := time.ParseDuration(words[1])
		require.NoError(t, err)
		p.now += int64(d)
		return ""
	}
	t.Fatalf("no step is called %q", words[0])
	return ""
}

func TestTwoPeersMaySwapAddresses(t *testing.T) {
	a, b := pathAddresses["A"], pathAddresses["B"]
	one, other := NewPaths(a), NewPaths(b)
	one.Received(b, 100, true)
	other.Received(a, 100, true)
	random, to, _ := one.Poll(0, [8]byte{1})
	require.Equal(t, b, to)
	event, _ := one.Responded(0, to, random)
	require.Equal(t, PathMoved, event)
	random, to, _ = other.Poll(0, [8]byte{2})
	require.Equal(t, a, to)
	event, _ = other.Responded(0, to, random)
	require.Equal(t, PathMoved, event)
	require.Equal(t, []netip.AddrPort{b, a}, []netip.AddrPort{one.Proved(), other.Proved()})
}

// TestNoAddressGetsMoreThanItsBudget: whatever packets come, from wherever, in whichever order.
func TestNoAddressGetsMoreThanItsBudget(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 3))
		p, now, lastAsked := NewPaths(pathAddresses["A"]), int64(0), -challengeEvery
		from, to := map[netip.AddrPort]int{}, map[netip.AddrPort]int{}
		names := []string{"A", "A2", "A3", "B", "C", "C2"}
		for range 2000 {
			now += int64(r.IntN(30)) * ms
			at := pathAddresses[names[r.IntN(len(names))]]
			before := p.candidate
			switch r.IntN(4) {
			case 0:
				size := 26 + r.IntN(100)
				p.Received(at, size, r.IntN(3) > 0)
				from[at] += size
			case 1:
				size := 26 + r.IntN(1175)
				if target := p.Target(size); target != p.proved {
					to[target] += size
				}
			case 2:
				if _, target, ok := p.Poll(now, [8]byte{byte(r.Uint32())}); ok {
					require.GreaterOrEqual(t, now-lastAsked, challengeEvery)
					require.Equal(t, before, target)
					lastAsked = now
					to[target] += challengeSize
				}
			default:
				if r.IntN(20) == 0 {
					p.Responded(now, at, p.random)
				}
			}
		}
		for at, n := range to {
			require.LessOrEqual(t, n, amplification*from[at])
		}
	}
}

func TestAThousandAddressesASecondAreAskedFourTimes(t *testing.T) {
	p, asked := NewPaths(pathAddresses["A"]), 0
	for i := range int64(1000) {
		at := netip.AddrPortFrom(netip.AddrFrom4([4]byte{198, 51, byte(i >> 8), byte(i)}), 1)
		p.Received(at, 100, true)
		if _, to, ok := p.Poll(i*ms, [8]byte{1}); ok {
			require.Equal(t, at, to)
			asked++
		}
		require.Equal(t, pathAddresses["A"], p.Target(100))
	}
	require.Equal(t, 4, asked)
}

func TestPathsTakeLittleAndAllocateNothing(t *testing.T) {
	require.LessOrEqual(t, unsafe.Sizeof(Paths{}), uintptr(96))
	p, now, i := NewPaths(pathAddresses["A"]), int64(0), 0
	names := []string{"A2", "B", "C", "a"}
	require.Zero(t, testing.AllocsPerRun(1000, func() {
		at := pathAddresses[names[i%len(names)]]
		i++
		now += 300 * ms
		p.Received(at, 100, true)
		random, to, _ := p.Poll(now, [8]byte{byte(i)})
		p.Target(100)
		p.Responded(now, to, random)
		p.NextDeadline()
	}))
}
