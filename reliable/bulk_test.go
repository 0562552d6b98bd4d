package reliable

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/internal/congestion"
)

// bulkChannel makes channel 1 one of bulk.
func bulkChannel(c *Config) {
	c.Channels = []Channel{{}, {Class: ClassBulk}}
	c.SendCeiling = -1
}

var onBulk = SendOptions{Mode: ReliableOrdered, Channel: 1}

// fixed is a controller that never changes its mind, and writes down what it is told.
type fixed struct {
	window, rate int64
	full         bool
	acked, lost  int
	silences     int
}

func (f *fixed) Acked(_ int64, b congestion.Feedback) {
	f.acked, f.lost = f.acked+b.Acked, f.lost+b.Lost-b.Found
}
func (f *fixed) Silence()        { f.silences++ }
func (f *fixed) Window() int64   { return f.window }
func (f *fixed) Rate() int64     { return f.rate }
func (f *fixed) Congested() bool { return f.full }

// newBulk is newSettled with a controller that allows the given window and rate.
func newBulk(t *testing.T, c *fixed, change ...func(*Config)) *packets {
	s := newSettled(t, append([]func(*Config){bulkChannel}, change...)...)
	s.e.packets.bulk = s.e.newBulkControl()
	s.e.packets.bulk.controller = c
	return s
}

// bulk queues n full packets of bulk.
func (s *packets) bulk(n int) *packets {
	s.t.Helper()
	for range n {
		s.send(strings.Repeat("b", bulkRoom), onBulk)
	}
	return s
}

// leaves counts the packets with messages that leave within d.
func (s *packets) leaves(d time.Duration) (n int) {
	s.t.Helper()
	for _, sent := range s.run(d) {
		if strings.Contains(sent, "ordered") || strings.Contains(sent, "unreliable") {
			n++
		}
	}
	return n
}

func TestBulkFillsPacketsAndStopsAtTheWindow(t *testing.T) {
	s := newBulk(t, &fixed{window: 5 * 1228, rate: 1 << 40}).bulk(10)
	require.Equal(t, 5, s.leaves(ms))
	require.Len(t, s.last, 1200, "as many bytes as a datagram may have")
	require.Zero(t, s.leaves(20*ms))
	s.wait(30 * ms).gets("ack @0 and @1")
	require.Equal(t, 2, s.leaves(ms), "acks make room")
}

func TestBulkLeavesAtTheRate(t *testing.T) {
	s := newBulk(t, &fixed{window: 1 << 30, rate: 1_228_000}).bulk(20)
	require.Equal(t, 11, s.leaves(10*ms), "one in a millisecond")
}

func TestBulkLeavesAtTheRateInALoopThatRunsOnceAFrame(t *testing.T) {
	for _, packets := range []int{5, 10, 50} {
		s := newBulk(t, &fixed{window: 1 << 30, rate: int64(packets) * 12_280}).bulk(2 * packets)
		n := s.leaves(0)
		for range 6 {
			n += s.wait(time.Second / 60).leaves(0)
		}
		require.InDelta(t, packets, n, 1, "in a tenth of a second")
	}
}

func TestMessagesOfTheGameLeaveAtOnceWhateverTheWindow(t *testing.T) {
	s := newBulk(t, &fixed{window: 1228, rate: 1000}).bulk(400)
	require.Equal(t, 1, s.leaves(ms))
	for range MaxInFlight {
		s.queues(ReliableOrdered, "game")
		require.Len(t, s.poll(), 1)
	}
}

func TestBulkPacketsDoNotCountAgainstTheFlightOfTheGame(t *testing.T) {
	s := newBulk(t, &fixed{window: 1 << 30, rate: 1 << 40}).bulk(600)
	require.Equal(t, 600, s.leaves(ms))
	s.queues(ReliableOrdered, "game")
	require.Len(t, s.poll(), 1)
}

