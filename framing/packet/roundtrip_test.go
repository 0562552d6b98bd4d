package packet

import (
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"
)

// maker makes random frames.
type maker struct {
	*rand.Rand
	noise []byte
}

func newMaker(seed byte) maker {
	source := rand.NewChaCha8([32]byte{seed})
	noise := make([]byte, 1<<16)
	source.Read(noise)
	return maker{rand.New(source), noise}
}

// frames returns the frames of a random packet and the limit that it was made for.
func (m maker) frames() (all []Frame, limit int) {
	limit = 1 + m.IntN(MaxPacket)
	var b Builder
	b.Reset(nil, limit)
	for misses := 0; misses < 3; {
		f := m.frame(all)
		if appendFrame(&b, &f) {
			all = append(all, f)
		} else {
			misses++
		}
	}
	return all, limit
}

// frame returns a frame that may come after the others.
func (m maker) frame(others []Frame) Frame {
	switch m.IntN(20) {
	case 0, 1:
		return Frame{Kind: KindAck, Ack: m.ack()}
	case 2, 3:
		return Frame{Kind: KindHeartbeat}
	case 4:
		return Frame{Kind: KindXor, Xor: m.xor()}
	case 5:
		return Frame{Kind: KindDisconnect, Disconnect: Disconnect{Code: m.uint16(), Text: []byte("0123456789é€😀"[:m.IntN(11)])}}
	case 6, 7:
		return Frame{Kind: KindCredit, Credit: m.credit()}
	case 8, 9:
		return Frame{Kind: KindClock, Clock: Clock{Time: int64(m.Uint64())}}
	case 19:
		return Frame{Kind: KindParity, Parity: m.shard()}
	case 16:
		return Frame{Kind: KindPathChallenge, Path: m.path()}
	case 17:
		return Frame{Kind: KindPathResponse, Path: m.path()}
	case 18:
		return Frame{Kind: KindTicket, Ticket: m.ticket()}
	case 10, 11, 12, 13:
		return Frame{Kind: KindReliable, Reliable: m.reliable(others)}
	default:
		return Frame{Kind: KindUnreliable, Unreliable: m.unreliable()}
	}
}

func (m maker) unreliable() Unreliable {
	f := Unreliable{Payload: m.payload()}
	if m.coin() {
		f.Channel = uint8(m.IntN(MaxChannel + 1))
	}
	if m.coin() {
		f.Sequenced, f.Seq = true, m.uint16()
	}
	if m.coin() && len(f.Payload) > 0 {
		most := min(MaxLossy/len(f.Payload), MaxCount)
		f.Message, f.Count = m.uint16(), uint16(2+m.IntN(most-1))
		f.Index = uint16(m.IntN(int(f.Count)))
	}
	return f
}

// reliable returns one of few streams and sequences, so that it often follows, and fits, the Reliable before.
func (m maker) reliable(others []Frame) Reliable {
	f := Reliable{
		Stream: StreamOf(uint8(m.IntN(3)), Mode(m.IntN(numModes))),
		Seq:    uint16(m.IntN(4)) - 2,
		First:  m.coin(), Last: m.coin(),
		Payload: m.payload(),
	}
	for i := len(others) - 1; i >= 0; i-- {
		if before := others[i].Reliable; others[i].Kind == KindReliable {
			if m.coin() {
				f.Stream, f.Seq = before.Stream, before.Seq+1
			}
			if f.Stream == before.Stream && f.Seq == before.Seq+1 {
				f.First = before.Last
			}
			break
		}
	}
	if len(f.Payload) == 0 && !(f.First && f.Last) {
		f.Payload = m.noise[:1:1]
	}
	return f
}

