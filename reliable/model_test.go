package reliable

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/framing"
)

// model is what one direction of a session promises: the messages that were accepted, and what became of each.
type model struct {
	sent []modelled
	last map[[2]uint8]int // the message delivered last, by mode and channel
}

type modelled struct {
	mode      Mode
	channel   uint8
	size      int
	receipt   bool
	delivered bool
	fate      Fate
}

// accept notes a message and gives its text, from which the number can be read.
func (m *model) accept(mode Mode, channel uint8, size int, receipt bool) []byte {
	m.sent = append(m.sent, modelled{mode: mode, channel: channel, size: size, receipt: receipt})
	return modelText(len(m.sent)-1, size)
}

func modelText(n, size int) []byte {
	text := make([]byte, size)
	for i := range text {
		text[i] = byte(n + i/7)
	}
	binary.LittleEndian.PutUint32(text, uint32(n))
	return text
}

// deliver judges a message that the peer's application read.
func (m *model) deliver(ev Event) error {
	n := int(binary.LittleEndian.Uint32(ev.Payload))
	if n >= len(m.sent) || !slices.Equal(ev.Payload, modelText(n, m.sent[n].size)) {
		return fmt.Errorf("message %d of %d bytes is not one that was sent", n, len(ev.Payload))
	}
	msg, stream := &m.sent[n], [2]uint8{uint8(ev.Mode), ev.Channel}
	last, any := m.last[stream]
	switch {
	case msg.mode != ev.Mode || msg.channel != ev.Channel:
		return fmt.Errorf("message %d came on another stream", n)
	case msg.delivered:
		return fmt.Errorf("message %d was delivered twice", n)
	case any && last > n && ev.Mode != Unreliable && ev.Mode != ReliableUnordered:
		return fmt.Errorf("%d came after %d of its stream", n, last)
	case msg.fate == Expired, msg.fate == Superseded && msg.mode != ReliableSequenced:
		return fmt.Errorf("message %d was withdrawn, fate %d, and delivered", n, msg.fate)
	}
	msg.delivered = true
	m.last[stream] = n
	return nil
}

// settle judges an outcome.
func (m *model) settle(ev Event) error {
	msg := &m.sent[ev.Receipt-1]
	allowed := map[bool][]Fate{
		true:  {Delivered, Expired, Superseded, Cancelled},
		false: {Delivered, Lost, Expired, Superseded, Cancelled},
	}[msg.mode.reliable()]
	switch {
	case !msg.receipt || msg.fate != 0:
		return fmt.Errorf("an outcome of message %d that nobody waits for", ev.Receipt-1)
	case !slices.Contains(allowed, ev.Fate):
		return fmt.Errorf("message %d of mode %d cannot have fate %d", ev.Receipt-1, msg.mode, ev.Fate)
	case msg.delivered && ev.Fate == Expired:
		return fmt.Errorf("message %d was delivered before it expired", ev.Receipt-1)
	}
	msg.fate = ev.Fate
	return nil
}

// finish judges what is missing once everything had time to arrive. all says that nobody left before, and kept that the peer did not throw
// away what it had acked.
func (m *model) finish(all, kept bool) error {
	newest := map[uint8]int{}
	for n, msg := range m.sent {
		withdrawn := msg.fate == Expired || msg.fate == Superseded || msg.fate == Cancelled
		switch {
		case msg.receipt && msg.fate == 0:
			return fmt.Errorf("message %d has no outcome", n)
		case kept && msg.mode.reliable() && msg.fate == Delivered && !msg.delivered:
			return fmt.Errorf("message %d was reported as delivered and was not", n)
		case all && msg.fate == Cancelled:
			return fmt.Errorf("message %d was cancelled", n)
		case all && !msg.delivered && !withdrawn && (msg.mode == ReliableOrdered || msg.mode == ReliableUnordered):
			return fmt.Errorf("message %d of mode %d never came", n, msg.mode)
		case msg.mode == ReliableSequenced && !(msg.fate == Expired):
			newest[msg.channel] = n
		}
	}
	for _, n := range newest {
		if all && !m.sent[n].delivered {
			return fmt.Errorf("message %d was the newest of its stream and never came", n)
		}
	}
	return nil
}

