package reliable

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/framing/packet"
)

// newParity is newSettled on a link that loses 2 % and with 60 messages a second, so that an Xor pays.
func newParity(t *testing.T, change ...func(*Config)) *packets {
	t.Helper()
	s := newSettled(t, change...)
	s.e.repair.missed, s.e.repair.account = missScale*2/100, accountCap
	s.e.packets.tick = tickEstimate{last: s.now - int64(16*ms), period: int64(16 * ms)}
	return s
}

// ticks sends messages, each in a packet of its own, and gives the packets.
func (s *packets) ticks(messages ...string) (sent []string) {
	s.t.Helper()
	for _, text := range messages {
		s.queues(ReliableOrdered, text)
		sent = append(sent, s.poll()...)
		s.wait(16 * ms)
	}
	return sent
}

// size is a text of n bytes that begins with one that is like no other.
func size(n int, text string) string { return (text + strings.Repeat("x", n))[:n] }

func TestEverySecondPacketCarriesTheXorOfTheTwoMessagesBefore(t *testing.T) {
	a, b, c, d, e := size(64, "a"), size(60, "b"), size(64, "c"), size(64, "d"), size(64, "e")
	s := newParity(t)
	s.e.repair.missed = missScale / 1000 // so that no ack is missed before the fifth
	require.Equal(t, []string{"ordered 0 " + a, "ordered 1 " + b, "ordered 2 " + c + "; xor ordered 0-1", "ordered 3 " + d}, s.ticks(a, b, c, d))
	require.Contains(t, s.ticks(e)[0], "xor ordered 2-3")
	require.EqualValues(t, 2, s.e.Stats().XorsSent)
}

func TestXorWaitsForThreeMessagesIfTheAccountIsLow(t *testing.T) {
	x := size(64, "x")
	for account, want := range map[int64]string{
		pairAccount + 1: "xor ordered 0-1", pairAccount: "xor ordered 0-2", tripleAccount + 1: "xor ordered 0-2", tripleAccount: "",
	} {
		s := newParity(t)
		pin := func() []string { s.e.repair.account = account; return s.ticks(x) }
		var got string
		for range 4 {
			if _, xor, ok := strings.Cut(pin()[0], "; "); ok && got == "" {
				got = xor
			}
		}
		require.Equal(t, want, got, account)
	}
}

func TestXorsAreSentWithinTheirLimitsOnly(t *testing.T) {
	for name, c := range map[string]struct {
		change func(e *Endpoint)
		xor    bool
	}{
		"least loss":        {func(e *Endpoint) { e.repair.missed = parityFrom }, true},
		"less loss":         {func(e *Endpoint) { e.repair.missed = parityFrom - 1 }, false},
		"most loss":         {func(e *Endpoint) { e.repair.missed, e.cfg.Budget = parityTo, 150 }, true},
		"more loss":         {func(e *Endpoint) { e.repair.missed, e.cfg.Budget = parityTo+1, 150 }, false},
		"too much at 1.3":   {func(e *Endpoint) { e.repair.missed = missScale * 4 / 100 }, false},
		"losses in bursts":  {func(e *Endpoint) { e.packets.path.paired = pairedFrom + 1 }, false},
		"no bursts":         {func(e *Endpoint) { e.packets.path.paired = pairedFrom }, true},
		"ticks too seldom":  {func(e *Endpoint) { ticksEvery(e, (e.rtt.timeout()+1)/2) }, false},
		"ticks just enough": {func(e *Endpoint) { ticksEvery(e, (e.rtt.timeout()-1)/2) }, true},
		"an outage":         {func(e *Endpoint) { e.repair.outage, e.repair.probeAt = true, never }, false},
		"no budget":         {func(e *Endpoint) { e.cfg.Budget = 100 }, false},
		"a full path":       {func(e *Endpoint) { e.packets.path.full = true }, false},
		"copies fit":        {func(e *Endpoint) { e.cfg.Budget = 200 }, false},
	} {
		s := newParity(t)
		cfg := *s.e.cfg
		s.e.cfg = &cfg
		for _, text := range []string{"a", "b", "c"} {
			c.change(s.e)
			s.e.repair.account = accountCap
			s.queues(ReliableOrdered, size(64, text)).poll()
		}
		require.Equal(t, c.xor, s.e.Stats().XorsSent > 0, name)
	}
}

