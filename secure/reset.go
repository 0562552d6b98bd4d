package secure

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"net/netip"

	"github.com/gannet-net/gannet/framing"
	"github.com/gannet-net/gannet/framing/handshake"
	"github.com/gannet-net/gannet/internal/rate"
)

const resetLabel = "GANNET-1 reset"

// resetToken proves that a Reset comes from the host of the session, PROTOCOL.md 22.
type resetToken [handshake.ResetTokenSize]byte

// resets makes the reset tokens of a host, and keeps their number small.
type resets struct {
	key     Secret
	all     rate.Bucket
	sources rate.Sources
}

func (r *resets) token(hostID uint32, addr netip.Addr) resetToken {
	source := rate.SourceOf(addr).As16()
	mac := hmac.New(sha256.New, r.key[:])
	mac.Write(binary.LittleEndian.AppendUint32(nil, hostID))
	mac.Write(source[:])
	return resetToken(mac.Sum(nil)[:handshake.ResetTokenSize])
}

// answer appends the Reset for a Sealed that belongs to no session, if the budgets allow it.
func (r *resets) answer(now int64, dst []byte, hostID uint32, addr netip.Addr) []byte {
	if !r.sources.Take(now, addr) || !r.all.Within(now, resetsLimit) {
		return dst
	}
	return handshake.AppendReset(dst, &handshake.Reset{HostID: hostID, Token: r.token(hostID, addr)})
}

// HandleReset judges a Reset that came to a client. Accepted means that the host does not know the session any more: it is over.
func (s *Session) HandleReset(d []byte) framing.Drop {
	r, drop := handshake.ParseReset(d)
	switch {
	case drop != framing.Accepted:
		return drop
	case d[0] != byte(handshake.KindReset):
		return framing.DropKind
	case r.HostID != s.remote:
		return framing.DropNoPeer
	case !hmac.Equal(r.Token[:], s.reset[:]):
		return framing.DropAuth
	}
	return framing.Accepted
}