// world is a session between two endpoints, a network that a script plays, and the models of both directions.
type world struct {
	t     *testing.T
	now   int64
	ends  [2]*Endpoint
	model [2]model // of what ends[i] sends
	air   [2][][]byte
	over  [2]bool
	heard [2]int64 // when something came to a side last
	keep  bool     // neither side leaves: everything must arrive
	left  [2]bool  // a side left and threw away what it had not read
	cut   bool     // one left without waiting for what it had sent
	xors  bool     // an Xor always pays, and most messages can be covered
}

func newWorld(t *testing.T, c Config) *world {
	w := &world{t: t, now: start, heard: [2]int64{start, start}, keep: true}
	for i := range w.ends {
		c.Pool = &Pool{Poison: true}
		c.Role, c.PeerID, c.Sealer = framing.Role(i), 1, nullSealer{}
		c.Seed[0] = byte(i)
		w.ends[i] = New(start, c)
		w.model[i].last = map[[2]uint8]int{}
	}
	return w
}

// send lets the application of one side send a message that n describes.
func (w *world) send(side int, n, m byte) {
	o := SendOptions{Mode: Mode(n % modes), Channel: n / modes % 3, Urgent: m&1 != 0}
	size := 4 + int(m)/2
	if m > 200 {
		size = 4 + int(m-200)*123 // up to 6 fragments
	}
	if w.xors && m < 200 {
		o.Mode, o.Channel = ReliableUnordered+Mode(n%2), 0
	}
	if n >= 240 {
		o.TTL = time.Duration(m%16) * ms
	}
	if n >= 225 && n < 240 {
		o.ReplaceKey = 1
	}
	receipt := n&1 == 0 || o.TTL > 0 || o.ReplaceKey > 0
	text := w.model[side].accept(o.Mode, o.Channel, size, receipt)
	if receipt {
		o.Receipt = uint64(len(w.model[side].sent))
	}
	if w.ends[side].Send(w.now, text, o) != nil {
		w.model[side].sent = w.model[side].sent[:len(w.model[side].sent)-1]
	}
}

// step plays two bytes of a script.
func (w *world) step(op, n byte) {
	side := int(op & 1)
	air := &w.air[side]
	switch op >> 1 % 16 {
	case 0, 1, 2, 3:
		w.send(side, n, op^n*7)
	case 4, 5, 6, 7: // deliver the oldest ones
		for range 1 + n%4 {
			w.arrive(side, 0)
		}
	case 8: // deliver one out of turn
		w.arrive(side, int(n))
	case 9: // lose one
		if len(*air) > 0 {
			i := int(n) % len(*air)
			*air = slices.Delete(*air, i, i+1)
		}
	case 10: // double one
		if len(*air) > 0 {
			*air = append(*air, (*air)[int(n)%len(*air)])
		}
	case 11, 12, 13:
		w.now += int64(n) * int64(ms) / 4
	case 14:
		w.read(side)
	case 15:
		w.leave(side, n)
	}
	w.pump()
}

// leave ends the session, seldom.
func (w *world) leave(side int, n byte) {
	switch {
	case n < 4:
		w.ends[side].Close(w.now)
	case n < 6:
		w.ends[side].Abort(w.now)
	default:
		w.now += int64(n) * int64(ms)
		return
	}
	w.keep, w.left[side] = false, true
	w.cut = w.cut || n >= 4
}

func (w *world) arrive(from, i int) {
	air := &w.air[from]
	if len(*air) == 0 {
		return
	}
	i %= len(*air)
	d := (*air)[i]
	*air = slices.Delete(*air, i, i+1)
	drop := w.ends[1-from].HandleDatagram(w.now, d)
	require.NotEqual(w.t, framing.DropProtocol, drop, "neither side offends")
	if drop == framing.Accepted {
		w.heard[1-from] = w.now
	}
}

// pump takes what both sides send now and holds their limits.
func (w *world) pump() {
	for i, e := range w.ends {
		if w.now-w.heard[i] >= int64(e.cfg.Timeout) { // a script can be so silent
			w.keep, w.cut = false, true
		}
		if w.xors {
			pays(e)
		}
		sent := 0
		for d := e.PollDatagram(w.now, nil); len(d) > 0; d = e.PollDatagram(w.now, nil) {
			w.air[i] = append(w.air[i], d)
			sent++
			if sent > 5000 {
				w.t.Fatal("it never stops sending")
			}
		}
		if e.NextDeadline() <= w.now {
			w.t.Fatal("a deadline lies behind though nothing is to be done")
		}
		holdsLimits(w.t, e)
	}
}

