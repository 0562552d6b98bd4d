package packet

import "github.com/gannet-net/gannet/framing"

// The kinds of frames in a packet, PROTOCOL.md 10 and 23. Those up to KindDisconnect mean what they mean on the base protocol.
const (
	KindUnreliable = framing.KindUnreliable
	KindReliable   = framing.KindReliable
	KindAck        = framing.KindAck
	KindHeartbeat  = framing.KindHeartbeat
	KindDisconnect = framing.KindDisconnect

	KindCredit framing.Kind = 16 // how much more the other side may send reliably
	KindClock  framing.Kind = 17 // what time it was for the sender
	KindXor    framing.Kind = 18 // the parity of messages that were sent before
	KindParity framing.Kind = 19 // a parity of the fragments of a message

	KindPathChallenge framing.Kind = 24 // asks whether the other side hears what is sent to an address
	KindPathResponse  framing.Kind = 25 // that it does
	KindTicket        framing.Kind = 26 // by which a client comes back
)

// kindBits are the bits of a frame's first byte that hold its kind. The others are flags.
const kindBits = 0x1F

// Flags of a frame's first byte. Bits 6 and 7 mean something else in each kind.
const (
	flagLength = 0x20
	flagExt    = 0x40 // Unreliable
	flagAll    = 0x40 // Credit
	formBits   = 0xC0 // Ack
	formShift  = 6
	countBits  = 0xC0 // Xor
	countShift = 6
	flagLossy  = 0x40 // Parity
)

// Bits of the second byte of an Unreliable with EXT.
const (
	extSequenced = 0x40
	extFragment  = 0x80
)

// Bits of the second byte of a Reliable.
const (
	howMode    = 0x03
	howChannel = 0x04
	howFirst   = 0x08
	howLast    = 0x10
	howFollows = 0x20
	howNothing = 0xC0
)

// kindInfo is what is known of a kind before its body is read. Kinds that packets do not have have no name.
type kindInfo struct {
	name    string
	flags   uint8 // those that mean something
	asksAck bool
}

var kinds = [kindBits + 1]kindInfo{
	KindUnreliable: {"Unreliable", flagLength | flagExt, true},
	KindReliable:   {"Reliable", flagLength, true},
	KindAck:        {"Ack", formBits, false},
	KindHeartbeat:  {"Heartbeat", 0, false},
	KindDisconnect: {"Disconnect", flagLength, false},
	KindCredit:     {"Credit", flagAll, true},
	KindClock:      {"Clock", 0, false},
	KindXor:        {"Xor", flagLength | countBits, false},
	KindParity:     {"Parity", flagLength | flagLossy, true},

	KindPathChallenge: {"PathChallenge", 0, true},
	KindPathResponse:  {"PathResponse", 0, true},
	KindTicket:        {"Ticket", flagLength, true},
}

// AsksAck reports whether a packet with a frame of kind k has to be acknowledged, PROTOCOL.md 10.
func AsksAck(k framing.Kind) bool { return int(k) < len(kinds) && kinds[k].asksAck }
