package packet

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestABuilderWritesEachByteOfThePacketAndNoOther(t *testing.T) {
	for _, g := range goldens {
		t.Run(g.title(), func(t *testing.T) {
			buffer := repeat(3+len(g.bytes)+4, junk)
			var b Builder
			b.Reset(buffer[:3], len(g.bytes))
			for i := range g.frames {
				require.True(t, appendFrame(&b, &g.frames[i]))
				require.Equal(t, i+1, b.Frames())
			}
			got := b.Bytes()

			require.Same(t, &buffer[0], &got[0], "there was room")
			require.Equal(t, repeat(3, junk), got[:3], "what was there before")
			require.Equal(t, g.bytes, got[3:])
			require.Equal(t, len(g.bytes), b.Len())
			require.Equal(t, repeat(4, junk), buffer[len(got):], "what stands behind")
		})
	}
}

func TestABuilderGrowsASliceOfAnySize(t *testing.T) {
	for _, g := range goldens {
		t.Run(g.title(), func(t *testing.T) {
			for spare := range min(len(g.bytes), 30) {
				var b Builder
				b.Reset(repeat(2+spare, junk)[:2], MaxPacket)
				for i := range g.frames {
					require.True(t, appendFrame(&b, &g.frames[i]))
				}
				require.True(t, bytes.Equal(append(repeat(2, junk), g.bytes...), b.Bytes()), "room for %d", spare)
			}
		})
	}
}

func TestWhatABuilderHasIsAPacketAfterEachFrame(t *testing.T) {
	for _, g := range goldens {
		var b Builder
		b.Reset(nil, MaxPacket)
		for i := range g.frames {
			appendFrame(&b, &g.frames[i])
			require.Equal(t, g.frames[:i+1], parseAll(t, b.Bytes()))
		}
	}
}

func TestAPayloadMayBeReusedAtOnce(t *testing.T) {
	payload := []byte("first")
	var b Builder
	b.Reset(nil, MaxPacket)
	b.AppendUnreliable(Unreliable{Payload: payload})
	copy(payload, "other")
	b.AppendReliable(Reliable{First: true, Last: true, Payload: payload})
	copy(payload, "later")
	require.Equal(t, "$\x05first\x05\x18\x00\x00other", string(b.Bytes()))
}

// before are frames that leave a packet with every kind of length still to be written.
func before() map[string][]Frame {
	all := map[string][]Frame{
		"nothing":    nil,
		"heartbeat":  {{Kind: KindHeartbeat}},
		"disconnect": {{Kind: KindDisconnect, Disconnect: Disconnect{Code: 1, Text: []byte("bye")}}},
	}
	for _, n := range []int{0, 1, 126, 127, 128, 129, 300, 900} {
		all[fmt.Sprintf("unreliable of %d bytes", n)] = []Frame{{Kind: KindUnreliable, Unreliable: Unreliable{Payload: repeat(n, 'u')}}}
		all[fmt.Sprintf("reliable of %d bytes", n)] = []Frame{
			{Kind: KindReliable, Reliable: Reliable{Seq: 6, First: true, Last: true, Payload: repeat(n, 'r')}},
		}
	}
	return all
}

func TestExactlyAsManyBytesFitAsThereIsRoom(t *testing.T) {
	for name, frames := range before() {
		for _, next := range []Frame{
			{Kind: KindUnreliable},
			{Kind: KindUnreliable, Unreliable: Unreliable{Channel: 1}},
			{Kind: KindUnreliable, Unreliable: Unreliable{Sequenced: true}},
			{Kind: KindUnreliable, Unreliable: Unreliable{Channel: 1, Sequenced: true, Message: 1, Count: 2}},
			{Kind: KindReliable, Reliable: Reliable{First: true, Last: true, Seq: 7}}, // follows another Reliable
			{Kind: KindReliable, Reliable: Reliable{First: true, Last: true, Seq: 8}},
			{Kind: KindReliable, Reliable: Reliable{First: true, Last: true, Seq: 7, Stream: StreamOf(1, Ordered)}},
		} {
			for _, limit := range []int{20 + len(build(frames...)), MaxPacket} {
				var b Builder
				b.Reset(nil, limit)
				for i := range frames {
					require.True(t, appendFrame(&b, &frames[i]))
				}
				was := bytes.Clone(b.Bytes())

				room := roomFor(&b, next)
				require.False(t, appendFrame(&b, withPayload(next, room+1)), "%s, then %v", name, next)
				require.Equal(t, was, b.Bytes(), "a frame without room changes nothing")
				require.True(t, appendFrame(&b, withPayload(next, room)), "%s, then %v", name, next)
				require.Equal(t, limit, b.Len())
				require.False(t, b.AppendHeartbeat())
				require.Len(t, parseAll(t, b.Bytes()), len(frames)+1)
			}
		}
	}
}

