package packet

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"
)

// junk is what stands in memory that nobody has written yet.
const junk = 0xDD

func repeat(n int, c byte) []byte { return bytes.Repeat([]byte{c}, n) }

// appendFrame appends f by the method of its kind.
func appendFrame(b *Builder, f *Frame) bool {
	switch f.Kind {
	case KindUnreliable:
		return b.AppendUnreliable(f.Unreliable)
	case KindReliable:
		return b.AppendReliable(f.Reliable)
	case KindAck:
		return b.AppendAck(f.Ack)
	case KindHeartbeat:
		return b.AppendHeartbeat()
	case KindDisconnect:
		return b.AppendDisconnect(f.Disconnect)
	case KindCredit:
		return b.AppendCredit(f.Credit)
	case KindClock:
		return b.AppendClock(f.Clock)
	case KindParity:
		return b.AppendParity(f.Parity)
	case KindXor:
		return b.AppendXor(f.Xor)
	case KindPathChallenge:
		return b.AppendPathChallenge(f.Path)
	case KindPathResponse:
		return b.AppendPathResponse(f.Path)
	case KindTicket:
		return b.AppendTicket(f.Ticket)
	}
	panic("no such kind: " + f.Kind.String())
}

// build returns the packet of the frames, which has room for all of them.
func build(frames ...Frame) []byte {
	var b Builder
	b.Reset(nil, MaxPacket)
	for i := range frames {
		if !appendFrame(&b, &frames[i]) {
			panic("no room for " + frames[i].String())
		}
	}
	return b.Bytes()
}

// parse returns the frames of a packet up to its first fault, each with nothing but what its kind has.
func parse(packet []byte) ([]Frame, Fault) {
	var p Parser
	var frames []Frame
	p.Reset(packet)
	for {
		var f Frame
		if !p.Next(&f) {
			return frames, p.Fault()
		}
		frames = append(frames, f)
	}
}

// parseAll returns the frames of a valid packet.
func parseAll(t testing.TB, packet []byte) []Frame {
	frames, fault := parse(packet)
	require.Equal(t, Valid, fault, "% X", packet)
	return frames
}
