package packet

// UsualLossy is what Usual is, for packets of an Ack with a bitmap of 32 or none, and whole messages that are neither reliable nor sequenced: one or
// more.
type UsualLossy struct {
	HasAck bool
	Ack    Ack // if HasAck

	Messages int // how many Next returns

	left []byte // the frames that Next has not read
}

// Read reads the packet, and reports false if it is not as usual: then u holds nothing of use. Payloads are parts of the packet.
func (u *UsualLossy) Read(packet []byte) bool {
	if len(packet) == 0 || len(packet) > MaxPacket {
		return false
	}
	if u.HasAck = packet[0] == usualAck && len(packet) > ackSize; u.HasAck {
		readUsualAck(&u.Ack, packet)
		packet = packet[ackSize:]
	}
	u.Messages, u.left = 0, packet
	for len(packet) > 0 {
		var ok bool
		if _, _, packet, ok = lossyOf(packet); !ok {
			return false
		}
		u.Messages++
	}
	return u.Messages < MaxFrames || u.Messages == MaxFrames && !u.HasAck
}

// Next returns the channel and the payload of the next message. It must be called Messages times at most.
func (u *UsualLossy) Next() (channel uint8, payload []byte) {
	channel, payload, u.left, _ = lossyOf(u.left)
	return channel, payload
}

// lossyOf parts the first message of p from the frames behind it.
func lossyOf(p []byte) (channel uint8, payload, rest []byte, ok bool) {
	body := p[kindSize:]
	switch p[0] &^ flagLength {
	case uint8(KindUnreliable):
	case uint8(KindUnreliable) | flagExt:
		if len(body) == 0 || body[0] == 0 || body[0] > MaxChannel {
			return 0, nil, nil, false
		}
		channel, body = body[0], body[extSize:]
	default:
		return 0, nil, nil, false
	}
	payload, rest, ok = payloadOf(p[0], body)
	return channel, payload, rest, ok
}

// AppendLossy is AppendUnreliable of a whole message that is not sequenced, as most are. behind and more are those of AppendWhole, of a next
// message of the same channel.
func (b *Builder) AppendLossy(channel uint8, payload []byte, behind int) (ok, more bool) {
	if channel > MaxChannel {
		requireValid(KindUnreliable, FaultChannel)
	}
	header, flags := UnreliableHeader, uint8(0)
	if channel != 0 {
		header, flags = kindSize+extSize, flagExt
	}
	room := b.Room() - header - len(payload)
	if room < 0 {
		return false, false
	}
	more = behind >= 0 && b.frames+1 < MaxFrames && room >= varintSize(len(payload))+header+behind
	p := b.begin(KindUnreliable, flags)
	if channel != 0 {
		p = append(p, channel)
	}
	if more {
		p[b.head] |= flagLength
		b.b = append(appendVarint(p, len(payload)), payload...)
	} else {
		b.end(p, payload)
	}
	return true, more
}