// holdsBulk requires that what is booked of bulk, and of messages with parities, is what there is.
func holdsBulk(t *testing.T, e *Endpoint) {
	p, sharded := e.packets, 0
	for i := range e.queue.wholes {
		if w := &e.queue.wholes[i]; w.parities > 0 && e.queue.streams[w.stream].mode.reliable() {
			sharded++
		}
	}
	require.EqualValues(t, sharded, p.sharded)
	if p.bulk == nil {
		return
	}
	bytes, packets := 0, 0
	for n := p.sent.first; n < p.sent.next; n++ {
		if record := p.sent.at(n); record.bulk && record.state == packetOutstanding {
			bytes += int(record.size)
			packets++
		}
	}
	require.Equal(t, []int{bytes, packets}, []int{p.bulk.inFlight, p.bulk.packets})
	require.LessOrEqual(t, packets, mostBulkPackets)
}

// holdsLimits requires that nothing has outgrown its bounds.
func holdsLimits(t *testing.T, e *Endpoint) {
	p, c := e.packets, &e.packets.credit
	within := func(what string, n, limit int) {
		if n < 0 || n > limit {
			require.Failf(t, "a limit is broken", "%s: %d, at most %d", what, n, limit)
		}
	}
	within("sets", len(p.sets), maxSets)
	for i := range p.sets {
		within("bytes of a set", p.sets[i].bytes, MaxLossyMessage)
	}
	within("packets remembered", len(p.sent.packets), 2*maxSentPackets)
	within("packets outstanding", p.sent.outstanding, 2*maxSentPackets)
	within("streams", len(p.streams), 3*Channels)
	if p.aside != nil {
		within("responses", int(p.aside.waiting), maxResponses)
	}
	if p.recent != nil {
		within("messages kept", int(p.recent.used), recentBytes)
		within("since the last Xor", int(p.recent.since), recentLife)
	}
	if p.rebuilder != nil {
		within("messages with parities", len(p.rebuilder.sets), mostSharded)
	}
	holdsBulk(t, e)
	within("reserved", c.reserved, e.cfg.SendQueueBytes)
	within("sequenced", c.sequenced, sessionWindow)
	within("held", c.held, sessionWindow)
	held, sequenced := 0, 0
	for i := range p.streams {
		r := &p.streams[i]
		within("window", r.window.count, int(r.span))
		within("window bytes", r.window.bytes, streamWindow)
		if r.mode == ReliableSequenced {
			sequenced += r.window.bytes
		} else {
			held += r.window.bytes
		}
	}
	lossy, reliable := e.queue.held[0], e.queue.held[1]
	within("queue", reliable.messages, e.cfg.SendQueueMessages)
	within("queue bytes", reliable.bytes, e.cfg.SendQueueBytes)
	within("lossy queue", lossy.messages, max(1, e.cfg.SendQueueMessages/4))
	within("lossy queue bytes", lossy.bytes, max(framing.MaxDatagram, e.cfg.SendQueueBytes/4))
	if e.state != StateClosed {
		within("held by streams", held-c.held, 0)
		within("sequenced held by streams", sequenced-c.heldSequenced, 0)
		within("unread", e.unread.messages(), e.cfg.UnreadMessages)
		within("unread bytes", e.unread.bytes, max(e.cfg.UnreadBytes, MaxReliableMessage))
	}
}

func (w *world) read(side int) {
	e := w.ends[side]
	for {
		ev, ok := e.PollEvent()
		if !ok {
			return
		}
		require.False(w.t, w.over[side], "nothing comes after the last event")
		switch ev.Kind {
		case EventMessage:
			require.NoError(w.t, w.model[1-side].deliver(ev))
			e.Recycle(ev.Payload)
		case EventOutcome:
			require.NoError(w.t, w.model[side].settle(ev))
		case EventDisconnected:
			require.Contains(w.t, []Cause{ClosedLocally, ClosedByPeer, TimedOut}, ev.Cause)
			w.over[side], w.cut = true, w.cut || ev.Undelivered > 0
		}
	}
}