func TestBulkKeepsRecordsOfPacketsForTheGame(t *testing.T) {
	s := newBulk(t, &fixed{window: 1 << 30, rate: 1 << 40}).bulk(1000)
	require.Equal(t, mostBulkPackets, s.leaves(ms))
	s.queues(ReliableOrdered, "game")
	require.Len(t, s.poll(), 1)
}

func TestTheGameGoesFirstAndItsRepairsToo(t *testing.T) {
	s := newBulk(t, &fixed{window: 1 << 30, rate: 1_228_000})
	s.queues(ReliableOrdered, "game").poll()
	s.bulk(100)
	for _, sent := range s.run(60 * ms) {
		if strings.Contains(sent, "game") {
			require.Less(t, sent, "55", "its deadline is 54 ms")
			return
		}
	}
	t.Fatal("the game was not repaired")
}

func TestLostBulkLeavesAgainBeforeNew(t *testing.T) {
	c := &fixed{window: 4 * 1228, rate: 1 << 40}
	s := newBulk(t, c).send("one", onBulk)
	s.poll()
	s.wait(ms).bulk(3)
	require.Equal(t, 3, s.leaves(ms))
	s.wait(70 * ms).gets("ack @0 and @1-2")
	s.wait(ms).queues(Unreliable, "x").poll()
	s.wait(50*ms).send("new", onBulk).gets("ack @0")
	require.Contains(t, s.run(ms), "0s ordered/1 0 one; ordered/1 4 new")
	require.NotZero(t, c.lost)
	require.EqualValues(t, 1, s.e.Stats().Repairs)
}

func TestLostBulkHasOneCopyWhereAGameHasThree(t *testing.T) {
	s := newBulk(t, &fixed{window: 1 << 30, rate: 1 << 40})
	s.e.repair.missed = missScale / 10
	s.send("lost", onBulk).poll()
	s.wait(ms).send("came", onBulk).poll()
	s.wait(60 * ms).gets("ack @0")
	require.Equal(t, 1, s.leaves(60*ms))
}

func TestBulkOfWhichNoAckTellsIsSentAgainLate(t *testing.T) {
	s := newBulk(t, &fixed{window: 1228, rate: 1 << 40}).bulk(1)
	s.poll()
	require.Zero(t, s.leaves(105*ms))
	require.Equal(t, 1, s.leaves(10*ms), "twice the deadline; a full window must not stop it for ever")
}

func TestALateAckTakesLossesBack(t *testing.T) {
	c := &fixed{window: 1 << 30, rate: 1 << 40}
	s := newBulk(t, c).send("late", onBulk)
	s.poll()
	s.wait(ms).send("next", onBulk).poll()
	s.wait(20*ms).send("third", onBulk).poll()
	s.wait(50 * ms).gets("ack @0 and @1")
	require.NotZero(t, c.lost)
	s.gets("ack @0 and @1-2")
	s.poll()
	require.Zero(t, c.lost)
	require.Empty(t, s.run(200*ms), "it does not leave again")
}

func TestControllersAreToldOfSilenceAndOfAnotherPath(t *testing.T) {
	c := &fixed{window: 1 << 30, rate: 1 << 40}
	s := newBulk(t, c).bulk(1)
	for range 20 {
		s.wait(20 * ms).bulk(1).poll()
	}
	s.run(time.Second)
	require.Equal(t, 1, c.silences, "nothing was acked for long")
	require.EqualValues(t, 1, s.e.Stats().Outages)
	s.e.PathChanged(s.now, 0)
	require.Equal(t, 2, c.silences)
}

func TestNoBulkButProbesInAnOutage(t *testing.T) {
	s := newBulk(t, &fixed{window: 1 << 30, rate: 1 << 40}).bulk(1)
	for range 20 {
		s.wait(20 * ms).bulk(1).poll()
	}
	s.run(time.Second)
	s.bulk(100)
	for _, sent := range s.run(time.Second) {
		if strings.Contains(sent, "ordered") {
			require.Equal(t, []string{"ordered/1", "0"}, strings.Fields(sent)[1:3], "the oldest is the probe")
		}
	}
}

