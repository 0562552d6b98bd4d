package packet

// A bunch is whole messages of one reliable stream, one behind the other, as they stand in a packet behind a first: each as a Reliable with FOLLOWS
// and a length. So they need not be looked at one by one when they leave.

// BunchedSize is how many bytes of a bunch a message of n bytes takes.
func BunchedSize(n int) int { return FollowingHeader + varintSize(n) + n }

// AppendBunched appends a message to a bunch.
func AppendBunched(bunch, payload []byte) []byte {
	bunch = append(bunch, uint8(KindReliable)|flagLength, wholeBits|howFollows)
	return append(appendVarint(bunch, len(payload)), payload...)
}

// Unbunch gives the first message of a bunch, and the others.
func Unbunch(bunch []byte) (payload, others []byte) {
	at := FollowingHeader + 1
	n := int(bunch[FollowingHeader])
	if n >= oneByte {
		n, at = n&^moreBit|int(bunch[at])<<varintBits, at+1
	}
	return bunch[at : at+n], bunch[at+n:]
}

// Bunched is the front of a bunch.
type Bunched struct {
	Messages int
	Size     int // bytes of the bunch
	Payload  int // bytes of payload
	Last     int // bytes of the payload of the last message
}

// AppendBunch does what AppendWhole of each message of a bunch would do, one after the other, until one has no room, or so many messages or bytes
// of payload are there.
func (b *Builder) AppendBunch(s Stream, seq uint16, bunch []byte, messages, payload int) (front Bunched) {
	first, others := Unbunch(bunch)
	if messages < 1 || len(first) > payload {
		return front
	}
	if ok, _ := b.AppendWhole(s, seq, first, -1); !ok {
		return front
	}
	begin := len(bunch) - len(others)
	front = Bunched{1, begin, len(first), len(first)}
	last, begins := first, 0
	for room := b.Room(); len(others) > 0 && front.Messages < messages; {
		next, behind := Unbunch(others)
		if FollowingHeader+len(next) > room || front.Payload+len(next) > payload || b.frames+front.Messages > MaxFrames {
			break
		}
		room -= BunchedSize(len(next))
		last, begins, others = next, front.Size, behind
		front = Bunched{front.Messages + 1, len(bunch) - len(others), front.Payload + len(next), len(next)}
	}
	if front.Messages > 1 {
		b.insertLength()
		b.b = append(b.b, bunch[begin:begins]...)
		b.frames += front.Messages - 2
		b.follow.seq += uint16(front.Messages - 2)
		b.AppendWhole(s, b.follow.seq, last, -1)
	}
	return front
}
