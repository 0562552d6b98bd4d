package reliable

import (
	"encoding/binary"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/framing"
	"github.com/gannet-net/gannet/framing/packet"
)

// FuzzAcks plays a stream of acks against what is known to have been sent, on both wires: an ack is the truth, as far as a sender can know, or it changes
// nothing on the base protocol and ends the session on the packet wire. Nothing is taken for delivered that no ack has named.
//
// Each step is a byte that says what and a byte that says how much; an ack has bytes behind it.
func FuzzAcks(f *testing.F) {
	const (
		bare, bitmap32, bitmap64, ranges = 4 | 1<<3, 5 | 5<<3, 6 | 9<<3, 7 | 12<<3 // with as many bytes as each takes, or more

		beforeAll, beyond = 127, 128 // 31 numbers back, 32 ahead
	)
	f.Add([]byte{0, 5, bare, 0, 0, bare, 0, 9, 1, 50, 0, 31, bitmap32, 4, 0, 1, 1, 1, 1, 1, 255, bitmap64, 0, 0, 8, 7, 6, 5, 4, 3, 2, 1})
	f.Add([]byte{0, 31, 1, 20, bare, 0, 255, 0, 31, 1, 255, 1, 255, bare, 20, 0, 1, 1, bare, 0, 0})
	f.Add([]byte{0, 3, bare, beforeAll, 0})                                                                // of what was never sent
	f.Add([]byte{0, 3, bare, beyond, 255})                                                                 // likewise
	f.Add(slices.Repeat([]byte{0, 31, 1, 5, bitmap32, 0, 0, 255, 255, 255, 255}, 30))                      // across numbers that are left out
	f.Add(slices.Repeat([]byte{0, 31, 0, 31, bitmap64, 0, 0, 255, 255, 255, 255, 255, 255, 255, 255}, 20)) // likewise
	f.Add(append(slices.Repeat([]byte{0, 31}, 40), ranges, 0, 0, 2, 255, 15, 0, 255, 15))                  // and by ranges
	f.Add([]byte{0, 9, ranges, 0, 0, 64, 255, 255, 3, 255, 255, 3, 255, 255, 3})                           // RakNet #102: ranges that claim a lot
	for seed := range uint64(12) {
		f.Add(hostileScript(seed))
	}
	f.Fuzz(func(t *testing.T, script []byte) {
		if len(script) > 2000 {
			return
		}
		playAcks(t, script)
		playBaseAcks(t, script)
	})
}

// ackPeer is a session on the packet wire whose peer does nothing but ack.
type ackPeer struct {
	*testing.T
	e       *Endpoint
	now     int64
	number  int64            // of the next packet of the peer
	holds   map[int64][]byte // numbers of the packets that were sent, and the first byte of each message in them
	last    int64
	left    []int64         // numbers that were left out
	named   map[byte]bool   // messages in packets that an ack has named
	waiting map[uint64]byte // receipts and their messages
	queued  uint64
}

func playAcks(t *testing.T, script []byte) {
	p := &ackPeer{T: t, now: start, last: -1, holds: map[int64][]byte{}, named: map[byte]bool{}, waiting: map[uint64]byte{}}
	p.e = New(start, Config{Role: framing.Client, Sealer: nullSealer{}, HandshakeRTT: 50 * ms, Pool: &Pool{Poison: true}, Budget: 400})
	p.e.PollEvent()
	for len(script) >= 2 && p.e.State() != StateClosed {
		op, n := script[0], script[1]
		script = script[2:]
		switch op % 8 {
		case 0:
			p.sends(int(n) % 32)
		case 1, 2:
			p.now += int64(n) * int64(ms)
			p.polls()
		default:
			size := min(int(op>>3), len(script))
			p.acks(op, n, script[:size])
			script = script[size:]
		}
		p.reads()
	}
}

func (p *ackPeer) sends(n int) {
	for i := range n {
		p.queued++
		mode := []Mode{ReliableOrdered, ReliableUnordered, ReliableSequenced, Unreliable}[i%4]
		if p.e.Send(p.now, []byte{byte(p.queued)}, SendOptions{Mode: mode, Receipt: p.queued}) == nil {
			p.waiting[p.queued] = byte(p.queued)
			delete(p.named, byte(p.queued)) // another message of this name may have been acked long ago
		}
		p.polls()
	}
}

// polls notes which messages are in which packet, those that an Xor tells among them.
func (p *ackPeer) polls() {
	for d := p.e.PollDatagram(p.now, nil); len(d) > 0; d = p.e.PollDatagram(p.now, nil) {
		plain, number, _ := nullSealer{}.Open(nil, d, p.last)
		for n := p.last + 1; n < number; n++ {
			p.left = append(p.left, n)
		}
		p.last, p.holds[number] = number, nil
		var parser packet.Parser
		var f packet.Frame
		for parser.Reset(plain); parser.Next(&f); {
			switch f.Kind {
			case packet.KindReliable:
				p.holds[number] = append(p.holds[number], f.Reliable.Payload...)
			case packet.KindUnreliable:
				p.holds[number] = append(p.holds[number], f.Unreliable.Payload...)
			}
		}
	}
}

