package reliable

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/framing"
	"github.com/gannet-net/gannet/framing/packet"
	"github.com/gannet-net/gannet/internal/testflag"
)

// twins is one connection that lives twice, through the same inputs: once with short cuts and once without. Whatever comes out has to be equal.
type twins struct {
	t     *testing.T
	r     *rand.Rand
	habit habit

	now  int64
	ends [2][2]*Endpoint // of a side: with short cuts, without
	air  [2][][]byte     // on the way to a side

	dark                     bool // nothing arrives
	usualSent, usualReceived int  // packets that took a short cut
	usualLossy               int  // received, with lossy messages
	usualParts               int  // received, with fragments
	bunches                  int  // packets that left with a bunch
}

// habit is what the applications and the network of a run do.
type habit struct {
	lost, again, late, broken int   // of 1000 datagrams: never come, come twice, come out of order, come with other content besides
	odd                       int   // of 1000 messages: of any mode, channel, size and option; the others are of a game
	lossy                     int   // of 1000 of those: unreliable
	large                     int   // of 1000 of those: in fragments, most of them
	crowd                     []int // messages at once
	pace                      int   // ms
	breaks                    bool
	ackOnTick, limited        bool
	channels                  []Channel
}

func newTwins(t *testing.T, seed uint64) *twins {
	r := rand.New(rand.NewPCG(seed, 1))
	pick := func(of ...int) int { return of[r.IntN(len(of))] }
	w := &twins{t: t, r: r, now: start, habit: habit{
		lost: pick(0, 0, 1, 10, 100, 400), again: pick(0, 0, 20), late: pick(0, 0, 20, 200), broken: pick(0, 0, 0, 3),
		crowd: [][]int{{1}, {1, 2, 3}, {1, 1, 1, 1, 1, 1, 1, 100}}[r.IntN(3)],
		lossy: pick(0, 0, 10, 300, 1000),
		odd:   pick(0, 0, 10, 200, 1000), pace: pick(2, 6, 30), breaks: r.IntN(3) == 0,
		ackOnTick: r.IntN(2) == 0, limited: r.IntN(4) == 0,
		channels: [][]Channel{nil, nil, {{Weight: 3}, {}, {Class: ClassBulk}}, {{Class: ClassBulk}}}[r.IntN(4)],
	}}
	w.habit.large = pick(0, 0, 50, 1000)
	if seed%4 == 3 { // backlogs of small messages, which few of the others have
		w.habit.crowd, w.habit.lossy, w.habit.odd, w.habit.large, w.habit.limited = []int{1, 1, 1, 100}, 10, 10, 0, false
	}
	floods := seed%8 == 7
	if floods { // more than the window that a stream begins with
		w.habit.crowd, w.habit.lost, w.habit.breaks = []int{1, 1, 1, 400}, pick(0, 1, 10), false
	}
	for side := range w.ends {
		for i := range w.ends[side] {
			c := Config{
				Role: framing.Role(side), Sealer: nullSealer{}, Seed: [32]byte{byte(seed), byte(side)}, HandshakeRTT: 40 * ms,
				FirstSend: int32(-20), FirstReceive: int32(-20), AckOnTick: w.habit.ackOnTick, Channels: w.habit.channels, Pool: &Pool{Poison: true, slow: i == 1},
			}
			if w.habit.limited {
				c.UnreadMessages, c.UnreadBytes, c.SendQueueMessages, c.SendCeiling = 5, 4096, 30, 20_000
			}
			if floods {
				c.UnreadMessages = 5000
			}
			w.ends[side][i] = New(w.now, c)
		}
	}
	return w
}

func (w *twins) chance(of1000 int) bool { return w.r.IntN(1000) < of1000 }

// both lets the twins of a side do the same, and requires the same result.
func both[T comparable](w *twins, side int, do func(e *Endpoint) T) T {
	short, long := do(w.ends[side][0]), do(w.ends[side][1])
	if short != long {
		w.t.Helper()
		require.Equal(w.t, long, short, "with short cuts")
	}
	return short
}