func roomFor(b *Builder, f Frame) int {
	if f.Kind == KindUnreliable {
		return b.RoomUnreliable(f.Unreliable)
	}
	return b.RoomReliable(f.Reliable)
}

func withPayload(f Frame, n int) *Frame {
	f.Unreliable.Payload, f.Reliable.Payload = repeat(n, 'p'), repeat(n, 'p')
	return &f
}

func TestFramesWithoutPayloadTakeTheRoomThatTheySay(t *testing.T) {
	text := []byte("full")
	for _, c := range []struct {
		frame Frame
		size  int
	}{
		{Frame{Kind: KindAck}, Ack{}.Size()},
		{Frame{Kind: KindAck, Ack: Ack{Form: Bitmap32}}, Ack{Form: Bitmap32}.Size()},
		{Frame{Kind: KindAck, Ack: Ack{Form: Bitmap64}}, Ack{Form: Bitmap64}.Size()},
		{Frame{Kind: KindAck, Ack: Ack{Form: Ranges, Runs: runs(Run{0, 200}, Run{1, 1})}}, Ack{Form: Ranges, Runs: runs(Run{0, 200}, Run{1, 1})}.Size()},
		{Frame{Kind: KindHeartbeat}, HeartbeatSize},
		{Frame{Kind: KindDisconnect, Disconnect: Disconnect{Text: text}}, DisconnectHeader + len(text)},
		{Frame{Kind: KindCredit}, Credit{}.Size()},
		{Frame{Kind: KindCredit, Credit: Credit{All: true}}, Credit{All: true}.Size()},
		{Frame{Kind: KindClock}, ClockSize},
	} {
		for name, frames := range before() {
			var b Builder
			b.Reset(nil, MaxPacket)
			for i := range frames {
				require.True(t, appendFrame(&b, &frames[i]))
			}
			was := bytes.Clone(b.Bytes())

			b.limit -= b.Room() - c.size + 1
			require.False(t, appendFrame(&b, &c.frame), "%s, then %v", name, c.frame)
			require.Equal(t, was, b.Bytes(), "a frame without room changes nothing")
			b.limit++
			require.True(t, appendFrame(&b, &c.frame), "%s, then %v", name, c.frame)
			require.Equal(t, b.limit, b.Len())
			require.LessOrEqual(t, b.Room(), 0, "nothing is left")
		}
	}
}

func TestAPacketHasRoomForNoMoreThanMaxFrames(t *testing.T) {
	var b Builder
	b.Reset(nil, MaxPacket)
	for range MaxFrames {
		require.Positive(t, b.Room())
		require.True(t, b.AppendHeartbeat())
	}
	require.Zero(t, b.Room())
	require.Negative(t, b.RoomUnreliable(Unreliable{}))
	require.Negative(t, b.RoomReliable(Reliable{}))
	for _, g := range goldens {
		require.False(t, appendFrame(&b, &g.frames[0]), "%v", g.frames[0])
	}
	require.Equal(t, MaxFrames, b.Frames())
	require.Len(t, parseAll(t, b.Bytes()), MaxFrames)
}

func TestABuilderStartsAnewAfterReset(t *testing.T) {
	f := Reliable{Seq: 1, First: true, Payload: []byte("f")}
	var b Builder
	b.Reset(nil, MaxPacket)
	b.AppendReliable(f)
	f.Seq, f.Last = 2, true // would have to go on with the message
	b.Reset(b.Bytes()[:0], MaxPacket)
	require.True(t, b.AppendReliable(f))
	require.Equal(t, []Frame{{Kind: KindReliable, Reliable: f}}, parseAll(t, b.Bytes()))
}

