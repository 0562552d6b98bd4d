package handshake

import (
	"github.com/gannet-net/gannet/framing"
	"github.com/gannet-net/gannet/wire"
)

// Sealed is what can be read of a Sealed without keys.
type Sealed struct {
	ID   uint32 // of the session at the receiver
	Word uint32 // bits 0 to 29: low bits of the packet number; 30 and 31: of the epoch
}

// AppendSealedHead appends the SealedHead bytes of a Sealed that stand before the ciphertext to b.
func AppendSealedHead(b []byte, s Sealed) []byte {
	return wire.AppendUint32(wire.AppendUint32(appendKind(b, KindSealed), s.ID), s.Word)
}

// ParseSealed reads the head of a Sealed. The ciphertext with its tag is what stands behind the first SealedHead bytes.
func ParseSealed(d []byte) (Sealed, framing.Drop) {
	if len(d) < MinSealed {
		return Sealed{}, framing.DropShort
	}
	r := wire.NewReader(d[kindSize:])
	return Sealed{ID: r.Uint32(), Word: r.Uint32()}, framing.Accepted
}
