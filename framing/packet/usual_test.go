package packet

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// usualFrames is what a Parser reads of a packet, if that is as usual.
func usualFrames(d []byte) (u Usual, payloads [][]byte, ok bool) {
	frames, fault := parse(d)
	if fault != Valid {
		return u, nil, false
	}
	for i, f := range frames {
		r := f.Reliable
		switch {
		case i == 0 && f.Kind == KindAck && f.Ack.Form == Bitmap32:
			u.HasAck, u.Ack = true, f.Ack
		case f.Kind != KindReliable:
			return u, nil, false
		case len(payloads) > 0 && (!u.Whole() || !r.First || !r.Last || r.Stream != u.Stream || r.Seq != u.Seq+uint16(len(payloads))):
			return u, nil, false
		default:
			if len(payloads) == 0 {
				u.Stream, u.Seq, u.First, u.Last = r.Stream, r.Seq, r.First, r.Last
			}
			payloads = append(payloads, r.Payload)
			u.Messages, u.Bytes = u.Messages+1, u.Bytes+len(r.Payload)
		}
	}
	return u, payloads, true
}

// requireUsualOnly requires that Usual reads a packet if a Parser finds it valid and usual, and the same of it.
func requireUsualOnly(t *testing.T, d []byte) (usual bool) {
	want, payloads, ok := usualFrames(d)
	var got Usual
	require.Equal(t, ok, got.Read(d), "% x", d)
	if !ok {
		return false
	}
	for i := range payloads {
		require.Equal(t, payloads[i], got.Next(), "% x", d)
	}
	got.next, got.left = nil, nil
	if got.Messages == 0 {
		got.Stream, got.Seq, got.First, got.Last = 0, 0, false, false
	}
	if !got.HasAck {
		got.Ack = Ack{}
	}
	require.Equal(t, want, got, "% x", d)
	return true
}

// usualPackets are packets as usual, of each kind, and at their limits.
func usualPackets() [][]byte {
	ack := Frame{Kind: KindAck, Ack: Ack{Form: Bitmap32, Largest: 0x0102, Delay: 7, Bitmap: 0x80000001}}
	var all [][]byte
	for _, stream := range []Stream{0, 1, StreamOf(63, Sequenced), StreamOf(5, Unordered), StreamOf(0, Unordered)} {
		for _, sizes := range [][]int{{}, {0}, {64}, {1, 0, 3}, {127, 128, 129}, {500, 500}, make([]int, MaxFrames-1)} {
			frames := []Frame{ack}
			for i, n := range sizes {
				r := Reliable{Stream: stream, Seq: 0xFFFE + uint16(i), First: true, Last: true, Payload: repeat(n, byte(i))}
				frames = append(frames, Frame{Kind: KindReliable, Reliable: r})
			}
			all = append(all, build(frames...))
			if len(frames) > 1 {
				all = append(all, build(frames[1:]...))
			}
		}
	}
	for _, r := range []Reliable{{First: true}, {}, {Last: true, Stream: 5, Seq: 7}, {Stream: StreamOf(63, Unordered)}} {
		r.Payload = repeat(1140, 7)
		all = append(all, build(Frame{Kind: KindReliable, Reliable: r}), build(ack, Frame{Kind: KindReliable, Reliable: r}))
	}
	return all
}

func TestUsualReadsWhatAParserReads(t *testing.T) {
	for _, d := range usualPackets() {
		require.True(t, requireUsualOnly(t, d), "% x", d)
		for _, mutant := range mutants(d) {
			requireUsualOnly(t, mutant)
		}
	}
	for _, d := range seeds() {
		requireUsualOnly(t, d)
	}
}

func TestAFragmentThatIsNotAloneIsNotUsual(t *testing.T) {
	begin, whole := Reliable{First: true, Payload: repeat(9, 1)}, Reliable{First: true, Last: true, Payload: repeat(9, 2)}
	end := Reliable{Seq: 1, Last: true, Payload: repeat(9, 3)}
	for _, pair := range [][2]Reliable{{begin, end}, {end, {Seq: 2, First: true, Last: true}}, {whole, {Seq: 1, First: true, Payload: repeat(9, 4)}}} {
		d := build(Frame{Kind: KindReliable, Reliable: pair[0]}, Frame{Kind: KindReliable, Reliable: pair[1]})
		require.False(t, requireUsualOnly(t, d), "%v", pair)
	}
}