func TestABuilderRefusesToMakeWhatAParserWouldNotTake(t *testing.T) {
	var b Builder
	b.Reset(nil, MaxPacket)
	b.AppendReliable(Reliable{Seq: 1, First: true, Payload: []byte("f")})
	for name, mistake := range map[string]func(){
		"limit above a packet":            func() { new(Builder).Reset(nil, MaxPacket+1) },
		"channel 64":                      func() { b.AppendUnreliable(Unreliable{Channel: 64}) },
		"sequence, not sequenced":         func() { b.AppendUnreliable(Unreliable{Seq: 1}) },
		"message id without count":        func() { b.AppendUnreliable(Unreliable{Message: 1}) },
		"index without count":             func() { b.AppendUnreliable(Unreliable{Index: 1}) },
		"count 1":                         func() { b.AppendUnreliable(Unreliable{Count: 1, Payload: []byte("f")}) },
		"count 1025":                      func() { b.AppendUnreliable(Unreliable{Count: 1025, Payload: []byte("f")}) },
		"index of count":                  func() { b.AppendUnreliable(Unreliable{Index: 2, Count: 2, Payload: []byte("f")}) },
		"unreliable fragment of no bytes": func() { b.AppendUnreliable(Unreliable{Count: 2}) },
		"fragment of a large message":     func() { b.AppendUnreliable(Unreliable{Count: 1024, Payload: repeat(65, 'f')}) },
		"stream of mode 3":                func() { b.AppendReliable(Reliable{Stream: 0xC0, First: true, Last: true}) },
		"reliable fragment of no bytes":   func() { b.AppendReliable(Reliable{First: true}) },
		"new message within another":      func() { b.AppendReliable(Reliable{Seq: 2, First: true, Last: true}) },
		"form 4":                          func() { b.AppendAck(Ack{Form: 4}) },
		"bare with a bitmap":              func() { b.AppendAck(Ack{Bitmap: 1}) },
		"bitmap of 33":                    func() { b.AppendAck(Ack{Form: Bitmap32, Bitmap: 1 << 32}) },
		"runs beside a bitmap":            func() { b.AppendAck(Ack{Form: Bitmap64, Runs: runs(Run{0, 1})}) },
		"ranges without runs":             func() { b.AppendAck(Ack{Form: Ranges}) },
		"runs that are not whole":         func() { b.AppendAck(Ack{Form: Ranges, Runs: Runs{2, 0}}) },
		"runs and more":                   func() { b.AppendAck(Ack{Form: Ranges, Runs: Runs{1, 0, 0}}) },
		"text of 257 bytes":               func() { b.AppendDisconnect(Disconnect{Text: repeat(257, 't')}) },
		"text that is not UTF-8":          func() { b.AppendDisconnect(Disconnect{Text: []byte("full\xff")}) },
		"credit of mode 3":                func() { b.AppendCredit(Credit{Stream: 0xC0}) },
		"credit for all and a stream":     func() { b.AppendCredit(Credit{All: true, Stream: 1}) },
		"credit for all up to a sequence": func() { b.AppendCredit(Credit{All: true, Seq: 1}) },
		"parity of mode 3":                func() { b.AppendParity(Parity{Stream: 0xC0, Count: 2, Last: 1, Bytes: repeat(1, 'x')}) },
		"parity of one fragment":          func() { b.AppendParity(Parity{Count: 1, Last: 1, Bytes: repeat(1, 'x')}) },
		"parity of 65 fragments":          func() { b.AppendParity(Parity{Count: 65, Last: 1, Bytes: repeat(1, 'x')}) },
		"ninth parity":                    func() { b.AppendParity(Parity{Count: 2, Index: 8, Last: 1, Bytes: repeat(1, 'x')}) },
		"parity of no bytes":              func() { b.AppendParity(Parity{Count: 2}) },
		"parity with a longer last":       func() { b.AppendParity(Parity{Count: 2, Last: 2, Bytes: repeat(1, 'x')}) },
		"parity with an empty last":       func() { b.AppendParity(Parity{Count: 2, Bytes: repeat(1, 'x')}) },
		"lossy parity with a stream":      func() { b.AppendParity(Parity{Lossy: true, Stream: 1, Count: 2, Last: 1, Bytes: repeat(1, 'x')}) },
		"lossy parity of channel 64":      func() { b.AppendParity(Parity{Lossy: true, Channel: 64, Count: 2, Last: 1, Bytes: repeat(1, 'x')}) },
		"reliable parity with an id":      func() { b.AppendParity(Parity{Message: 1, Count: 2, Last: 1, Bytes: repeat(1, 'x')}) },
		"unsequenced parity with a seq":   func() { b.AppendParity(Parity{Lossy: true, Seq: 1, Count: 2, Last: 1, Bytes: repeat(1, 'x')}) },
		"parity of a lossy message of 65 KiB": func() {
			b.AppendParity(Parity{Lossy: true, Count: 64, Last: 1024, Bytes: repeat(1025, 'x')})
		},
		"xor of mode 2":          func() { b.AppendXor(Xor{Stream: StreamOf(0, Sequenced), Count: 2, Parity: repeat(1, 'x')}) },
		"xor of mode 3":          func() { b.AppendXor(Xor{Stream: 0xC0, Count: 2, Parity: repeat(1, 'x')}) },
		"xor of one message":     func() { b.AppendXor(Xor{Count: 1, Parity: repeat(1, 'x')}) },
		"xor of five messages":   func() { b.AppendXor(Xor{Count: 5, Parity: repeat(1, 'x')}) },
		"xor of no bytes":        func() { b.AppendXor(Xor{Count: 2}) },
		"xor of 256 bytes":       func() { b.AppendXor(Xor{Count: 2, Parity: repeat(256, 'x')}) },
		"ticket of no bytes":     func() { b.AppendTicket(Ticket{}) },
		"ticket of 513 bytes":    func() { b.AppendTicket(Ticket{Ticket: repeat(513, 't')}) },
		"stream of channel 64":   func() { StreamOf(64, Ordered) },
		"stream of another mode": func() { StreamOf(0, 3) },
		"first run with a gap":   func() { runs(Run{1, 1}) },
		"run without a gap":      func() { runs(Run{0, 1}, Run{0, 1}) },
		"run of no packets":      func() { runs(Run{0, 0}) },
		"run of 16385 packets":   func() { runs(Run{0, 16385}) },
		"gap of 16385 packets":   func() { runs(Run{0, 1}, Run{16385, 1}) },
		"65 runs":                func() { runs(append([]Run{{0, 1}}, manyRuns(64)...)...) },
	} {
		t.Run(name, func(t *testing.T) {
			was := bytes.Clone(b.Bytes())
			defer func() {
				require.Contains(t, fmt.Sprint(recover()), "BUG: packet: ")
				require.Equal(t, was, b.Bytes())
			}()
			mistake()
		})
	}
}