// acks gives one frame, of which form and bytes are the script's. How far the largest lies behind the last packet is back, so that it is often near.
func (p *ackPeer) acks(form, back byte, rest []byte) {
	plain := append([]byte{byte(packet.KindAck) | form&3<<6}, 0, 0)
	binary.LittleEndian.PutUint16(plain[1:], uint16(p.last-int64(int8(back))/4))
	plain = append(plain, rest...)
	var parser packet.Parser
	var f packet.Frame
	parser.Reset(plain)
	valid := packet.Check(plain) == packet.Valid && parser.Next(&f) && f.Kind == packet.KindAck && !hasMore(&parser)
	if !valid {
		return // what is malformed is for others to judge
	}
	names, truthful := p.judge(&f.Ack)
	before := p.e.Stats()
	drop := p.e.HandleDatagram(p.now, nullSealer{}.Seal(nil, plain, p.number))
	p.number++
	if !truthful {
		require.Equal(p, framing.DropProtocol, drop, "% x, last %d, left out %v", plain, p.last, p.left)
		require.Equal(p, StateClosed, p.e.State())
		return
	}
	require.Equal(p, framing.Accepted, drop, "% x, last %d, left out %v", plain, p.last, p.left)
	require.LessOrEqual(p, p.e.Stats().InFlight, before.InFlight)
	for _, n := range names {
		for _, m := range p.holds[n] {
			p.named[m] = true
		}
	}
}

func hasMore(p *packet.Parser) bool {
	var f packet.Frame
	return p.Next(&f)
}

// judge gives the numbers that an ack names, and whether a sender can have no doubt about them.
func (p *ackPeer) judge(f *packet.Ack) (names []int64, truthful bool) {
	behind := int64(uint16(p.last) - f.Largest)
	largest := p.last - behind
	if behind >= 1<<15 || largest < 0 {
		return nil, false
	}
	if f.Form == packet.Ranges {
		for run, n := range runsOf(f, largest) {
			for i := range int64(run) {
				names = append(names, n-i)
			}
		}
	} else {
		names = append(names, largest)
		for bit := range int64(64) {
			if f.Bitmap>>bit&1 == 1 {
				names = append(names, largest-1-bit)
			}
		}
	}
	known := p.left[max(0, len(p.left)-len(p.e.packets.sent.skipped)):] // as many as it has to remember
	return names, !slices.ContainsFunc(names, func(n int64) bool { return slices.Contains(known, n) })
}

// runsOf gives the length of each run and its highest number, down to what was sent first.
func runsOf(f *packet.Ack, n int64) func(func(int, int64) bool) {
	return func(yield func(int, int64) bool) {
		for run := range f.Runs.All() {
			n -= int64(run.Missing)
			if n < 0 || !yield(min(run.Received, int(n)+1), n) {
				return
			}
			n -= int64(run.Received)
		}
	}
}

// reads requires of each message that is said to be delivered that an ack has named it.
func (p *ackPeer) reads() {
	for ev, ok := p.e.PollEvent(); ok; ev, ok = p.e.PollEvent() {
		if ev.Kind != EventOutcome {
			continue
		}
		m, ours := p.waiting[ev.Receipt]
		require.True(p, ours, "the fate of %d is told twice, or nobody asked", ev.Receipt)
		delete(p.waiting, ev.Receipt)
		if ev.Fate == Delivered {
			require.True(p, p.named[m], "message %d is said to be delivered", ev.Receipt)
		}
	}
}

// playBaseAcks plays the same script on the base protocol, where an ack has one sequence.
func playBaseAcks(t *testing.T, script []byte) {
	s := newConnected(t)
	flies := map[int32]bool{}
	next := int32(0)
	for len(script) >= 2 && s.e.State() != StateClosed {
		op, n := script[0], script[1]
		script = script[2:]
		switch op % 4 {
		case 0:
			for range n % 16 {
				if s.e.Sendable() == 0 { // as much is on its way as may be
					break
				}
				s.queues(ReliableOrdered, "x")
				s.poll()
				flies[next], next = true, next+1
			}
		case 1:
			s.wait((1 + 4*time.Duration(n)) * ms)
			s.poll()
		default:
			seq := next - int32(n)/4 + int32(op>>2)/8
			if op>>7 == 1 {
				seq = int32(n) << 24
			}
			before, deadline := s.e.Stats(), s.e.NextDeadline()
			drop := s.e.HandleDatagram(s.now, framing.AppendAck(nil, seq))
			if flies[seq] && before.InFlight > 0 && drop == framing.Accepted {
				delete(flies, seq)
				require.Equal(t, before.InFlight-1, s.e.Stats().InFlight)
				continue
			}
			require.Contains(t, []framing.Drop{framing.DropAckAgain, framing.DropAckUnsent}, drop, "ack %d", seq)
			require.False(t, flies[seq] && s.e.Stats().InFlight == len(flies), "ack %d of what is in flight", seq)
			require.Equal(t, sendState(before), sendState(s.e.Stats()))
			require.LessOrEqual(t, deadline, s.e.NextDeadline(), "it hurries nothing")
		}
	}
}

// sendState is what an ack could change.
func sendState(s Stats) []any {
	return []any{s.InFlight, s.QueueMessages, s.QueueBytes, s.MessagesAcked, s.RTTMin, s.RTTSmoothed, s.RTTVariance, s.Deadline, s.Outages}
}
