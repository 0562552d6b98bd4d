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
	if b.follow.leadsTo(f.Stream, f.Seq) {
		return b.Room() - FollowingHeader
	}
	return b.Room() - f.Header()
}

// AppendUnreliable appends a message, or a fragment of one.
func (b *Builder) AppendUnreliable(f Unreliable) bool {
	requireValid(KindUnreliable, f.fault())
	if len(f.Payload) > b.RoomUnreliable(f) {
		return false
	}
	if f.isExtended() {
		b.begin(KindUnreliable, flagExt)
		b.ext(&f)
	} else {
		b.begin(KindUnreliable, 0)
	}
	b.end(f.Payload)
	return true
}

// ext writes the fields of an Unreliable that EXT announces.
func (b *Builder) ext(f *Unreliable) {
	ext := f.Channel
	if f.Sequenced {
		ext |= extSequenced
	}
	if f.Count != 0 {
		ext |= extFragment
	}
	b.b = wire.AppendUint8(b.b, ext)
	if f.Sequenced {
		b.b = wire.AppendUint16(b.b, f.Seq)
	}
	if f.Count != 0 {
		b.b = wire.AppendUint16(wire.AppendUint16(wire.AppendUint16(b.b, f.Message), f.Index), f.Count)
	}
}

// AppendReliable appends a message, or a fragment of one.
func (b *Builder) AppendReliable(f Reliable) bool {
	requireValid(KindReliable, f.fault())
	if len(f.Payload) > b.RoomReliable(f) {
		return false
	}
	b.begin(KindReliable, 0)
	how := uint8(0)
	if f.First {
		how |= howFirst
	}
	if f.Last {
		how |= howLast
	}
	if b.follow.leadsTo(f.Stream, f.Seq) {
		if !b.follow.fits(&f) {
			requireValid(KindReliable, FaultFragment)
		}
		b.b = wire.AppendUint8(b.b, how|howFollows)
	} else {
		b.leading(&f, how)
	}
	b.end(f.Payload)
	b.follow.pass(&f)
	return true
}

// leading writes the stream and sequence of a Reliable without FOLLOWS.
func (b *Builder) leading(f *Reliable, how uint8) {
	how |= uint8(f.Stream.Mode())
	if channel := f.Stream.Channel(); channel != 0 {
		b.b = append(b.b, how|howChannel, channel)
	} else {
		b.b = append(b.b, how)
	}
	b.b = wire.AppendUint16(b.b, f.Seq)
}

// AppendAck appends an Ack.
func (b *Builder) AppendAck(f Ack) bool {
	requireValid(KindAck, f.fault())
	if f.Size() > b.Room() {
		return false
	}
	b.begin(KindAck, uint8(f.Form)<<formShift)
	b.b = wire.AppendUint8(wire.AppendUint16(b.b, f.Largest), f.Delay)
	switch f.Form {
	case Bitmap32:
		b.b = wire.AppendUint32(b.b, uint32(f.Bitmap))
	case Bitmap64:
		b.b = wire.AppendUint64(b.b, f.Bitmap)
	case Ranges:
		b.b = append(b.b, f.Runs...)
	}
	return true
}

// AppendHeartbeat appends a Heartbeat.
func (b *Builder) AppendHeartbeat() bool {
	if HeartbeatSize > b.Room() {
		return false
	}
	b.begin(KindHeartbeat, 0)
	return true
}

// AppendDisconnect appends a Disconnect.
func (b *Builder) AppendDisconnect(f Disconnect) bool {
	requireValid(KindDisconnect, f.fault())
	if DisconnectHeader+len(f.Text) > b.Room() {
		return false
	}
	b.begin(KindDisconnect, 0)
	b.b = wire.AppendUint16(b.b, f.Code)
	b.end(f.Text)
	return true
}

// AppendCredit appends a Credit.
func (b *Builder) AppendCredit(f Credit) bool {
	requireValid(KindCredit, f.fault())
	if f.Size() > b.Room() {
		return false
	}
	if f.All {
		b.begin(KindCredit, flagAll)
	} else {
		b.begin(KindCredit, 0)
		b.b = wire.AppendUint16(wire.AppendUint8(b.b, uint8(f.Stream)), f.Seq)
	}
	b.b = wire.AppendUint32(b.b, f.Bytes)
	return true
}

// AppendClock appends a Clock.
func (b *Builder) AppendClock(f Clock) bool {
	if ClockSize > b.Room() {
		return false
	}
	b.begin(KindClock, 0)
	b.b = wire.AppendUint64(b.b, uint64(f.Time))
	return true
}

// begin writes the first byte of a frame, and before it the length of the last.
func (b *Builder) begin(k framing.Kind, flags uint8) {
	if b.body > 0 {
		b.insertLength()
	}
	b.frames++
	b.head = len(b.b)
	b.b = append(b.b, uint8(k)|flags)
}

// end writes the last field of a frame, before which a length comes if there is a next frame.
func (b *Builder) end(payload []byte) {
	b.body = len(b.b)
	b.b = append(b.b, payload...)
}

// insertLength gives the last frame its length.
func (b *Builder) insertLength() {
	n := len(b.b) - b.body
	b.b[b.head] |= flagLength
	if n < oneByte {
		b.b = append(b.b, 0)
	} else {
		b.b = append(b.b, 0, 0)
	}
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