func (m maker) ack() Ack {
	f := Ack{Form: Form(m.IntN(4)), Largest: m.uint16(), Delay: uint8(m.Uint32())}
	switch f.Form {
	case Bitmap32:
		f.Bitmap = uint64(m.Uint32())
	case Bitmap64:
		f.Bitmap = m.Uint64()
	case Ranges:
		f.Runs = f.Runs.Append(Run{0, m.run()})
		for range m.IntN(MaxRuns) {
			f.Runs = f.Runs.Append(Run{m.run(), m.run()})
		}
	}
	return f
}

func (m maker) credit() Credit {
	if m.coin() {
		return Credit{All: true, Bytes: m.Uint32()}
	}
	return Credit{Stream: Stream(m.IntN(NumStreams)), Seq: m.uint16(), Bytes: m.Uint32()}
}

func (m maker) xor() Xor {
	return Xor{
		Stream: StreamOf(uint8(m.IntN(MaxChannel+1)), Mode(m.IntN(2))), Seq: m.uint16(),
		Count: uint8(2 + m.IntN(MaxCovered-1)), Lengths: uint8(m.Uint32()), Parity: m.parity(),
	}
}

func (m maker) shard() Parity {
	n := 1 + m.IntN(1000)
	f := Parity{
		Count: uint8(2 + m.IntN(MaxSharded-1)), Index: uint8(m.IntN(MaxParities)), Last: uint16(1 + m.IntN(n)), Bytes: m.noise[:n:n],
	}
	if m.coin() {
		f.Stream, f.Seq = StreamOf(uint8(m.IntN(MaxChannel+1)), Mode(m.IntN(numModes))), m.uint16()
		return f
	}
	f.Lossy, f.Channel, f.Message = true, uint8(m.IntN(MaxChannel+1)), m.uint16()
	if m.coin() {
		f.Sequenced, f.Seq = true, m.uint16()
	}
	return f
}

func (m maker) path() Path {
	return Path{Random: [8]byte(m.noise[m.IntN(1000):])}
}

func (m maker) ticket() Ticket {
	n := 1 + m.IntN(MaxTicket)
	return Ticket{PSK: [32]byte(m.noise[m.IntN(1000):]), Ticket: m.noise[:n:n]}
}

func (m maker) parity() []byte {
	n := 1 + m.IntN(MaxParity)
	return m.noise[:n:n]
}

// run returns the length of a run or gap, as often short as long.
func (m maker) run() int { return 1 + m.IntN(1<<m.IntN(15)) }

// payload returns 0 to 1023 bytes, short ones more often.
func (m maker) payload() []byte {
	n := m.IntN(1 << m.IntN(11))
	at := m.IntN(len(m.noise) - n)
	return m.noise[at : at+n : at+n]
}

func (m maker) coin() bool     { return m.IntN(2) == 0 }
func (m maker) uint16() uint16 { return uint16(m.Uint32()) }

func TestRandomRunsOfFramesComeBackAndHaveOneEncoding(t *testing.T) {
	m := newMaker(3)
	most, full := 0, 0
	for range 5_000 {
		want, limit := m.frames()
		if len(want) == 0 {
			continue // nothing that came had room
		}
		packet := build(want...)
		require.LessOrEqual(t, len(packet), limit)

		got, fault := parse(packet)
		require.Equal(t, Valid, fault)
		if !reflect.DeepEqual(want, got) {
			require.Equal(t, want, got)
		}
		requireSound(t, packet)
		most = max(most, len(want))
		if len(packet) == limit {
			full++
		}
	}
	require.Greater(t, most, 20, "some have many frames")
	require.Greater(t, full, 100, "some leave no room")
}

func TestEveryPrefixOfRandomRunsOfFramesIsJudged(t *testing.T) {
	m := newMaker(4)
	for range 500 {
		frames, _ := m.frames()
		if len(frames) == 0 {
			continue
		}
		packet := build(frames...)
		cuts := cutsOf(packet)
		for n := range packet {
			fault := Check(packet[:n])
			require.Contains(t, faultsOfPrefix(cuts, n), fault)
			if fault == Valid {
				requireSound(t, packet[:n])
			}
		}
	}
}
