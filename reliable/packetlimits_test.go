package reliable

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/framing"
	"github.com/gannet-net/gannet/framing/packet"
)

// direct moves what one end sends to the other at once, and back, and gives what was read.
func (w *world) direct() (read [][]byte) {
	for {
		moved := false
		for side, e := range w.ends {
			for d := e.PollDatagram(w.now, nil); len(d) > 0; d = e.PollDatagram(w.now, nil) {
				require.LessOrEqual(w.t, len(d), framing.MaxDatagram)
				require.Equal(w.t, framing.Accepted, w.ends[1-side].HandleDatagram(w.now, d))
				moved = true
			}
		}
		for ev, ok := w.ends[1].PollEvent(); ok; ev, ok = w.ends[1].PollEvent() {
			if ev.Kind == EventMessage {
				read = append(read, bytes.Clone(ev.Payload))
				w.ends[1].Recycle(ev.Payload)
			}
		}
		if !moved {
			return read
		}
		w.now += int64(2 * ms)
	}
}

// B51, B86: headers, fragments and sizes.
func TestEverySizeArrivesInEveryMode(t *testing.T) {
	sizes := []int{}
	for n := range 3*fragmentRoom + 1 {
		sizes = append(sizes, n)
	}
	for k := 4; k <= 12; k++ {
		for d := -2; d <= 2; d++ {
			sizes = append(sizes, k*fragmentRoom+d)
		}
	}
	for mode := range Mode(modes) {
		w := newDuplex(t, Config{Loopback: true})
		require.Empty(t, w.direct())
		for _, n := range sizes {
			text := bytes.Repeat([]byte{byte(n), byte(n >> 8), byte(n >> 3)}, n/3+1)[:n]
			require.NoError(t, w.ends[0].Send(w.now, text, SendOptions{Mode: mode, Channel: uint8(n % Channels)}))
			read := w.direct()
			require.Len(t, read, 1, "mode %d, %d bytes", mode, n)
			require.True(t, bytes.Equal(text, read[0]), "mode %d, %d bytes", mode, n)
		}
		require.True(t, w.ends[0].queue.empty())
	}
}

// B88: what Send takes arrives, and what does not is a typed error that stops nothing.
func TestLargestMessageOfEachModeArrivesAndOneMoreIsAnError(t *testing.T) {
	for mode := range Mode(modes) {
		limit := map[bool]int{true: 1 << 20, false: 64 << 10}[mode.reliable()]
		w := newDuplex(t, Config{Loopback: true})
		for _, n := range []int{limit + 1, limit, limit - 1, 10} {
			err := w.ends[0].Send(w.now, make([]byte, n), SendOptions{Mode: mode})
			if n > limit {
				require.Equal(t, &TooLargeError{n, limit}, err)
				continue
			}
			require.NoError(t, err)
			require.Len(t, w.direct()[0], n, "mode %d", mode)
		}
	}
}

func TestChannelsAndModesBeyondTheLastAreErrors(t *testing.T) {
	s := newPackets(t)
	require.NoError(t, s.e.Send(s.now, nil, SendOptions{Mode: ReliableOrdered, Channel: 63}))
	require.Error(t, s.e.Send(s.now, nil, SendOptions{Mode: ReliableOrdered, Channel: 64}))
	require.Error(t, s.e.Send(s.now, nil, SendOptions{Mode: 5}))
	s.sends("ordered/63 0 ")
}

// A message may have 1024 fragments, whoever cut it.
func TestMessageOf1024FragmentsIsTaken(t *testing.T) {
	s := newPackets(t, func(c *Config) { c.Loopback = true })
	for seq := range 1023 {
		s.gets(fmt.Sprintf("ordered %d%s x", seq, map[bool]string{true: "<", false: "-"}[seq == 0]))
	}
	s.gets("ordered 1023> x").reads(strings.Repeat("x", 1024))
	for i := range 1024 {
		s.gets(fmt.Sprintf("part 7 %d/1024 x", i))
	}
	s.reads(strings.Repeat("x", 1024))
}

