package packet

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// requireSound fails the test if parsing d goes wrong: a valid packet must be what its frames are built to, with no byte less, and any
// other must have a fault.
func requireSound(t testing.TB, d []byte) {
	frames, fault := parse(d)
	if fault != Check(d) || int(fault) >= NumFaults {
		require.Fail(t, "Check and Parser differ", "%v and %v: % X", Check(d), fault, d)
	}
	if fault != Valid {
		return
	}
	if len(frames) == 0 || len(frames) > MaxFrames {
		require.Fail(t, "not as many frames as there may be", "%d: % X", len(frames), d)
	}
	if again := build(frames...); !bytes.Equal(d, again) {
		require.Fail(t, "two encodings", "%s: % X and % X", words(frames), d, again)
	}
	if rebuild(frames, len(d)-1) {
		require.Fail(t, "the frames fit less than they take", "%s: % X", words(frames), d)
	}
}

// rebuild reports whether the frames fit a packet of at most limit bytes.
func rebuild(frames []Frame, limit int) bool {
	var b Builder
	b.Reset(nil, limit)
	for i := range frames {
		if !appendFrame(&b, &frames[i]) {
			return false
		}
	}
	return true
}

// cut is a place in a packet at which it may be cut.
type cut struct {
	end     int  // of a frame
	body    int  // where the last field of that frame begins, which has no fixed size; end if there is none
	hasBody bool // there is one
}

// cutsOf returns the ends of the frames of a valid packet.
func cutsOf(packet []byte) []cut {
	var all []cut
	var p Parser
	var f Frame
	for p.Reset(packet); p.Next(&f); {
		end := len(packet) - p.left.Len()
		body := map[string]int{"Unreliable": len(f.Unreliable.Payload), "Reliable": len(f.Reliable.Payload), "Disconnect": len(f.Disconnect.Text), "Xor": len(f.Xor.Parity), "Parity": len(f.Parity.Bytes), "Ticket": len(f.Ticket.Ticket)}
		size, hasBody := body[kinds[f.Kind].name]
		all = append(all, cut{end, end - size, hasBody})
		f = Frame{}
	}
	return all
}

// faultsOfPrefix returns what may be wrong with the first n bytes of a longer packet.
func faultsOfPrefix(cuts []cut, n int) []Fault {
	if n == 0 {
		return []Fault{FaultEmpty}
	}
	for i, c := range cuts {
		isLast := i == len(cuts)-1
		switch {
		case n > c.end:
			continue
		case n == c.end && c.hasBody:
			return []Fault{FaultLast}
		case n == c.end:
			return []Fault{Valid}
		case isLast && c.hasBody && n >= c.body:
			return []Fault{Valid, FaultFragment, FaultText, FaultXor, FaultParity, FaultTicket} // a shorter message, but for what may not be empty and characters cut
		default:
			return []Fault{FaultShort}
		}
	}
	panic("not a prefix")
}

func TestEveryProperPrefixIsOnlyWhatItsFramesAreWithoutTheRest(t *testing.T) {
	for _, g := range goldens {
		t.Run(g.title(), func(t *testing.T) {
			cuts := cutsOf(g.bytes)
			for n := range g.bytes {
				// What was cut off stands behind the prefix, where a parser that looks past the end would find it.
				prefix := g.bytes[:n]
				require.Contains(t, faultsOfPrefix(cuts, n), Check(prefix), "first %d bytes", n)
				requireSound(t, prefix)
			}
		})
	}
}

func TestWhatStandsBehindAPacketDoesNotMatter(t *testing.T) {
	for _, row := range readMalformed(t) {
		frames, fault := parse(row.packet)
		for _, behind := range []byte{0x00, 0x07, junk, 0xFF} {
			longer := append(bytes.Clone(row.packet), repeat(64, behind)...)
			again, sameFault := parse(longer[:len(row.packet)])
			require.Equal(t, fault, sameFault, row.name)
			require.Equal(t, frames, again, row.name)
		}
	}
}

func TestUnreliableOfEverySizeComesBack(t *testing.T) {
	payload := patterned(MaxPacket)
	for n := range MaxPacket - UnreliableHeader + 1 {
		f := Frame{Kind: KindUnreliable, Unreliable: Unreliable{Payload: payload[:n]}}
		d := build(f)
		require.Len(t, d, UnreliableHeader+n)
		require.Equal(t, []Frame{f}, parseAll(t, d))
	}
}

func TestReliableOfEverySizeAndLengthComesBack(t *testing.T) {
	payload := patterned(MaxPacket)
	for n := range MaxPacket - MaxReliableHeader - 2 - HeartbeatSize + 1 {
		f := Frame{Kind: KindReliable, Reliable: Reliable{Stream: StreamOf(9, Unordered), Seq: uint16(n), First: true, Last: true, Payload: payload[:n]}}
		d := build(f, Frame{Kind: KindHeartbeat})
		require.Len(t, d, MaxReliableHeader+varintSize(n)+n+HeartbeatSize)
		require.Equal(t, []Frame{f, {Kind: KindHeartbeat}}, parseAll(t, d))
	}
}

