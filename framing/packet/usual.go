package packet

import "encoding/binary"

// Usual reads the packets that are most of a game's, and of a download: an Ack with a bitmap of 32 or none, and behind it whole messages of one stream
// with consecutive sequences, or one fragment. It reads such a packet in one step, where a Parser takes one for each frame and a Frame to keep it. It knows no faults: whatever
// is not as usual is for a Parser, faults among it.
type Usual struct {
	HasAck bool
	Ack    Ack // if HasAck

	Messages int    // how many Next returns
	Bytes    int    // of their payloads together
	Stream   Stream // of the messages, as Seq
	Seq      uint16 // of the first
	First    bool   // they are whole messages, or the fragment is the first of its message
	Last     bool   // likewise the last

	next, left []byte // payload of the next message, and the frames behind it
}

const (
	usualAck  = uint8(KindAck) | uint8(Bitmap32)<<formShift
	ackSize   = UsualAckSize
	wholeBits = howFirst | howLast
)

// Read reads the packet, and reports false if it is not as usual: then u holds nothing of use. Payloads are parts of the packet.
func (u *Usual) Read(packet []byte) bool {
	if len(packet) == 0 || len(packet) > MaxPacket {
		return false
	}
	if u.HasAck = packet[0] == usualAck && len(packet) >= ackSize; u.HasAck {
		readUsualAck(&u.Ack, packet)
		packet = packet[ackSize:]
	}
	u.Messages, u.Bytes = 0, 0
	return len(packet) == 0 || u.lead(packet) && u.follow()
}

// readUsualAck reads an Ack with a bitmap of 32.
func readUsualAck(a *Ack, packet []byte) {
	a.Form, a.Largest, a.Delay = Bitmap32, binary.LittleEndian.Uint16(packet[1:]), packet[3]
	a.Bitmap, a.Runs = uint64(binary.LittleEndian.Uint32(packet[4:])), nil
}

// lead reads the first message.
func (u *Usual) lead(p []byte) (ok bool) {
	const fixed = kindSize + howSize
	if len(p) < fixed+sequenceSize || p[1]&^(howMode|howChannel|wholeBits) != 0 || p[1]&howMode >= numModes {
		return false
	}
	u.First, u.Last = p[1]&howFirst != 0, p[1]&howLast != 0
	channel, rest := uint8(0), p[fixed:]
	if p[1]&howChannel != 0 {
		if channel, rest = rest[0], rest[channelSize:]; channel == 0 || channel > MaxChannel || len(rest) < sequenceSize {
			return false
		}
	}
	u.Stream, u.Seq = Stream(channel|p[1]&howMode<<modeShift), binary.LittleEndian.Uint16(rest)
	if p[0]&^flagLength != uint8(KindReliable) {
		return false
	}
	u.next, u.left, ok = payloadOf(p[0], rest[sequenceSize:])
	return ok
}

// follow counts the messages, and looks at those behind the first.
func (u *Usual) follow() bool {
	u.Messages, u.Bytes = 1, len(u.next)
	if !u.Whole() {
		return len(u.left) == 0 && u.Bytes > 0
	}
	for rest := u.left; len(rest) > 0; u.Messages++ {
		if len(rest) < FollowingHeader || rest[0]&^flagLength != uint8(KindReliable) || rest[1] != wholeBits|howFollows {
			return false
		}
		payload, behind, ok := payloadOf(rest[0], rest[FollowingHeader:])
		if !ok {
			return false
		}
		u.Bytes, rest = u.Bytes+len(payload), behind
	}
	return u.Messages < MaxFrames || u.Messages == MaxFrames && !u.HasAck
}

// Whole reports whether the messages are whole, and not a fragment.
func (u *Usual) Whole() bool { return u.First && u.Last }

// Next returns the payload of the next message. It must be called Messages times at most.
func (u *Usual) Next() []byte {
	payload := u.next
	if len(u.left) > 0 {
		u.next, u.left, _ = payloadOf(u.left[0], u.left[FollowingHeader:])
	}
	return payload
}

// payloadOf parts the payload of a message from the frames behind it. head is the first byte of its frame.
func payloadOf(head uint8, p []byte) (payload, rest []byte, ok bool) {
	if head&flagLength == 0 {
		return p, nil, true
	}
	if len(p) < 2 {
		return nil, nil, false
	}
	n, body := int(p[0]), p[1:]
	if n >= oneByte {
		if body[0] == 0 || body[0] >= moreBit {
			return nil, nil, false
		}
		n, body = n&^moreBit|int(body[0])<<varintBits, body[1:]
	}
	if n < len(body) {
		return body[:n:n], body[n:], true
	}
	return nil, nil, false
}