// step is one input for one side and all that comes out of it.
func (w *twins) step() {
	side := w.r.IntN(2)
	if w.habit.breaks && w.chance(10) {
		w.dark = !w.dark
	}
	switch n := w.r.IntN(16); {
	case n < 5:
		for range w.habit.crowd[w.r.IntN(len(w.habit.crowd))] {
			w.send(side)
		}
	case n < 7:
		w.now += int64(w.r.IntN(w.habit.pace)) * int64(ms)
	case n < 8 && w.chance(30):
		w.now = max(w.now, min(w.ends[side][0].NextDeadline(), w.now+int64(3*time.Second)))
	case n < 12:
		w.deliver(side)
	case n < 13 && w.chance(60):
		w.migrate(side)
	case n < 13 && w.chance(2):
		both(w, side, func(e *Endpoint) State { e.Close(w.now); return e.State() })
	default:
		w.read(side)
	}
	for side := range w.ends {
		if w.chance(800) {
			w.poll(side)
		}
		both(w, side, (*Endpoint).NextDeadline)
		both(w, side, (*Endpoint).Stats)
		both(w, side, (*Endpoint).State)
	}
}

// migrate is what happens when addresses change, or a ticket is given.
func (w *twins) migrate(side int) {
	random, rtt := [8]byte{byte(w.r.Uint32())}, time.Duration(w.r.IntN(100))*ms
	switch w.r.IntN(3) {
	case 0:
		d := both(w, side, func(e *Endpoint) string { return string(e.AppendPathChallenge(w.now, nil, random)) })
		w.air[1-side] = append(w.air[1-side], []byte(d))
	case 1:
		both(w, side, func(e *Endpoint) State { e.PathChanged(w.now, rtt); return e.State() })
	default:
		both(w, side, func(e *Endpoint) string { return fmt.Sprint(e.SendTicket(w.now, [32]byte{1}, random[:])) })
	}
	both(w, 1-side, func(e *Endpoint) [8]byte { r, _ := e.PollPathResponse(); return r })
}

func (w *twins) send(side int) {
	text := make([]byte, w.r.IntN(100))
	if w.chance(w.habit.large) {
		text = make([]byte, w.r.IntN(20_000))
	}
	o := SendOptions{Mode: ReliableOrdered}
	if w.chance(w.habit.lossy) {
		o = SendOptions{Mode: Unreliable, Channel: uint8(w.r.IntN(20) / 19), Receipt: uint64(w.r.IntN(20) / 19)}
	}
	if w.chance(w.habit.odd) {
		text = make([]byte, w.r.IntN(3000))
		o = SendOptions{
			Mode: Mode(w.r.IntN(modes)), Channel: uint8(w.r.IntN(3)), Receipt: uint64(w.r.IntN(2)) * w.r.Uint64(), Urgent: w.chance(200),
			TTL: time.Duration(w.r.IntN(3)) * 7 * ms, ReplaceKey: uint64(w.r.IntN(3)),
		}
	}
	for i := range text {
		text[i] = byte(w.r.Uint32())
	}
	both(w, side, func(e *Endpoint) string { return fmt.Sprint(e.Send(w.now, text, o)) })
}

// poll takes what a side sends now.
func (w *twins) poll(side int) {
	for range 1000 {
		if w.ends[side][0].usualStream(w.now) != nil {
			w.usualSent++
		}
		before := w.ends[side][0].queue.bunches
		d := both(w, side, func(e *Endpoint) string { return string(e.PollDatagram(w.now, nil)) })
		if len(d) == 0 {
			return
		}
		w.bunches += int(max(0, w.ends[side][0].queue.bunches-before))
		if w.dark || w.chance(w.habit.lost) {
			continue
		}
		air := &w.air[1-side]
		*air = append(*air, []byte(d))
		if w.chance(w.habit.again) {
			*air = append(*air, []byte(d))
		}
	}
	w.t.Fatal("it never stops sending")
}

// deliver hands a side the next datagram that is on the way to it, or a later one.
func (w *twins) deliver(side int) {
	air := &w.air[side]
	if len(*air) == 0 {
		return
	}
	i := 0
	if w.chance(w.habit.late) {
		i = w.r.IntN(min(len(*air), 20))
	}
	d := (*air)[i]
	*air = append((*air)[:i], (*air)[i+1:]...)
	w.give(side, d)
	if w.chance(w.habit.broken) {
		w.give(side, w.broken(d))
	}
}

