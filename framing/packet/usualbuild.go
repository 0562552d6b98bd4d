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

// AppendWhole is AppendReliable of a whole message, which is what most are.
func (b *Builder) AppendWhole(s Stream, seq uint16, payload []byte) bool {
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
	if b.xors > 0 || header+len(payload) > b.Room() {
		return false
	}
	p := b.begin(KindReliable, 0)
	switch header {
	case FollowingHeader:
		p = append(p, wholeBits|howFollows)
	case MaxReliableHeader:
		p = append(p, wholeBits|howChannel|uint8(s.Mode()), s.Channel(), byte(seq), byte(seq>>8))
	default:
		p = append(p, wholeBits|uint8(s.Mode()), byte(seq), byte(seq>>8))
	}
	b.end(p, payload)
	b.follow = follow{true, s, seq + 1, true}
	return true
}