func TestBulkIsNotCarriedAgainByPacketsOfTheGame(t *testing.T) {
	s := newBulk(t, &fixed{window: 1 << 30, rate: 1 << 40}, func(c *Config) { c.Budget = 200 })
	s.e.repair.missed = missScale / 20
	for range 2 {
		s.queues(ReliableOrdered, "tick").poll()
		s.wait(10*ms).send("bulk", onBulk).poll()
		s.wait(10 * ms)
	}
	s.e.packets.tick.period, s.e.repair.account = int64(20*ms), accountCap
	s.queues(ReliableOrdered, "last")
	sent := s.poll()
	require.Len(t, sent, 1)
	require.Contains(t, sent[0], "last; ordered 1 tick")
	require.NotContains(t, sent[0], "bulk")
}

func TestNothingIsCarriedAgainOnAFullPath(t *testing.T) {
	s := newSettled(t, func(c *Config) { c.Budget = 200 })
	s.e.packets.tick.period = int64(20 * ms)
	for _, full := range []bool{false, true} {
		s.e.packets.path.full = full
		s.e.repair.missed, s.e.repair.account = missScale/20, accountCap
		s.queues(ReliableUnordered, "one").poll()
		s.wait(10*ms).queues(ReliableUnordered, "two")
		require.Equal(t, !full, strings.Contains(strings.Join(s.poll(), ""), "one"))
		s.wait(time.Second).gets("ack @0 and @1-31").poll()
	}
}

func TestAPathIsFullWhenRoundTripsAreLongForASecond(t *testing.T) {
	s := newSettled(t)
	trip := func(rtt time.Duration) bool {
		s.queues(ReliableUnordered, "x").poll()
		s.wait(rtt).gets("ack @0").poll()
		return s.e.congested()
	}
	for at := time.Duration(0); at < 800*ms; at += 100 * ms {
		require.False(t, trip(100*ms))
	}
	full := false
	for range 30 {
		full = trip(100 * ms)
	}
	require.True(t, full)
	for range 10 {
		full = trip(50 * ms)
	}
	require.False(t, full)
}

func TestAPathWhoseRoundTripsVaryIsNotFull(t *testing.T) {
	s := newSettled(t)
	for i := range 100 {
		s.queues(ReliableUnordered, "x").poll()
		s.wait(time.Duration(50+i%5*20) * ms).gets("ack @0").poll()
		require.False(t, s.e.congested())
	}
}

func TestBulkNeitherEarnsForCopiesNorSpends(t *testing.T) {
	s := newBulk(t, &fixed{window: 1 << 30, rate: 1 << 40})
	s.e.repair.account = 700
	s.bulk(1).poll()
	require.EqualValues(t, 700, s.e.repair.account)
	require.Equal(t, 1, s.leaves(200*ms), "a repair")
	require.EqualValues(t, 700, s.e.repair.account)
}

func TestProbesAreOfTheGameIfThereIsOne(t *testing.T) {
	s := newBulk(t, &fixed{window: 1 << 30, rate: 1 << 40})
	for range 20 {
		s.bulk(1).queues(ReliableOrdered, "game").poll()
		s.wait(20 * ms)
	}
	s.run(time.Second)
	require.EqualValues(t, 1, s.e.Stats().Outages)
	for _, sent := range s.run(time.Second) {
		if strings.Contains(sent, "ordered") {
			require.Contains(t, sent, "ordered 0 game; ordered 1 game")
			require.NotContains(t, sent, "bbb")
		}
	}
}

func TestCopiesAreNotSentWherePacketsAreLostToCongestion(t *testing.T) {
	for _, full := range []bool{false, true} {
		s := newBulk(t, &fixed{window: 1 << 30, rate: 1 << 40, full: full})
		s.e.repair.missed = missScale / 10
		s.queues(ReliableUnordered, "game").poll()
		copies := 3
		if full {
			copies = 1
		}
		require.Equal(t, copies, s.leaves(70*ms))
	}
}