func (w *twins) give(side int, d []byte) {
	e := w.ends[side][0]
	var u packet.Usual
	var l packet.UsualLossy
	switch plain, _, drop := (nullSealer{}).Open(nil, d, e.packets.received.highest); {
	case drop != framing.Accepted:
	case u.Read(plain) && e.isUsual(&u, e.packets.stream(u.Stream)):
		w.usualReceived++
		if u.Messages > 0 && !u.Whole() {
			w.usualParts++
		}
	case l.Read(plain):
		w.usualLossy++
	}
	both(w, side, func(e *Endpoint) framing.Drop { return e.HandleDatagram(w.now, d) })
}

// broken is a packet of the next number with one that came in it, changed a little.
func (w *twins) broken(d []byte) []byte {
	plain, number, _ := nullSealer{}.Open(nil, d, 1<<20)
	plain = bytes.Clone(plain)
	for range 1 + w.r.IntN(2) {
		plain[w.r.IntN(min(len(plain), 14))] ^= 1 << w.r.IntN(8)
	}
	return nullSealer{}.Seal(nil, plain[:len(plain)-w.r.IntN(2)], number+1)
}

// read reads some events, as an application does.
func (w *twins) read(side int) {
	for range w.r.IntN(8) {
		both(w, side, func(e *Endpoint) string {
			ev, _ := e.PollEvent()
			text := fmt.Sprintf("%+v", ev)
			if ev.Kind == EventMessage {
				e.Recycle(ev.Payload)
			}
			return text
		})
	}
}

// requireEqualInside compares what will come out later.
func (w *twins) requireEqualInside() {
	for side := range w.ends {
		short, long := inside(w.ends[side][0]), inside(w.ends[side][1])
		for i := range long {
			if !reflect.DeepEqual(long[i], short[i]) {
				require.Failf(w.t, "with short cuts", "%T is %+v without, and %+v with", long[i], long[i], short[i])
			}
		}
	}
}

func inside(e *Endpoint) []any {
	times, packets, queue := [...]int64{e.heard, e.said, e.promised}, *e.packets, flatten(e)
	outstanding := e.pool.Outstanding() + queue.spared
	queue.spared, packets.sent.refs = 0, nil
	if packets.bulk != nil {
		bulk := *packets.bulk
		bulk.again = ring[messageRef]{}
		packets.bulk = &bulk
	}
	packets.streams = slices.Clone(packets.streams)
	for i := range packets.streams {
		if s := &packets.streams[i]; s.part.len() > 0 {
			outstanding += int(s.part.count) - 1
		}
		spread(&packets.streams[i])
	}
	return []any{queue, e.repair, e.rtt, packets, e.unread, e.reverse, e.sending, e.receiving, times, e.forgiven, outstanding}
}

// spread makes s, which is a copy, one that holds each fragment by itself, in their order and without their times.
func spread(s *receiveStream) {
	if s.part != nil {
		part := *s.part
		s.part, s.window.slots = &part, slices.Clone(s.window.slots)
		part.payload = bytes.Clone(part.payload)
		s.spill(&Pool{})
	}
	var held []received
	for _, r := range s.window.slots {
		if r.at = 0; r.held {
			held = append(held, r)
		}
	}
	slices.SortFunc(held, func(a, b received) int { return int(seqAfter(a.seq, b.seq)) })
	s.part, s.window.slots = nil, held
}

func TestShortCutsChangeNothing(t *testing.T) {
	sent, received, lossy, parts, bunches, widened, seeds := 0, 0, 0, 0, 0, 0, 32
	switch {
	case testing.Short():
		seeds = 16
	case testflag.Long():
		seeds = 3000
	}
	for seed := range uint64(seeds) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			w := newTwins(t, seed)
			for i := range 1000 {
				w.step()
				if i%100 == 0 {
					w.requireEqualInside()
				}
			}
			sent, received, lossy, parts = sent+w.usualSent, received+w.usualReceived, lossy+w.usualLossy, parts+w.usualParts
			bunches += w.bunches
			for side := range w.ends {
				widened += int(w.ends[side][0].packets.credit.widened)
			}
		})
	}
	t.Logf("%d packets sent, %d of bunches, %d received, and %d with lossy messages and %d with fragments of those, by short cuts", sent, bunches, received, lossy, parts)
	require.Greater(t, sent, 30*seeds)
	require.Greater(t, received, 30*seeds)
	require.Greater(t, lossy, 5*seeds)
	require.Greater(t, parts, 5*seeds)
	require.Greater(t, bunches, 2*seeds)
	require.Positive(t, widened)
}