func TestXorCoversSmallWholeMessagesInPacketsOfTheirOwn(t *testing.T) {
	x := size(64, "x")
	s := newParity(t)
	large := size(paritySize, "l")
	require.Contains(t, strings.Join(s.ticks(large, large, x), "|"), "xor ordered 0-1")
	s = newParity(t)
	require.NotContains(t, strings.Join(s.ticks(large, large+"x", x), "|"), "xor")
	s = newParity(t)
	require.NotContains(t, strings.Join(s.ticks("", "", x), "|"), "xor", "nothing to cover")

	s = newParity(t).queues(ReliableOrdered, x).queues(ReliableOrdered, x)
	s.poll()
	require.NotContains(t, strings.Join(s.ticks(x), "|"), "xor", "two in one packet are lost together")
	require.Contains(t, strings.Join(s.ticks(x), "|"), "xor ordered 1-2")

	s = newParity(t).queues(ReliableOrdered, size(fragmentRoom+64, "f"))
	s.poll()
	require.NotContains(t, strings.Join(s.ticks(x, x), "|"), "xor", "no fragments")
	require.Contains(t, s.ticks(x)[0], "xor ordered 2-3")

	s = newParity(t).queues(ReliableSequenced, x)
	for range 4 {
		s.poll()
		s.queues(ReliableSequenced, x)
	}
	require.Zero(t, s.e.Stats().XorsSent)
}

func TestXorCoversNoMessageThatIsAckedOrRepaired(t *testing.T) {
	x := size(64, "x")
	s := newParity(t)
	s.ticks(x)
	s.gets("ack @0").ticks(x)
	require.NotContains(t, strings.Join(s.ticks(x), "|"), "xor")
	require.Contains(t, strings.Join(s.ticks(x), "|"), "xor ordered 1-2")

	s = newParity(t)
	s.ticks(x)
	s.e.queue.slots[s.e.queue.due.entries[0].slot].round = 1
	s.ticks(x)
	require.NotContains(t, strings.Join(s.ticks(x), "|"), "xor")
}

func TestEachStreamHasXorsOfItsOwn(t *testing.T) {
	s := newParity(t)
	var sent []string
	for range 3 {
		s.queues(ReliableOrdered, size(40, "a")).send(size(50, "b"), SendOptions{Mode: ReliableUnordered, Channel: 2})
		sent = append(sent, s.poll()...)
	}
	require.Contains(t, sent[2], "; xor ordered 0-1; xor unordered/2 0-1")
}

func TestSecondXorOfAPacketNeedsWhatTheFirstLeaves(t *testing.T) {
	s := newParity(t)
	for range 3 {
		s.e.repair.account = pairAccount + 1
		s.queues(ReliableOrdered, size(40, "a")).send(size(50, "b"), SendOptions{Mode: ReliableUnordered, Channel: 2}).poll()
	}
	require.EqualValues(t, 1, s.e.Stats().XorsSent)
}

func TestXorIsLeftOutWhereThereIsNoRoom(t *testing.T) {
	s := newParity(t)
	s.ticks(size(64, "a"), size(64, "b"))
	s.queues(ReliableOrdered, size(fragmentRoom, "l")).poll()
	require.Zero(t, s.e.Stats().XorsSent)
}

func TestXorSpendsWhatItTakes(t *testing.T) {
	s := newParity(t, func(c *Config) { c.Budget = 130 })
	s.ticks(size(64, "a"), size(64, "b"))
	s.queues(ReliableOrdered, size(64, "c"))
	s.e.repair.account = pairAccount + 1
	s.poll()
	const again = packet.XorHeader + 64 + 1
	require.EqualValues(t, pairAccount+1+(len(s.last)+datagramOverhead-again)*30/100-again, s.e.repair.account)
}

func TestCoveredMessagesAreTraced(t *testing.T) {
	var traced []string
	s := newParity(t, func(c *Config) {
		c.Trace = func(ev TraceEvent) {
			if ev.Kind == TraceCovered {
				traced = append(traced, fmt.Sprint(ev.Kind, ev.Seq))
			}
		}
	})
	s.ticks(size(64, "a"), size(64, "b"), size(64, "c"))
	require.Equal(t, []string{"covered 0", "covered 1"}, traced)
}

// pays makes an Xor pay for an endpoint, whatever it saw.
func pays(e *Endpoint) {
	e.repair.missed, e.repair.account, e.packets.path.paired = missScale*2/100, accountCap, 0
	ticksEvery(e, int64(ms))
}

// ticksEvery makes an endpoint believe that packets with new messages leave so often.
func ticksEvery(e *Endpoint, period int64) {
	e.packets.tick = tickEstimate{last: e.now, period: period}
}