func TestMessageAboveTheLimitEndsTheSession(t *testing.T) {
	s := newPackets(t, func(c *Config) { c.Loopback = true })
	s.fill("ordered", 0, 932, 1125) // 1048500 bytes
	s.gets("ordered 932- " + strings.Repeat("x", MaxReliableMessage-1048500))
	s.drops(framing.DropProtocol, "ordered 933- x").ends()
	s = newPackets(t, func(c *Config) { c.Loopback = true })
	s.fill("unordered", 0, 932, 1125)
	s.gets("unordered 932> " + strings.Repeat("x", MaxReliableMessage-1048500))
	require.Len(t, s.events()[0], MaxReliableMessage)
}

func TestPacketHoldsAtMost128Frames(t *testing.T) {
	s := newPackets(t)
	for i := range 300 {
		s.send("", SendOptions{Mode: Mode(i % 3)})
	}
	sent := s.poll()
	frames := 0
	for _, p := range sent {
		n := strings.Count(p, ";") + 1
		require.LessOrEqual(t, n, packet.MaxFrames)
		frames += n
	}
	require.Equal(t, 300, frames)
	require.Len(t, sent, 3)
}

func TestMessagesOfOneStreamFollowEachOther(t *testing.T) {
	s := newPackets(t)
	for i := range 5 {
		s.queues(ReliableOrdered, fmt.Sprint(i))
	}
	s.sends("ordered 0 0; ordered 1 1; ordered 2 2; ordered 3 3; ordered 4 4")
	require.Len(t, s.last, 25+4+1+1+4*(2+1+1)-1, "4 bytes of header for the first, 2 for those that follow, a length for all but the last")
}

func TestQueueTakesItsLimitsAndNoMore(t *testing.T) {
	s := newPackets(t, func(c *Config) { c.SendQueueMessages, c.SendQueueBytes = 40, 50_000 })
	for range 40 {
		s.queues(ReliableUnordered, "x")
	}
	require.ErrorIs(t, s.e.Send(s.now, nil, SendOptions{Mode: ReliableOrdered}), ErrQueueFull)
	for range 10 {
		s.queues(Sequenced, "x")
	}
	require.ErrorIs(t, s.e.Send(s.now, nil, SendOptions{}), ErrQueueFull)

	s = newPackets(t, func(c *Config) { c.SendQueueBytes = 50_000 })
	s.queues(ReliableOrdered, strings.Repeat("x", 49_999))
	require.Equal(t, 1, s.e.Sendable())
	require.ErrorIs(t, s.e.Send(s.now, make([]byte, 2), SendOptions{Mode: ReliableUnordered}), ErrQueueFull)
	s.queues(ReliableUnordered, "x")
	require.ErrorIs(t, s.e.Send(s.now, make([]byte, 1), SendOptions{Mode: ReliableUnordered}), ErrQueueFull)
	require.NoError(t, s.e.Send(s.now, make([]byte, 12_500), SendOptions{}))
	require.ErrorIs(t, s.e.Send(s.now, make([]byte, 1), SendOptions{}), ErrQueueFull)
}

func TestAtMost256PacketsWithReliableMessagesAreInFlight(t *testing.T) {
	s := newPackets(t, func(c *Config) { c.Loopback = true })
	for range 300 {
		s.queues(ReliableUnordered, strings.Repeat("x", 1000)).poll()
	}
	require.Equal(t, MaxInFlight, s.e.Stats().InFlight)
	require.Equal(t, 44, s.e.queue.waiting[1])
	s.queues(Unreliable, "u")
	require.Equal(t, []string{"unreliable u"}, s.poll(), "lossy messages are not held back by them")
	s.wait(ms).gets("ack @3")
	require.Len(t, s.poll(), 1)
}