// usualNow is when the endpoints of these tests have a usual packet to send or to take.
const usualNow = start + int64(ms)

// newUsual is an endpoint with one message that waits, and an Ack that it owes.
func newUsual(t *testing.T) *Endpoint {
	e := New(start, Config{Sealer: nullSealer{}, HandshakeRTT: 40 * ms})
	var b packet.Builder
	b.Reset(nil, packet.MaxPacket)
	b.AppendWhole(0, 0, []byte("x"), -1)
	require.Equal(t, framing.Accepted, e.HandleDatagram(start, nullSealer{}.Seal(nil, b.Bytes(), 0)))
	e.packets.clock.told = start
	require.NoError(t, e.Send(usualNow, []byte("y"), SendOptions{Mode: ReliableOrdered}))
	return e
}

func TestOnlyUsualPacketsAreSentByTheShortCut(t *testing.T) {
	send := func(o SendOptions, size int) func(e *Endpoint) {
		return func(e *Endpoint) { require.NoError(t, e.Send(usualNow, make([]byte, size), o)) }
	}
	for _, row := range []struct {
		what   string
		change func(e *Endpoint)
	}{
		{"short cuts are off", func(e *Endpoint) { e.pool.slow = true }},
		{"the session ends", func(e *Endpoint) { e.Close(usualNow) }},
		{"somebody looks on", func(e *Endpoint) { e.cfg.Trace = func(TraceEvent) {} }},
		{"nothing waits", func(e *Endpoint) { e.PollDatagram(usualNow, nil) }},
		{"a lossy message waits", send(SendOptions{Mode: Unreliable, Urgent: true}, 1)},
		{"another stream waits", send(SendOptions{Mode: ReliableOrdered, Channel: 1}, 1)},
		{"a fragment waits behind a whole message", send(SendOptions{Mode: ReliableOrdered}, 2000)},
		{"the stream is sequenced", func(e *Endpoint) { e.queue.streams[0].mode = ReliableSequenced }},
		{"too much was sent", func(e *Endpoint) { e.sending.paid = usualNow + int64(time.Hour) }},
		{"a message is due", func(e *Endpoint) { e.queue.due.entries = []dueEntry{{at: usualNow}} }},
		{"nothing gets through", func(e *Endpoint) { e.repair.outage = true }},
		{"packets are lost", func(e *Endpoint) { e.repair.missed = parityFrom }},
		{"the number is left out", func(e *Endpoint) { e.packets.skipAt = e.packets.sent.next }},
		{"too many packets are remembered", func(e *Endpoint) { e.packets.sent.first = e.packets.sent.next - maxSentPackets + 2 }},
		{"too many packets are in flight", func(e *Endpoint) { e.packets.sent.outstanding = MaxInFlight }},
		{"the peer has no room", func(e *Endpoint) { e.packets.credit.limit = 0 }},
		{"the peer is to be told of room", func(e *Endpoint) { e.packets.credit.tell = true }},
		{"the peer may not know of room", func(e *Endpoint) { e.packets.credit.unacked = true }},
		{"the ack has to name more", func(e *Endpoint) { e.packets.answer.since = ackMore + 1 }},
		{"the ack is to be repeated", func(e *Endpoint) { e.packets.answer.repeatAt = usualNow }},
		{"a ticket is to be given", func(e *Endpoint) { e.packets.demand().ticket = &ticket{dueAt: usualNow} }},
		{"a challenge is to be answered", func(e *Endpoint) { e.packets.asked(&packet.Path{}) }},
		{"a heartbeat is due", func(e *Endpoint) { e.heartbeatDue = true }},
		{"the time is to be told", func(e *Endpoint) { e.packets.clock.told = usualNow - clockEvery }},
	} {
		e := newUsual(t)
		require.NotNil(t, e.usualStream(usualNow))
		row.change(e)
		require.Nil(t, e.usualStream(usualNow), row.what)
	}
}

