package handshake

import (
	"github.com/gannet-net/gannet/wire"
)

// Payload1 is what a client says under the protection of message 1.
type Payload1 struct {
	Fingerprint [FingerprintSize]byte
	TimeoutMS   uint32 // silence that ends the session at the client, 0 if it does not say
	ConnectData []byte // 0 to MaxConnectData bytes
}

// AppendPayload1 appends payload 1 to b, with the zeros that make an Auth whose head has the given size large enough.
func AppendPayload1(b []byte, p *Payload1, head int) []byte {
	if len(p.ConnectData) > MaxConnectData {
		panic("BUG: handshake: connect data above MaxConnectData")
	}
	b = append(b, p.Fingerprint[:]...)
	b = wire.AppendUint32(b, p.TimeoutMS)
	b = wire.AppendUint16(b, uint16(len(p.ConnectData)))
	b = append(b, p.ConnectData...)
	return append(b, zeros[:padding(head, len(p.ConnectData))]...)
}

// ParsePayload1 reads payload 1 of an Auth whose head has the given size, and reports false if it breaks its layout.
func ParsePayload1(b []byte, head int) (p Payload1, ok bool) {
	r := wire.NewReader(b)
	copy(p.Fingerprint[:], r.Raw(FingerprintSize))
	p.TimeoutMS = r.Uint32()
	p.ConnectData = r.String()
	if r.Err() != nil || len(p.ConnectData) > MaxConnectData || r.Len() != padding(head, len(p.ConnectData)) || !AllZero(r.Rest()) {
		return Payload1{}, false
	}
	return p, true
}

// padding is how many zeros a payload 1 needs.
func padding(head, data int) int {
	return max(0, MinAuth-head-Message1Overhead-Payload1Head-data)
}

// Payload2 is what a host says under the protection of message 2.
type Payload2 struct {
	HostID      uint32 // not 0
	PeerID      uint16 // 1 to MaxPeerID
	TimeoutMS   uint32 // silence that ends the session at the host, 0 if it does not say
	ResetToken  [ResetTokenSize]byte
	Fingerprint [FingerprintSize]byte
	Admitted    bool // the client is in once its session is confirmed; else the host decides then
}

// AppendPayload2 appends payload 2 to b.
func AppendPayload2(b []byte, p *Payload2) []byte {
	b = wire.AppendUint16(wire.AppendUint32(b, p.HostID), p.PeerID)
	b = append(wire.AppendUint32(b, p.TimeoutMS), p.ResetToken[:]...)
	b = append(b, p.Fingerprint[:]...)
	if p.Admitted {
		return append(b, 1)
	}
	return append(b, 0)
}

// ParsePayload2 reads payload 2, and reports false if it breaks its layout. Whether the ids may be used is for others to check.
func ParsePayload2(b []byte) (p Payload2, ok bool) {
	if len(b) != Payload2Size {
		return Payload2{}, false
	}
	r := wire.NewReader(b)
	p = Payload2{HostID: r.Uint32(), PeerID: r.Uint16(), TimeoutMS: r.Uint32()}
	copy(p.ResetToken[:], r.Raw(ResetTokenSize))
	copy(p.Fingerprint[:], r.Raw(FingerprintSize))
	p.Admitted = r.Bool()
	return p, r.Err() == nil
}