// patterned returns n bytes of which no two neighbours are alike.
func patterned(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(i % 251)
	}
	return b
}

func TestEveryPacketOfThreeBytesIsJudged(t *testing.T) {
	d := make([]byte, 4)
	for head := range 1 << 24 {
		if head>>16&kindBits > 18 && head&0xFFFF > 0 {
			continue // no kind, whatever comes
		}
		binary.BigEndian.PutUint32(d, uint32(head))
		if Check(d[1:]) == Valid {
			requireSound(t, d[1:])
		}
	}
}

func TestAMillionRandomPacketsAreJudged(t *testing.T) {
	random := rand.New(rand.NewChaCha8([32]byte{7}))
	seeds := seeds()
	valid, faults := 0, map[Fault]bool{}
	d := make([]byte, 0, MaxPacket+8)
	for range 1_000_000 {
		d = append(d[:0], seeds[random.IntN(len(seeds))]...)
		if len(d) > 80 || len(d) == 0 {
			continue
		}
		for range 1 + random.IntN(3) {
			d[random.IntN(len(d))] = byte(random.Uint32())
		}
		fault := Check(d)
		faults[fault] = true
		if fault == Valid {
			valid++
			requireSound(t, d)
		}
	}
	require.Greater(t, valid, 10_000, "many must be valid")
	for fault := FaultKind; fault < FaultTextLong; fault++ {
		require.True(t, faults[fault] || fault == FaultMessageSize, "%v", fault)
	}
}

func TestFramesAreViewsOfThePacket(t *testing.T) {
	for _, g := range goldens {
		for _, f := range parseAll(t, g.bytes) {
			for _, part := range [][]byte{f.Unreliable.Payload, f.Reliable.Payload, f.Disconnect.Text, f.Ack.Runs, f.Xor.Parity, f.Parity.Bytes, f.Ticket.Ticket} {
				require.Equal(t, len(part), cap(part), "no room to append into the packet")
				if len(part) > 0 {
					require.True(t, isWithin(g.bytes, &part[0]), "%v", f)
				}
			}
		}
	}
}

// isWithin reports whether p points into b.
func isWithin(b []byte, p *byte) bool {
	for i := range b {
		if &b[i] == p {
			return true
		}
	}
	return false
}

func TestParsingLeavesThePacketAlone(t *testing.T) {
	for _, row := range readMalformed(t) {
		before := bytes.Clone(row.packet)
		Check(row.packet)
		require.True(t, bytes.Equal(before, row.packet), row.name)
	}
}

func TestAParserStopsAtAFaultAndStaysThere(t *testing.T) {
	var p Parser
	var f Frame
	p.Reset([]byte{0x07, 0x00, 0x07})
	require.True(t, p.Next(&f))
	require.Equal(t, Valid, p.Fault(), "so far")
	for range 3 {
		require.False(t, p.Next(&f))
		require.Equal(t, FaultKind, p.Fault())
	}
}

func TestAParserKnowsNothingOfThePacketBefore(t *testing.T) {
	var p Parser
	for _, row := range readMalformed(t) {
		var f Frame
		for p.Reset(row.packet); p.Next(&f); {
		}
		require.Equal(t, row.fault, p.Fault().String(), row.name)
	}
}

func TestAFrameMayBeUsedForAllKinds(t *testing.T) {
	used := Frame{
		Unreliable: Unreliable{Channel: 9, Sequenced: true, Seq: 9, Message: 9, Index: 9, Count: 9, Payload: []byte("old")},
		Reliable:   Reliable{Stream: 9, Seq: 9, First: true, Last: true, Payload: []byte("old")},
		Ack:        Ack{Form: Ranges, Largest: 9, Delay: 9, Bitmap: 9, Runs: runs(Run{0, 9})},
		Disconnect: Disconnect{Code: 9, Text: []byte("old")},
		Credit:     Credit{All: true, Stream: 9, Seq: 9, Bytes: 9},
		Clock:      Clock{Time: 9},
		Xor:        Xor{Stream: 9, Seq: 9, Count: 4, Lengths: 9, Parity: []byte("old")},
		Path:       Path{Random: [8]byte{9}},
		Ticket:     Ticket{PSK: [32]byte{9}, Ticket: []byte("old")},
	}
	for _, g := range goldens {
		var p Parser
		f := used
		p.Reset(g.bytes)
		for _, want := range g.frames {
			require.True(t, p.Next(&f))
			require.Equal(t, want.String(), f.String())
		}
	}
}

func TestParsingAllocatesNothing(t *testing.T) {
	for _, row := range readMalformed(t) {
		received := 0
		require.Zero(t, testing.AllocsPerRun(10, func() {
			var p Parser
			var f Frame
			Check(row.packet)
			for p.Reset(row.packet); p.Next(&f); {
				for run := range f.Ack.Runs.All() {
					received += run.Received
				}
			}
		}), row.name)
	}
}
