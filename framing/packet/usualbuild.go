package packet

import "encoding/binary"

// AppendUsualAck is AppendAck of an Ack with a bitmap of 32, which is what most are.
func (b *Builder) AppendUsualAck(largest uint16, delay uint8, bitmap uint32) bool {
	if ackSize > b.Room() {
		return false
	}
	p := append(b.begin(KindAck, uint8(Bitmap32)<<formShift), byte(largest), byte(largest>>8), delay)
	b.b = binary.LittleEndian.AppendUint32(p, bitmap)
	return true
}

// AppendWhole is AppendReliable of a whole message, which is what most are. behind is how many bytes the payload of the next message of the stream
// has, -1 if there is none or it may not leave. more reports whether that one has room too: then it has to be the next frame. To know that
// saves moving each payload but the last, see Builder.
func (b *Builder) AppendWhole(s Stream, seq uint16, payload []byte, behind int) (ok, more bool) {
	if s >= NumStreams {
		requireValid(KindReliable, FaultMode)
	}
	follows := b.follow.any && b.follow.stream == s && b.follow.seq == seq
	header := FollowingHeader
	switch {
	case !follows && s.Channel() == 0:
		header = kindSize + howSize + sequenceSize
	case !follows:
		header = MaxReliableHeader
	case !b.follow.ended:
		requireValid(KindReliable, FaultFragment)
	}
	room := b.Room() - header - len(payload)
	if b.xors > 0 || room < 0 {
		return false, false
	}
	more = behind >= 0 && b.frames+1 < MaxFrames && room >= varintSize(len(payload))+FollowingHeader+behind
	p := b.begin(KindReliable, 0)
	switch header {
	case FollowingHeader:
		p = append(p, wholeBits|howFollows)
	case MaxReliableHeader:
		p = append(p, wholeBits|howChannel|uint8(s.Mode()), s.Channel(), byte(seq), byte(seq>>8))
	default:
		p = append(p, wholeBits|uint8(s.Mode()), byte(seq), byte(seq>>8))
	}
	if more {
		p[b.head] |= flagLength
		b.b = append(appendVarint(p, len(payload)), payload...)
	} else {
		b.end(p, payload)
	}
	b.follow = follow{true, s, seq + 1, true}
	return true, more
}
