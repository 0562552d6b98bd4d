package packet

import (
	"fmt"

	"github.com/gannet-net/gannet/framing"
	"github.com/gannet-net/gannet/wire"
)

// Builder puts frames into a packet. It writes FOLLOWS and lengths by itself. The append methods return false and change nothing if
// the frame has no room, and panic if it is one that no packet may have.
//
// A payload is copied at once, so it may be reused as soon as the method returns. Only the last frame has no length, and which one that is shows
// when another comes: then its payload moves up by the one or two bytes of the length. So put what has no payload first, and what
// fills the packet last.
type Builder struct {
	b      []byte
	start  int // of the packet in b
	limit  int // for the size of the packet
	frames int // so far
	follow follow
	xors   int // so far: behind one comes no Reliable any more

	head, body int // of the last frame, while its length may have to be written; body is 0 if not
}

// Reset starts a packet of at most limit bytes, itself at most MaxPacket, behind what dst holds. Nothing is allocated if dst has room for
// that many.
func (b *Builder) Reset(dst []byte, limit int) {
	if limit > MaxPacket {
		panic(fmt.Sprintf("BUG: packet: limit of %d bytes", limit))
	}
	*b = Builder{b: dst, start: len(dst), limit: limit}
}

// Bytes returns dst with the packet behind it. It is a packet as it stands, if it has a frame; the next append changes it.
func (b *Builder) Bytes() []byte { return b.b }

// Len returns how many bytes the packet has.
func (b *Builder) Len() int { return len(b.b) - b.start }

// Frames returns how many frames the packet has.
func (b *Builder) Frames() int { return b.frames }

// Room returns how many bytes the next frame may have, its header among them: negative or 0 if none has room.
func (b *Builder) Room() int {
	if b.frames == MaxFrames {
		return 0
	}
	room := b.limit - b.Len()
	if b.body > 0 {
		room -= varintSize(len(b.b) - b.body)
	}
	return room
}

// RoomUnreliable returns how many bytes of payload f may have as the next frame, whatever its payload now. It is negative if not even
// an empty one has room.
func (b *Builder) RoomUnreliable(f Unreliable) int { return b.Room() - f.Header() }

// RoomReliable returns how many bytes of payload f may have as the next frame, whatever its payload now. It is negative if not even
// an empty one has room.
func (b *Builder) RoomReliable(f Reliable) int {
	switch {
	case b.xors > 0:
		return -1
	case b.follow.leadsTo(&f):
		return b.Room() - FollowingHeader
	}
	return b.Room() - f.Header()
}

// AppendUnreliable appends a message, or a fragment of one.
func (b *Builder) AppendUnreliable(f Unreliable) bool {
	requireValid(KindUnreliable, f.fault())
	if f.Header()+len(f.Payload) > b.Room() {
		return false
	}
	if f.isExtended() {
		b.end(appendExt(b.begin(KindUnreliable, flagExt), &f), f.Payload)
	} else {
		b.end(b.begin(KindUnreliable, 0), f.Payload)
	}
	return true
}

// appendExt appends the fields of an Unreliable that EXT announces.
func appendExt(p []byte, f *Unreliable) []byte {
	at := len(p)
	p = append(p, f.Channel)
	if f.Sequenced {
		p[at] |= extSequenced
		p = wire.AppendUint16(p, f.Seq)
	}
	if f.Count != 0 {
		p[at] |= extFragment
		p = wire.AppendUint16(p, f.Message)
		p = wire.AppendUint16(p, f.Index)
		p = wire.AppendUint16(p, f.Count)
	}
	return p
}

// AppendReliable appends a message, or a fragment of one.
func (b *Builder) AppendReliable(f Reliable) bool {
	requireValid(KindReliable, f.fault())
	follows, header := b.follow.leadsTo(&f), FollowingHeader
	if follows {
		requireValid(KindReliable, b.follow.fault(&f))
	} else {
		header = f.Header()
	}
	if b.xors > 0 || header+len(f.Payload) > b.Room() {
		return false
	}
	b.end(appendHow(b.begin(KindReliable, 0), &f, follows), f.Payload)
	b.follow.pass(&f)
	return true
}

// appendHow appends what stands before the length of a Reliable.
func appendHow(p []byte, f *Reliable, follows bool) []byte {
	how := uint8(0)
	if f.First {
		how |= howFirst
	}
	if f.Last {
		how |= howLast
	}
	if follows {
		return append(p, how|howFollows)
	}
	how |= uint8(f.Stream.Mode())
	if channel := f.Stream.Channel(); channel != 0 {
		p = append(p, how|howChannel, channel)
	} else {
		p = append(p, how)
	}
	return wire.AppendUint16(p, f.Seq)
}

// AppendAck appends an Ack.
func (b *Builder) AppendAck(f Ack) bool {
	requireValid(KindAck, f.fault())
	if f.Size() > b.Room() {
		return false
	}
	p := b.begin(KindAck, uint8(f.Form)<<formShift)
	p = wire.AppendUint16(p, f.Largest)
	p = wire.AppendUint8(p, f.Delay)
	switch f.Form {
	case Bitmap32:
		p = wire.AppendUint32(p, uint32(f.Bitmap))
	case Bitmap64:
		p = wire.AppendUint64(p, f.Bitmap)
	case Ranges:
		p = append(p, f.Runs...)
	}
	b.b = p
	return true
}

