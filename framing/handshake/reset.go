package handshake

import (
	"github.com/gannet-net/gannet/framing"
	"github.com/gannet-net/gannet/wire"
)

// Reset says that the host does not know a session any more.
type Reset struct {
	HostID uint32
	Token  [ResetTokenSize]byte
}

// AppendReset appends a Reset to b.
func AppendReset(b []byte, r *Reset) []byte {
	return append(wire.AppendUint32(appendKind(b, KindReset), r.HostID), r.Token[:]...)
}

// ParseReset reads a Reset.
func ParseReset(d []byte) (Reset, framing.Drop) {
	if drop := checkSize(d, ResetSize); drop != framing.Accepted {
		return Reset{}, drop
	}
	r := wire.NewReader(d[kindSize:])
	return Reset{r.Uint32(), [ResetTokenSize]byte(r.Raw(ResetTokenSize))}, framing.Accepted
}