func TestAPacketOfTooManyMessagesIsNotUsual(t *testing.T) {
	d := build(Frame{Kind: KindReliable, Reliable: Reliable{First: true, Last: true}})
	d = append(append([]byte{d[0] | flagLength}, d[1:]...), 0)
	for range MaxFrames - 1 {
		d = append(d, byte(KindReliable)|flagLength, wholeBits|howFollows, 0)
	}
	last := append(d[:len(d)-3:len(d)-3], byte(KindReliable), wholeBits|howFollows)
	require.True(t, requireUsualOnly(t, last))
	require.False(t, requireUsualOnly(t, append(d, byte(KindReliable), wholeBits|howFollows)))
	ack := build(Frame{Kind: KindAck, Ack: Ack{Form: Bitmap32}})
	require.False(t, requireUsualOnly(t, append(ack, last...)), "the Ack is one too many")
	require.False(t, requireUsualOnly(t, make([]byte, MaxPacket+1)))
}

func TestShortAppendsBuildWhatTheLongOnesBuild(t *testing.T) {
	m := newMaker(9)
	for range 20_000 {
		var short, long Builder
		limit := m.IntN(MaxPacket)
		short.Reset(nil, limit)
		long.Reset(nil, limit)
		for range m.IntN(8) {
			requireAlike(t, m, &short, &long)
		}
		require.Equal(t, long, short)
	}
}

// requireAlike appends one frame to both builders, to one by its short method.
func requireAlike(t *testing.T, m maker, short, long *Builder) {
	switch m.IntN(6) {
	case 0:
		largest, delay, bitmap := uint16(m.Uint32()), uint8(m.Uint32()), m.Uint32()
		ok := long.AppendAck(Ack{Form: Bitmap32, Largest: largest, Delay: delay, Bitmap: uint64(bitmap)})
		require.Equal(t, ok, short.AppendUsualAck(largest, delay, bitmap))
	case 1:
		f := Unreliable{Channel: uint8(m.IntN(3)), Payload: repeat(m.IntN(300), 1)}
		behind := m.IntN(400) - 100
		ok, more := short.AppendLossy(f.Channel, f.Payload, behind)
		require.Equal(t, long.AppendUnreliable(f), ok)
		next := Unreliable{Channel: f.Channel, Payload: repeat(max(0, behind), 2)}
		copied := *long
		copied.b = append([]byte(nil), long.b...)
		require.Equal(t, ok && behind >= 0 && copied.AppendUnreliable(next), more)
		if more {
			require.True(t, long.AppendUnreliable(next))
			ok, _ = short.AppendLossy(next.Channel, next.Payload, -1)
			require.True(t, ok)
		}
	case 2:
		f := Xor{Count: 2, Parity: []byte{1}}
		require.Equal(t, long.AppendXor(f), short.AppendXor(f))
	default:
		f := Reliable{Stream: Stream(m.IntN(2)), Seq: long.follow.seq + uint16(m.IntN(5)/4), First: true, Last: true, Payload: repeat(m.IntN(300), 1)}
		behind := m.IntN(400) - 100
		ok, more := short.AppendWhole(f.Stream, f.Seq, f.Payload, behind)
		require.Equal(t, long.AppendReliable(f), ok)
		next := Reliable{Stream: f.Stream, Seq: f.Seq + 1, First: true, Last: true, Payload: repeat(max(0, behind), 2)}
		require.Equal(t, ok && behind >= 0 && next.fits(long), more)
		if more {
			require.True(t, long.AppendReliable(next))
			ok, _ = short.AppendWhole(next.Stream, next.Seq, next.Payload, -1)
			require.True(t, ok)
		}
	}
}

// fits reports whether b has room for f.
func (f *Reliable) fits(b *Builder) bool {
	copied := *b
	copied.b = append([]byte(nil), b.b...)
	return copied.AppendReliable(*f)
}

func TestAWholeMessageThatNoPacketMayHavePanics(t *testing.T) {
	var b Builder
	b.Reset(nil, MaxPacket)
	require.Panics(t, func() { b.AppendWhole(NumStreams, 0, nil, -1) })
	b.AppendReliable(Reliable{First: true, Payload: []byte{1}})
	require.Panics(t, func() { b.AppendWhole(0, 1, nil, -1) })
}