// AppendHeartbeat appends a Heartbeat.
func (b *Builder) AppendHeartbeat() bool {
	if HeartbeatSize > b.Room() {
		return false
	}
	b.b = b.begin(KindHeartbeat, 0)
	return true
}

// AppendDisconnect appends a Disconnect.
func (b *Builder) AppendDisconnect(f Disconnect) bool {
	requireValid(KindDisconnect, f.fault())
	if DisconnectHeader+len(f.Text) > b.Room() {
		return false
	}
	b.end(wire.AppendUint16(b.begin(KindDisconnect, 0), f.Code), f.Text)
	return true
}

// AppendCredit appends a Credit.
func (b *Builder) AppendCredit(f Credit) bool {
	requireValid(KindCredit, f.fault())
	switch {
	case f.Size() > b.Room():
		return false
	case f.All:
		b.b = wire.AppendUint32(b.begin(KindCredit, flagAll), f.Bytes)
	default:
		p := wire.AppendUint8(b.begin(KindCredit, 0), uint8(f.Stream))
		b.b = wire.AppendUint32(wire.AppendUint16(p, f.Seq), f.Bytes)
	}
	return true
}

// AppendClock appends a Clock.
func (b *Builder) AppendClock(f Clock) bool {
	if ClockSize > b.Room() {
		return false
	}
	b.b = wire.AppendUint64(b.begin(KindClock, 0), uint64(f.Time))
	return true
}

// AppendXor appends an Xor. No Reliable has room behind it.
func (b *Builder) AppendXor(f Xor) bool {
	requireValid(KindXor, f.fault())
	if b.xors == MaxXors || XorHeader+len(f.Parity) > b.Room() {
		return false
	}
	p := wire.AppendUint8(b.begin(KindXor, (f.Count-1)<<countShift), uint8(f.Stream))
	b.end(wire.AppendUint8(wire.AppendUint16(p, f.Seq), f.Lengths), f.Parity)
	b.xors++
	return true
}

// AppendPathChallenge appends a PathChallenge.
func (b *Builder) AppendPathChallenge(f Path) bool { return b.appendPath(KindPathChallenge, f) }

// AppendPathResponse appends a PathResponse.
func (b *Builder) AppendPathResponse(f Path) bool { return b.appendPath(KindPathResponse, f) }

func (b *Builder) appendPath(k framing.Kind, f Path) bool {
	if PathSize > b.Room() {
		return false
	}
	b.b = append(b.begin(k, 0), f.Random[:]...)
	return true
}

// AppendTicket appends a Ticket.
func (b *Builder) AppendTicket(f Ticket) bool {
	requireValid(KindTicket, f.fault())
	if TicketHeader+len(f.Ticket) > b.Room() {
		return false
	}
	b.end(append(b.begin(KindTicket, 0), f.PSK[:]...), f.Ticket)
	return true
}

// AppendParity appends a Parity.
func (b *Builder) AppendParity(f Parity) bool {
	requireValid(KindParity, f.fault())
	if f.Header()+len(f.Bytes) > b.Room() {
		return false
	}
	var p []byte
	if f.Lossy {
		stream := f.Channel
		if f.Sequenced {
			stream |= extSequenced
		}
		p = wire.AppendUint16(append(b.begin(KindParity, flagLossy), stream), f.Message)
		if f.Sequenced {
			p = wire.AppendUint16(p, f.Seq)
		}
	} else {
		p = wire.AppendUint16(append(b.begin(KindParity, 0), uint8(f.Stream)), f.Seq)
	}
	b.end(wire.AppendUint16(append(p, f.Count, f.Index), f.Last), f.Bytes)
	return true
}

// begin starts a frame: it returns all bytes so far, the first of the frame among them. Before, it gives the last frame its length.
func (b *Builder) begin(k framing.Kind, flags uint8) []byte {
	if b.body > 0 {
		b.insertLength()
	}
	b.frames++
	b.head = len(b.b)
	return append(b.b, uint8(k)|flags)
}

// end ends a frame of which p has all but its last field. A length comes before that once there is a next frame.
func (b *Builder) end(p, payload []byte) {
	b.body = len(p)
	b.b = append(p, payload...)
}

// insertLength gives the last frame its length.
func (b *Builder) insertLength() {
	n := len(b.b) - b.body
	b.b[b.head] |= flagLength
	b.b = append(b.b, 0, 0)[:len(b.b)+varintSize(n)]
	copy(b.b[b.body+varintSize(n):], b.b[b.body:b.body+n])
	appendVarint(b.b[:b.body], n)
	b.body = 0
}

// requireValid panics unless fault is Valid: a frame that no packet may have is a mistake of the program and not of a peer.
func requireValid(k framing.Kind, fault Fault) {
	if fault != Valid {
		panic(fmt.Sprintf("BUG: packet: %s: %v", kinds[k].name, fault))
	}
}
