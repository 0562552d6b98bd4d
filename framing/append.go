package framing

import (
	"unicode/utf8"

	"github.com/gannet-net/gannet/wire"
)

// AppendConnect appends a Connect with the given version string, which CheckVersion must accept, to b.
func AppendConnect(b []byte, version string) []byte {
	if err := CheckVersion(version); err != nil {
		panic("BUG: framing: Connect: " + err.Error())
	}
	return appendText(appendKind(b, KindConnect), version)
}

// AppendAccept appends an Accept that gives the peer id to b. An id of 0 or above MaxPeerID can be encoded, but no client
// takes it.
func AppendAccept(b []byte, id uint8) []byte {
	return wire.AppendUint8(appendKind(b, KindAccept), id)
}

// AppendRefuse appends a Refuse with the given reason to b. The reason must be valid UTF-8 and fit a datagram; what CutReason
// returns for a limit of at most MaxRefuseReason bytes does both.
func AppendRefuse(b []byte, reason string) []byte {
	if len(reason) > maxRefuseText || !utf8.ValidString(reason) {
		panic("BUG: framing: Refuse: reason too long or not UTF-8")
	}
	return appendText(appendKind(b, KindRefuse), reason)
}

// AppendUnreliable appends an Unreliable with a payload of 0 to MaxUnreliable bytes to b.
func AppendUnreliable(b, payload []byte) []byte {
	if len(payload) > MaxUnreliable {
		panic("BUG: framing: Unreliable: payload above MaxUnreliable")
	}
	return append(appendKind(b, KindUnreliable), payload...)
}

// AppendReliable appends a Reliable with the given sequence and a payload of 0 to MaxReliable bytes to b.
func AppendReliable(b []byte, seq int32, payload []byte) []byte {
	if len(payload) > MaxReliable {
		panic("BUG: framing: Reliable: payload above MaxReliable")
	}
	return append(wire.AppendInt32(appendKind(b, KindReliable), seq), payload...)
}

// AppendAck appends an Ack of the Reliable with the given sequence to b.
func AppendAck(b []byte, seq int32) []byte {
	return wire.AppendInt32(appendKind(b, KindAck), seq)
}

// AppendHeartbeat appends a Heartbeat to b.
func AppendHeartbeat(b []byte) []byte { return appendKind(b, KindHeartbeat) }

// AppendDisconnect appends a Disconnect to b.
func AppendDisconnect(b []byte) []byte { return appendKind(b, KindDisconnect) }

func appendKind(b []byte, k Kind) []byte { return wire.AppendUint8(b, uint8(k)) }

// appendText appends a text that is known to fit a datagram.
func appendText(b []byte, text string) []byte {
	b, err := wire.AppendString(b, text)
	if err != nil {
		panic("BUG: framing: " + err.Error())
	}
	return b
}