// calm lets time pass on a perfect network with applications that read.
func (w *world) calm(d time.Duration) {
	for end := w.now + int64(d); w.now < end; w.now = w.next(end) {
		for side := range w.ends {
			for n := len(w.air[side]); n > 0; n-- {
				w.arrive(side, 0)
			}
		}
		w.pump()
		w.read(0)
		w.read(1)
	}
}

// next is when something happens next: what is in the air takes 5 ms.
func (w *world) next(end int64) int64 {
	if len(w.air[0])+len(w.air[1]) > 0 {
		return w.now + int64(5*ms)
	}
	return min(end, w.ends[0].NextDeadline(), w.ends[1].NextDeadline())
}

// backlog is how long a send ceiling may hold back what waits, headers and repairs included.
func (w *world) backlog() (d time.Duration) {
	for _, e := range w.ends {
		if q := &e.queue; e.cfg.SendCeiling > 0 {
			d = max(d, 2*time.Duration(q.held[0].bytes+q.held[1].bytes)*time.Second/time.Duration(e.cfg.SendCeiling))
		}
	}
	return d
}

// finish lets everything arrive, judges it, and ends the session.
func (w *world) finish() {
	w.read(0)
	w.read(1)
	w.calm(15*time.Second + w.backlog())
	if w.keep {
		require.Equal(w.t, StateConnected, w.ends[0].State())
		require.True(w.t, w.ends[0].queue.empty() && w.ends[1].queue.empty(), "everything arrives")
	}
	keep := w.keep
	w.keep = false
	w.ends[0].Close(w.now)
	w.ends[1].Close(w.now)
	w.calm(4 * time.Second)
	for i, e := range w.ends {
		require.True(w.t, e.Finished())
		require.Zero(w.t, e.pool.Outstanding(), "every buffer is back")
		require.NoError(w.t, w.model[i].finish(keep, !w.left[1-i] && !w.cut))
	}
}

func playModel(t *testing.T, script []byte, c Config) {
	newWorld(t, c).play(script)
}

func (w *world) play(script []byte) {
	w.pump()
	for ; len(script) >= 2; script = script[2:] {
		w.step(script[0], script[1])
	}
	w.finish()
}

// modelConfigs are the settings under which scripts are played: the defaults, and limits that scripts reach.
var modelConfigs = []Config{
	{},
	{UnreadMessages: 3, UnreadBytes: 1500, SendQueueMessages: 20, SendQueueBytes: 8000},
	{Budget: 200, AckOnTick: true, HandshakeRTT: 20 * ms},
	{SendCeiling: 20_000, FirstSend: 1<<16 - 20, FirstReceive: 1<<16 - 20, HandshakeRTT: 5 * ms},
}

// modelScript is a script by chance: some are calm, some lose a lot, some leave.
func modelScript(seed uint64) []byte {
	r := rand.New(rand.NewPCG(seed, 77))
	script := make([]byte, 2*(20+r.IntN(200)))
	losses, leaves := r.IntN(3), r.IntN(4) == 0
	for i := 0; i < len(script); i += 2 {
		op := byte(r.IntN(32))
		switch kind := op >> 1; {
		case kind == 9 && losses == 0, kind == 15 && !leaves:
			op = 14<<1 | op&1
		case kind == 10 && losses == 2:
			op = 9<<1 | op&1
		}
		script[i], script[i+1] = op|byte(r.IntN(8))<<5, byte(r.IntN(256))
	}
	return script
}

func TestEveryModeKeepsItsPromiseWhateverTheNetworkDoes(t *testing.T) {
	n := uint64(400)
	if testing.Short() {
		n = 40
	}
	for seed := range n {
		for i, c := range modelConfigs {
			ok := t.Run("", func(t *testing.T) { playModel(t, modelScript(seed), c) })
			require.True(t, ok, "seed %d, settings %d", seed, i)
		}
	}
}

func FuzzModel(f *testing.F) {
	for seed := range uint64(20) {
		f.Add(modelScript(seed), uint8(seed*13))
	}
	f.Fuzz(func(t *testing.T, script []byte, settings uint8) {
		if len(script) > 2000 {
			return
		}
		w := newWorld(t, modelConfigs[int(settings)%len(modelConfigs)])
		w.xors = settings >= 128
		w.play(script)
	})
}