func TestOnlyUsualFragmentsAreSentByTheShortCut(t *testing.T) {
	large, small, ordered := make([]byte, 3*fragmentRoom), []byte("x"), SendOptions{Mode: ReliableOrdered}
	for _, row := range []struct {
		what   string
		queued [][]byte
		change func(e *Endpoint)
		usual  bool
	}{
		{what: "a message in fragments", queued: [][]byte{large}, usual: true},
		{what: "another behind it", queued: [][]byte{large, large}, usual: true},
		{what: "parities are about", queued: [][]byte{large}, change: func(e *Endpoint) { e.packets.sharded = 1 }},
		{what: "the peer has no room", queued: [][]byte{large}, change: func(e *Endpoint) { e.packets.credit.limit = fragmentRoom }},
		{what: "what is behind it has room", queued: [][]byte{large, small}, change: func(e *Endpoint) {
			e.PollDatagram(usualNow, nil)
			e.PollDatagram(usualNow, nil)
			e.queue.slots[e.queue.streams[0].waiting.head].payload = small
		}},
	} {
		e := newUsual(t)
		e.PollDatagram(usualNow, nil)
		for _, text := range row.queued {
			require.NoError(t, e.Send(usualNow, text, ordered))
		}
		if row.change != nil {
			row.change(e)
		}
		require.Equal(t, row.usual, e.usualStream(usualNow) != nil, row.what)
	}
}

func TestOnlyUsualBulkIsSentByTheShortCut(t *testing.T) {
	for _, row := range []struct {
		what   string
		change func(e *Endpoint, s *stream, b *bulkControl)
	}{
		{"none was sent yet", func(e *Endpoint, _ *stream, _ *bulkControl) { e.packets.bulk = nil }},
		{"some has to leave again", func(_ *Endpoint, _ *stream, b *bulkControl) { b.again.push(messageRef{}) }},
		{"the window is full", func(_ *Endpoint, _ *stream, b *bulkControl) { b.inFlight = 1 << 30 }},
		{"it is paced", func(_ *Endpoint, _ *stream, b *bulkControl) { b.paced.paid = usualNow + 1 }},
		{"an Ack leaves no room", func(e *Endpoint, s *stream, _ *bulkControl) {
			e.queue.slots[s.waiting.head].payload = make([]byte, bulkRoom)
		}},
		{"it is lossy", func(_ *Endpoint, s *stream, _ *bulkControl) { s.mode = Unreliable }},
	} {
		e := newUsual(t)
		s := &e.queue.streams[0]
		s.class, e.packets.bulk = ClassBulk, e.newBulkControl()
		require.NotNil(t, e.usualStream(usualNow))
		row.change(e, s, e.packets.bulk)
		require.Nil(t, e.usualStream(usualNow), row.what)
	}
}

func TestOnlyUsualPacketsAreTakenByTheShortCut(t *testing.T) {
	for _, row := range []struct {
		what   string
		change func(e *Endpoint, s *receiveStream, u *packet.Usual)
	}{
		{"the session ends", func(e *Endpoint, _ *receiveStream, _ *packet.Usual) { e.Close(usualNow) }},
		{"somebody looks on", func(e *Endpoint, _ *receiveStream, _ *packet.Usual) { e.cfg.Trace = func(TraceEvent) {} }},
		{"messages are kept for Xors", func(e *Endpoint, _ *receiveStream, _ *packet.Usual) { e.packets.recent = new(recent) }},
		{"the ack names what was not sent", func(_ *Endpoint, _ *receiveStream, u *packet.Usual) { u.Ack.Largest++ }},
		{"the stream is sequenced", func(_ *Endpoint, s *receiveStream, _ *packet.Usual) { s.mode = ReliableSequenced }},
		{"something waits", func(_ *Endpoint, s *receiveStream, _ *packet.Usual) { s.window.store(received{seq: 3}) }},
		{"the message is not next", func(_ *Endpoint, _ *receiveStream, u *packet.Usual) { u.Seq++ }},
		{"the windows are full", func(e *Endpoint, _ *receiveStream, _ *packet.Usual) { e.packets.credit.held = sessionWindow }},
		{"the application has many messages", func(e *Endpoint, _ *receiveStream, _ *packet.Usual) { e.cfg.UnreadMessages = 1 }},
		{"the application has many bytes", func(e *Endpoint, _ *receiveStream, _ *packet.Usual) { e.cfg.UnreadBytes = 1 }},
	} {
		e := newUsual(t)
		e.PollDatagram(usualNow, nil)
		u, s := packet.Usual{HasAck: true, Messages: 1, Bytes: 1, Seq: 1, First: true, Last: true}, &e.packets.streams[0]
		u.Ack.Largest = uint16(e.packets.sent.next - 1)
		require.True(t, e.isUsual(&u, s))
		require.False(t, e.isUsual(&u, nil), "the stream is new")
		row.change(e, s, &u)
		require.False(t, e.isUsual(&u, s), row.what)
	}
}