// Unreliable traffic never stops progress.
func TestFloodOfLossyMessagesDoesNotStopReliableOnes(t *testing.T) {
	for _, ceiling := range []int64{4 << 20, -1} {
		w := newDuplex(t, Config{SendCeiling: ceiling})
		delivered := 0
		for i := range 300 { // 600 ms
			if i%10 == 0 {
				require.NoError(t, w.ends[0].Send(w.now, []byte("r"), SendOptions{Mode: ReliableOrdered}))
			}
			for range 60 { // 30,000 packets a second
				require.NoError(t, w.ends[0].Send(w.now, []byte("u"), SendOptions{}))
				for d := w.ends[0].PollDatagram(w.now, nil); len(d) > 0; d = w.ends[0].PollDatagram(w.now, nil) {
					w.air[0] = append(w.air[0], d)
				}
			}
			if i%25 == 24 { // a round trip of 50 ms
				for side := range w.ends {
					for _, d := range w.air[side] {
						w.ends[1-side].HandleDatagram(w.now, d)
					}
					w.air[side] = nil
					for d := w.ends[1-side].PollDatagram(w.now, nil); len(d) > 0; d = w.ends[1-side].PollDatagram(w.now, nil) {
						w.air[1-side] = append(w.air[1-side], d)
					}
				}
				for ev, ok := w.ends[1].PollEvent(); ok; ev, ok = w.ends[1].PollEvent() {
					if string(ev.Payload) == "r" {
						delivered++
					}
					w.ends[1].Recycle(ev.Payload)
				}
			}
			w.now += int64(2 * ms)
		}
		w.carry(time.Second, nil)
		require.Greater(t, delivered, 20)
		require.Zero(t, w.ends[0].Stats().InFlight)
		require.Less(t, w.ends[0].Stats().Repairs, uint64(30))
		require.LessOrEqual(t, len(w.ends[0].packets.sent.packets), 2*maxSentPackets)
	}
}

// Channels.

func TestMoreImportantClassesGoFirst(t *testing.T) {
	s := newPackets(t, func(c *Config) {
		c.Channels = []Channel{{Class: ClassBulk}, {Class: ClassGame}, {Class: ClassUrgent}, {Class: ClassControl}}
	})
	for channel := range uint8(4) {
		for _, mode := range []Mode{ReliableOrdered, Unreliable} {
			s.send(fmt.Sprint("c", channel), SendOptions{Mode: mode, Channel: channel})
		}
	}
	s.sends("ordered/3 0 c3; unreliable/3 c3; ordered/2 0 c2; unreliable/2 c2; ordered/1 0 c1; unreliable/1 c1", "ordered 0 c0; unreliable c0")

	for range 30 {
		s.send(strings.Repeat("b", 1100), SendOptions{Mode: ReliableOrdered})
	}
	s.poll() // the burst
	for i := range 20 {
		s.send(fmt.Sprint("g", i), SendOptions{Mode: ReliableOrdered, Channel: 1})
		s.run(ms)
		require.Equal(t, none, s.e.queue.streams[s.e.queue.stream(s.e.cfg, ReliableOrdered, 1)].waiting.head, "no game message waits behind bulk")
	}
}

func TestWeightsShareWhatAClassGets(t *testing.T) {
	s := newPackets(t, func(c *Config) {
		c.SendCeiling = 100_000
		c.Channels = []Channel{{Weight: 1}, {Weight: 2}, {Weight: 5}}
	})
	count := [3]int{}
	next := [3]int{}
	for range 2000 {
		for channel := range uint8(3) {
			for s.e.queue.waiting[0] < 60 && next[channel] < 20+count[channel] {
				s.send(fmt.Sprint(channel)+strings.Repeat("x", 399), SendOptions{Channel: channel})
				next[channel]++
			}
		}
		for _, p := range s.poll() {
			for _, f := range strings.Split(p, "; ") {
				_, text, _ := strings.Cut(f, " ")
				if len(text) == 400 {
					count[text[0]-'0']++
				}
			}
		}
		s.wait(2 * ms).gets("heartbeat")
	}
	require.Greater(t, count[0], 50)
	require.InDelta(t, 2, float64(count[1])/float64(count[0]), 0.1)
	require.InDelta(t, 5, float64(count[2])/float64(count[0]), 0.2)
}