func TestBulkLeavesAPartOfTheQueueToOthers(t *testing.T) {
	s := newBulk(t, &fixed{window: 0, rate: 1}, func(c *Config) { c.SendQueueBytes = 100_000 })
	for i := 0; ; i++ {
		if s.e.Send(s.now, make([]byte, 1000), onBulk) != nil {
			require.Equal(t, 87, i)
			break
		}
	}
	require.Equal(t, 13_000, s.e.Sendable())
	s.send("game", SendOptions{Mode: ReliableOrdered})
}

func TestTheCeilingBoundsBulkToo(t *testing.T) {
	s := newBulk(t, &fixed{window: 1 << 30, rate: 1 << 40}, func(c *Config) { c.SendCeiling = 1_228_000 }).bulk(100)
	require.InDelta(t, 20, s.leaves(20*ms), 2)
	require.EqualValues(t, 1_228_000*15/16, s.e.SendBudget())
}

func TestSendBudgetTellsWhatThePathTakes(t *testing.T) {
	s := newSettled(t, bulkChannel)
	require.Zero(t, s.e.SendBudget(), "no ceiling, and no bulk yet")
	s = newBulk(t, &fixed{window: 1, rate: 12_345})
	require.EqualValues(t, 12_345, s.e.SendBudget())
	require.EqualValues(t, 4<<20, newSettled(t).e.SendBudget(), "the ceiling")
}

func TestClosingDeliversBulk(t *testing.T) {
	s := newBulk(t, &fixed{window: 1228, rate: 1 << 40}).bulk(2)
	require.Equal(t, 1, s.leaves(ms))
	s.e.Close(s.now)
	s.wait(50 * ms).gets("ack @0")
	require.Equal(t, 1, s.leaves(ms))
	require.Equal(t, StateClosing, s.e.State())
	s.wait(50 * ms).gets("ack @0")
	require.Equal(t, StateClosed, s.e.State())
}

func TestLossyBulkIsGovernedToo(t *testing.T) {
	c := &fixed{window: 3 * 1150, rate: 1 << 40}
	s := newBulk(t, c)
	for range 9 {
		s.send(strings.Repeat("u", 1100), SendOptions{Mode: Unreliable, Channel: 1})
	}
	require.Equal(t, 3, s.leaves(ms))
	s.wait(50 * ms).gets("ack @0 and @1")
	require.Equal(t, 2, s.leaves(ms))
	require.NotZero(t, c.acked)
}

func TestAcksWaitForATickUntilThereIsBulk(t *testing.T) {
	s := newPackets(t, func(c *Config) { c.AckOnTick = true })
	for i := range tickPackets - 1 {
		s.gets("ordered " + strconv.Itoa(i) + " b").idle()
	}
	s.gets("ordered 11 b")
	require.Len(t, s.run(2*ms), 1)
}

func TestEvenParts(t *testing.T) {
	for n := 1; n < 5000; n++ {
		part := evenPart(n, 100)
		require.LessOrEqual(t, part, 100)
		require.Equal(t, (n+99)/100, (n+part-1)/part, "%d: as few as can be", n)
	}
}