func TestOnlyUsualFragmentsAreTakenByTheShortCut(t *testing.T) {
	for _, row := range []struct {
		what   string
		change func(e *Endpoint, s *receiveStream, u *packet.Usual)
	}{
		{"the message begins anew", func(_ *Endpoint, _ *receiveStream, u *packet.Usual) { u.First = true }},
		{"a whole message", func(_ *Endpoint, _ *receiveStream, u *packet.Usual) { u.First, u.Last = true, true }},
		{"one is missing", func(_ *Endpoint, _ *receiveStream, u *packet.Usual) { u.Seq++ }},
		{"it came before", func(_ *Endpoint, _ *receiveStream, u *packet.Usual) { u.Seq-- }},
		{"it has another size", func(_ *Endpoint, _ *receiveStream, u *packet.Usual) { u.Bytes-- }},
		{"something is to be rebuilt", func(e *Endpoint, _ *receiveStream, _ *packet.Usual) { e.packets.rebuilds().sets = make([]shardSet, 1) }},
		{"the window has no sequence left", func(_ *Endpoint, s *receiveStream, u *packet.Usual) { s.part.count, u.Seq = Window, Window+1 }},
		{"the windows are full", func(e *Endpoint, _ *receiveStream, _ *packet.Usual) { e.packets.credit.held = sessionWindow }},
		{"the message is too large", func(_ *Endpoint, s *receiveStream, _ *packet.Usual) {
			s.part.payload = make([]byte, MaxReliableMessage)
		}},
		{"the application has many messages", func(e *Endpoint, _ *receiveStream, u *packet.Usual) { u.Last, e.cfg.UnreadMessages = true, 1 }},
		{"the application has many bytes", func(e *Endpoint, _ *receiveStream, u *packet.Usual) { u.Last, e.cfg.UnreadBytes = true, 4 }},
	} {
		e := newUsual(t)
		s := &e.packets.streams[0]
		e.takePart(usualNow, s, []byte("abc"))
		u := packet.Usual{Messages: 1, Bytes: 3, Seq: 2}
		require.True(t, e.isUsual(&u, s))
		row.change(e, s, &u)
		require.False(t, e.isUsual(&u, s), row.what)
	}
}

func TestShortCutsFillPacketsAlike(t *testing.T) {
	for _, mode := range []Mode{Unreliable, ReliableUnordered, ReliableOrdered} {
		for _, size := range []int{0, 1, 64, 300} {
			w := newTwins(t, 0)
			for range 300 {
				both(w, 0, func(e *Endpoint) error { return e.Send(w.now, make([]byte, size), SendOptions{Mode: mode}) })
			}
			w.poll(0)
			require.Positive(t, w.usualSent)
			w.requireEqualInside()
		}
	}
}

func TestAStreamThatWasHeldBackHasNoDebtByTheShortCutEither(t *testing.T) {
	e := newUsual(t)
	s := &e.queue.streams[0]
	s.held, e.queue.turn[s.class.rank()] = true, 1000
	require.NotNil(t, e.usualStream(usualNow))
	require.NotEmpty(t, e.PollDatagram(usualNow, nil))
	require.False(t, s.held)
	require.Greater(t, s.turn, int64(1000))
}