func TestBuildingAllocatesNothingWhereThereIsRoom(t *testing.T) {
	buffer, scratch := make([]byte, 0, MaxPacket), make(Runs, 0, MaxRunsSize)
	payload, text := repeat(200, 'p'), []byte("full")
	var b Builder
	require.Zero(t, testing.AllocsPerRun(100, func() {
		b.Reset(buffer, MaxPacket)
		b.AppendAck(Ack{Form: Ranges, Runs: scratch.Append(Run{0, 9}).Append(Run{3, 200})})
		b.AppendCredit(Credit{All: true, Bytes: 1})
		b.AppendClock(Clock{Time: 1})
		b.AppendHeartbeat()
		b.AppendReliable(Reliable{Seq: 1, First: true, Last: true, Payload: payload})
		b.AppendReliable(Reliable{Seq: 2, First: true, Last: true, Payload: payload})
		b.AppendUnreliable(Unreliable{Channel: 1, Sequenced: true, Seq: 1, Payload: payload})
		b.AppendXor(Xor{Count: 2, Parity: payload})
		b.AppendPathChallenge(Path{})
		b.AppendPathResponse(Path{})
		b.AppendTicket(Ticket{Ticket: payload})
		b.AppendDisconnect(Disconnect{Code: 1, Text: text})
	}))
	require.Equal(t, 12, b.Frames())
	require.Equal(t, Valid, Check(b.Bytes()))
}

func TestNoReliableHasRoomBehindAnXor(t *testing.T) {
	var b Builder
	b.Reset(nil, MaxPacket)
	f := Reliable{Seq: 3, First: true, Last: true, Payload: []byte("r")}
	require.True(t, b.AppendReliable(f))
	require.True(t, b.AppendXor(Xor{Seq: 1, Count: 2, Parity: []byte("x")}))
	f.Seq = 4
	require.Negative(t, b.RoomReliable(f))
	require.False(t, b.AppendReliable(f))
	require.True(t, b.AppendXor(Xor{Stream: 1, Count: 2, Parity: []byte("x")}))
	require.True(t, b.AppendUnreliable(Unreliable{Payload: []byte("u")}))
}

func TestAnXorNeedsItsHeaderAndItsParity(t *testing.T) {
	var b Builder
	f := Xor{Count: 2, Parity: repeat(64, 'x')}
	b.Reset(nil, XorHeader+63)
	require.False(t, b.AppendXor(f))
	require.Zero(t, b.Frames())
	b.Reset(nil, XorHeader+64)
	require.True(t, b.AppendXor(f))
	require.Equal(t, XorHeader+64, b.Len())
}

func TestAPacketHasRoomForFourXors(t *testing.T) {
	var b Builder
	b.Reset(nil, MaxPacket)
	for range MaxXors {
		require.True(t, b.AppendXor(Xor{Count: 2, Parity: []byte("x")}))
	}
	require.False(t, b.AppendXor(Xor{Count: 2, Parity: []byte("x")}))
	require.True(t, b.AppendHeartbeat())
}