func TestLostMessageOfOneChannelDelaysNoOther(t *testing.T) {
	s := newPackets(t)
	s.gets("ordered 1 late", "ordered/1 0 a", "unordered 0 b", "sequenced 0 c", "unreliable d", "newest 0 e")
	s.reads("a", "b", "c", "d", "e").gets("ordered 0 now").reads("now", "late")
}

func TestReliableBacklogDelaysNoLossyMessage(t *testing.T) {
	s := newPackets(t)
	for range 200 {
		s.send(strings.Repeat("r", 1100), SendOptions{Mode: ReliableOrdered})
	}
	s.poll()
	for range 50 {
		s.queues(Unreliable, "u")
		require.Contains(t, strings.Join(s.run(2*ms), "|"), "unreliable u")
	}
}

// Hostile acks.

// T29: ranges that name as much as they can.
func TestAckRangesLoopOverWhatIsOutstandingOnly(t *testing.T) {
	s := newPackets(t)
	for range 100 {
		s.queues(Unreliable, "x").poll()
	}
	runs := packet.Runs{}.Append(packet.Run{Received: 1})
	for range packet.MaxRuns - 1 {
		runs = runs.Append(packet.Run{Missing: 1, Received: packet.MaxRun})
	}
	f := packet.Ack{Form: packet.Ranges, Largest: uint16(s.at(0)), Runs: runs}
	steps := 0
	for range acked(&f, s.at(0), s.e.packets.sent.undecided()) {
		steps++
	}
	require.LessOrEqual(t, steps, 110)
}

// Clocks.

func TestRemoteTimeIsRightWithinItsErrorUnderDriftAndJitter(t *testing.T) {
	for _, drift := range []int64{-100, 0, 100} { // parts in a million
		for _, rtt := range []time.Duration{ms, 50 * ms, 300 * ms} {
			for _, jitter := range []time.Duration{0, 20 * ms} {
				w := newClocks(t, drift, int64(rtt/2), int64(jitter))
				w.run(90 * time.Second)
				require.Greater(t, w.judged, 1000)
				if jitter == 0 {
					require.LessOrEqual(t, w.within, rtt/2+5*ms, "drift %d, round trip %v", drift, rtt)
				}
			}
		}
	}
}

// clocks are two endpoints whose clocks differ.
type clocks struct {
	t              *testing.T
	ends           [2]*Endpoint
	drift          int64
	delay, jitter  int64
	air            [2][]flying
	judged, random int
	within         time.Duration
}

type flying struct {
	at int64
	d  []byte
}

func newClocks(t *testing.T, drift, delay, jitter int64) *clocks {
	w := &clocks{t: t, drift: drift, delay: delay, jitter: jitter}
	for i := range w.ends {
		w.ends[i] = New(w.clock(i, 0), Config{Sealer: nullSealer{}})
	}
	return w
}

// clock is what one side's clock shows.
func (w *clocks) clock(side int, now int64) int64 {
	if side == 0 {
		return now
	}
	return 7777*int64(time.Second) + now + now/1_000_000*w.drift
}

func (w *clocks) run(d time.Duration) {
	for now := int64(0); now < int64(d); now += int64(ms) {
		for side, e := range w.ends {
			at := w.clock(side, now)
			if now/int64(ms)%33 == int64(side)*7 {
				require.NoError(w.t, e.Send(at, []byte("x"), SendOptions{}))
			}
			for len(w.air[1-side]) > 0 && w.air[1-side][0].at <= now {
				e.HandleDatagram(at, w.air[1-side][0].d)
				w.air[1-side] = w.air[1-side][1:]
			}
			for out := e.PollDatagram(at, nil); len(out) > 0; out = e.PollDatagram(at, nil) {
				w.random = w.random*1103515245 + 12345
				due := now + w.delay + int64(uint32(w.random)>>8)*w.jitter/(1<<24)
				if n := len(w.air[side]); n > 0 {
					due = max(due, w.air[side][n-1].at)
				}
				w.air[side] = append(w.air[side], flying{due, out})
			}
			for ev, ok := e.PollEvent(); ok; ev, ok = e.PollEvent() {
				e.Recycle(ev.Payload)
			}
			w.judge(side, now)
		}
	}
}