func TestMessagesComeOnceAndInOrderWhereXorsRebuildThem(t *testing.T) {
	for _, mode := range []Mode{ReliableOrdered, ReliableUnordered} {
		w := newDuplex(t, Config{})
		r := rand.New(rand.NewPCG(5, uint64(mode)))
		lose := func([]byte) bool { return r.IntN(8) == 0 }
		const n = 3000
		var read []string
		for i := range n {
			pays(w.ends[0])
			w.now += int64(ms)
			o := SendOptions{Mode: mode, Channel: uint8(i % 2)}
			require.NoError(t, w.ends[0].Send(w.now, []byte(fmt.Sprintf("%4d%s", i, strings.Repeat("x", r.IntN(140)))), o))
			w.pump()
			if i%5 == 4 {
				read = append(read, w.carry(5*ms, lose)...)
			}
		}
		read = append(read, w.carry(2*time.Second, nil)...)
		require.Len(t, read, n)
		seen, last := map[string]bool{}, [2]string{}
		for _, text := range read {
			number := text[:4]
			require.False(t, seen[number], "message %s came twice", number)
			seen[number] = true
			channel := number[3] % 2
			require.True(t, mode == ReliableUnordered || last[channel] < number, "%s after %s", number, last[channel])
			last[channel] = number
		}
		sent, came := w.ends[0].Stats(), w.ends[1].Stats()
		require.Greater(t, sent.XorsSent, uint64(300))
		require.Greater(t, came.MessagesRebuilt, uint64(100))
		require.Greater(t, came.XorsUseless, uint64(100))
	}
}

// Two small messages are left of a backlog, and have a packet of their own. The Xor covers the second and the message of the next tick.
func TestXorGivesBackAMessageOfABunchAndTheOneBehindIt(t *testing.T) {
	for lost, message := range map[int]string{1: size(40, "b"), 2: size(40, "c")} {
		w := newDuplex(t, Config{})
		sends := func(texts ...string) {
			for _, text := range texts {
				require.NoError(t, w.ends[0].Send(w.now, []byte(text), SendOptions{Mode: ReliableUnordered}))
			}
			w.pump()
			w.now += int64(ms)
		}
		w.xors = true
		for range 3 { // the last comes with the first Xor, from which on messages are kept
			sends(size(40, "before"))
		}
		require.Len(t, w.carry(50*ms, nil), 3)

		w.xors, w.ends[0].repair.missed = false, 0
		sends(append(slices.Repeat([]string{size(140, "large")}, bunchFrom), size(40, "a"), size(40, "b"))...)
		require.EqualValues(t, 1, w.ends[0].queue.bunches)
		w.xors = true
		sends(size(40, "c"))
		sends(size(40, "d"))
		require.Len(t, w.air[0], 4)

		w.air[0] = slices.Delete(w.air[0], lost, lost+1)
		w.xors = false
		require.Contains(t, w.carry(5*ms, nil), message, "before a repair")
		require.EqualValues(t, 1, w.ends[1].Stats().MessagesRebuilt)
		require.NotContains(t, w.carry(time.Second, nil), message, "it comes once")
		require.Zero(t, w.ends[0].queue.undelivered())
	}
}

// Scripts seldom come to Xors by themselves.
func TestEveryModeKeepsItsPromiseWhereXorsArePutWheneverTheyCanBe(t *testing.T) {
	n := uint64(400)
	if testing.Short() {
		n = 40
	}
	rebuilt := uint64(0)
	for seed := range n {
		for i, c := range modelConfigs {
			ok := t.Run("", func(t *testing.T) {
				w := newWorld(t, c)
				w.xors = true
				w.play(modelScript(seed))
				rebuilt += w.ends[0].Stats().MessagesRebuilt + w.ends[1].Stats().MessagesRebuilt
			})
			require.True(t, ok, "seed %d, settings %d", seed, i)
		}
	}
	require.Greater(t, rebuilt, n/10)
}

// lag is a link of 16 ms each way between two endpoints that send a message each, every 4 ms.
type lag struct {
	ends [2]*Endpoint
	now  int64
	air  [2][4][2048]byte // datagrams by when they left, the last of each turn
	size [2][4]int
	turn int
}

// step is one turn. What leaves in it is lost on demand.
func (l *lag) step(text []byte, lost bool) {
	slot := l.turn % 4
	for side, e := range l.ends {
		if n := l.size[1-side][slot]; n > 0 {
			e.HandleDatagram(l.now, l.air[1-side][slot][:n])
		}
		for ev, ok := e.PollEvent(); ok; ev, ok = e.PollEvent() {
			e.Recycle(ev.Payload)
		}
	}
	for side, e := range l.ends {
		pays(e)
		_ = e.Send(l.now, text, SendOptions{Mode: ReliableOrdered})
		l.size[side][slot] = len(e.PollDatagram(l.now, l.air[side][slot][:0]))
		if lost {
			l.size[side][slot] = 0
		}
	}
	l.turn++
	l.now += int64(4 * ms)
}

func TestXorsAllocateNothingInTheSteadyState(t *testing.T) {
	x, text := newExchange(), make([]byte, 64)
	link := &lag{ends: [2]*Endpoint{x.a, x.b}, now: start}
	step := func() { link.step(text, link.turn%11 == 3) }
	for range 20_000 {
		step()
	}
	rebuilt := x.b.Stats().MessagesRebuilt
	require.Zero(t, testing.AllocsPerRun(2000, step))
	require.Greater(t, x.b.Stats().MessagesRebuilt, rebuilt+100)
}