func TestBulkAllocatesNothing(t *testing.T) {
	a := New(start, Config{Sealer: nullSealer{}, Channels: []Channel{{}, {Class: ClassBulk}}, SendCeiling: -1, HandshakeRTT: 50 * ms})
	b := New(start, Config{Sealer: nullSealer{}, SendCeiling: -1, HandshakeRTT: 50 * ms})
	message, buf := make([]byte, 16<<10), make([]byte, 0, 2048)
	now := start
	type flying struct {
		at int64
		n  int
		to *Endpoint
		d  [1200]byte
	}
	air, first, last := make([]flying, 4096), 0, 0
	send := func(from, to *Endpoint) {
		for d := from.PollDatagram(now, buf); len(d) > 0; d = from.PollDatagram(now, buf) {
			f := &air[last%len(air)]
			last++
			f.at, f.n, f.to = now+int64(25*ms), copy(f.d[:], d), to
		}
	}
	step := func() {
		for range 100 {
			now += int64(ms) / 4
			for a.Send(now, message, SendOptions{Mode: ReliableOrdered, Channel: 1}) == nil {
			}
			for ; first < last && air[first%len(air)].at <= now; first++ {
				f := &air[first%len(air)]
				f.to.HandleDatagram(now, f.d[:f.n])
			}
			send(a, b)
			send(b, a)
			for ev, ok := b.PollEvent(); ok; ev, ok = b.PollEvent() {
				b.Recycle(ev.Payload)
			}
			for _, ok := a.PollEvent(); ok; _, ok = a.PollEvent() {
			}
		}
	}
	for range 100 {
		step()
	}
	packets := a.Stats().DatagramsSent
	allocs := testing.AllocsPerRun(20, step)
	require.Greater(t, a.Stats().DatagramsSent-packets, uint64(2000))
	require.Zero(t, allocs)
}

// A packet takes the link perPacket, and the round trip is shorter than the time between acks.
func TestBulkFillsAShortPath(t *testing.T) {
	for _, perPacket := range []time.Duration{5 * time.Microsecond, 10 * time.Microsecond, 20 * time.Microsecond, 100 * time.Microsecond} {
		p := newShortPath(perPacket)
		p.run(100 * ms)
		before := p.arrived
		p.run(100 * ms)
		require.Greater(t, p.arrived-before, int(100*ms/perPacket)*95/100, "a packet in %v", perPacket)
	}
}

// shortPath is a link with a queue without an end, and a bulk sender that always has more.
type shortPath struct {
	a, b        *Endpoint
	now, free   int64 // free is when the link has sent what it has
	perPacket   int64
	there, back []onTheWay
	arrived     int
}

type onTheWay struct {
	at       int64
	datagram []byte
}

func newShortPath(perPacket time.Duration) *shortPath {
	c := Config{Sealer: nullSealer{}, Loopback: true, Channels: []Channel{{Class: ClassBulk}}}
	return &shortPath{a: New(start, c), b: New(start, c), now: start, free: start, perPacket: int64(perPacket)}
}

func (p *shortPath) run(d time.Duration) {
	const oneWay, step = int64(25 * time.Microsecond), int64(5 * time.Microsecond)
	for end := p.now + int64(d); p.now < end; p.now += step {
		p.there, p.back = p.deliver(p.b, p.there), p.deliver(p.a, p.back)
		for p.a.Send(p.now, make([]byte, 1024), SendOptions{Mode: ReliableOrdered}) == nil {
		}
		for d := p.a.PollDatagram(p.now, nil); len(d) > 0; d = p.a.PollDatagram(p.now, nil) {
			p.free = max(p.free, p.now) + p.perPacket
			p.there = append(p.there, onTheWay{p.free + oneWay, d})
		}
		for d := p.b.PollDatagram(p.now, nil); len(d) > 0; d = p.b.PollDatagram(p.now, nil) {
			p.back = append(p.back, onTheWay{p.now + oneWay, d})
		}
	}
}

// deliver hands over what has come, and reads the messages.
func (p *shortPath) deliver(to *Endpoint, air []onTheWay) []onTheWay {
	for len(air) > 0 && air[0].at <= p.now {
		to.HandleDatagram(p.now, air[0].datagram)
		air = air[1:]
	}
	for ev, ok := to.PollEvent(); ok; ev, ok = to.PollEvent() {
		if ev.Kind == EventMessage {
			p.arrived++
			to.Recycle(ev.Payload)
		}
	}
	return air
}