func (w *clocks) judge(side int, now int64) {
	remote, within, ok := w.ends[side].RemoteTime(w.clock(side, now))
	if !ok {
		return
	}
	if off := abs(remote - w.clock(1-side, now)); off > int64(within) {
		require.Failf(w.t, "wrong", "off by %v, stated %v, at %v", time.Duration(off), within, time.Duration(now))
	}
	w.judged++
	w.within = within
}

func TestRemoteTimeFollowsAClockThatIsSet(t *testing.T) {
	s := newPackets(t)
	for i, peer := range []int64{1e15, 1e15 + 1e9, 5e12, 5e12 + 1e9} {
		s.wait(time.Second).queues(Unreliable, "x").poll()
		s.wait(50 * ms).gets(fmt.Sprintf("ack @0; clock %d", peer))
		remote, within, ok := s.e.RemoteTime(s.now)
		require.True(t, ok)
		require.InDelta(t, float64(peer), float64(remote), float64(within)+60e6, "step %d", i)
		require.Less(t, within, 60*ms)
	}
	for _, wild := range []string{"9223372036854775807", "-9223372036854775808", "4611686018427387904", "-4611686018427387904"} {
		s.gets("ack @0; clock " + wild)
		_, within, ok := s.e.RemoteTime(s.now)
		require.True(t, ok)
		require.Positive(t, within)
	}
}

// Stats.

func TestStatsTellWhatHappened(t *testing.T) {
	s := newSettled(t)
	before := s.e.Stats()
	s.queues(ReliableOrdered, "hello").poll()
	s.run(56 * ms)
	s.wait(50*ms).gets("ack @0; ordered 0 a; unreliable bc", "ordered 0 a", "ordered 2 c").reads("a", "bc")
	got := s.e.Stats()
	require.Equal(t, before.MessagesQueued+1, got.MessagesQueued)
	require.Equal(t, before.MessagesSent+1, got.MessagesSent)
	require.Equal(t, before.MessagesAcked+1, got.MessagesAcked)
	require.Equal(t, before.PayloadSent+5, got.PayloadSent)
	require.Equal(t, before.Repairs+1, got.Repairs)
	require.Equal(t, before.PacketsLost+1, got.PacketsLost)
	require.Equal(t, before.MessagesReceived+2, got.MessagesReceived)
	require.Equal(t, before.PayloadReceived+3, got.PayloadReceived)
	require.Equal(t, before.DuplicatesReceived+1, got.DuplicatesReceived)
	require.Equal(t, before.OutOfOrder+1, got.OutOfOrder)
	require.Zero(t, got.InFlight)
	closeTo(t, 50*ms, got.RTTSmoothed)
	require.Equal(t, 50*ms, got.RTTMin)
}

func TestPacketsThatAreForgottenBeforeTheirAcksAreOverdueAreNotLost(t *testing.T) {
	s := newPackets(t, func(c *Config) { c.Loopback = true })
	floods := func(n int) {
		for range n {
			s.queues(Unreliable, strings.Repeat("x", 1100)).poll()
		}
	}
	floods(3 * maxSentPackets)
	require.Zero(t, s.e.Stats().PacketsLost)
	require.LessOrEqual(t, len(s.e.packets.sent.packets), 2*maxSentPackets)
	s.wait(time.Second)
	floods(maxSentPackets)
	require.Greater(t, s.e.Stats().PacketsLost, uint64(maxSentPackets/2))
}
