package secure

import (
	"crypto/sha256"
	"net/netip"
	"time"

	"github.com/gannet-net/gannet/framing"
	"github.com/gannet-net/gannet/framing/handshake"
)

// auth makes the checks of PROTOCOL.md 21 up to the budgets; what comes after costs public keys.
func (h *Host) auth(unix int64, dst, d []byte, from netip.AddrPort) ([]byte, framing.Drop) {
	a, drop := handshake.ParseAuth(d)
	switch {
	case drop != framing.Accepted:
		return dst, drop
	case !h.strangers.Within(h.now, strangersLimit):
		return dst, framing.DropRate
	}
	if drop := h.cookies.check(h.now, &a.Cookie, a.From, from); drop != framing.Accepted {
		return dst, drop
	}
	digest := sha256.Sum256(d)
	if u := h.unconfirmed.repeated(&digest); u != nil {
		u.again = true
		return append(dst, u.answer[:]...), framing.Accepted
	}
	t, drop := h.token(unix, a.Token)
	switch {
	case drop == framing.DropTokenMissing:
		return h.refuse(dst, a.From, handshake.RefusedToken), drop
	case drop == framing.DropTokenExpired:
		return h.refuse(dst, a.From, handshake.RefusedExpired), drop
	case drop != framing.Accepted:
		return dst, drop
	case !h.attempts.Take(h.now, from.Addr()) || !h.sites.Take(h.now, from.Addr()) || !h.exchanges.Within(h.now, exchangesLimit):
		return dst, framing.DropRate
	}
	u := &unconfirmed{client: a.From.ID, digest: digest, baked: bakedAt(&a.Cookie), began: h.now, waiting: true}
	u.join.From = from
	if drop := h.admit(unix, u, &a, t); drop != framing.Accepted {
		if drop == framing.DropFull {
			dst = h.refuse(dst, a.From, handshake.RefusedFull)
		}
		return dst, drop
	}
	return append(dst, u.answer[:]...), framing.Accepted
}

// token opens the token of an Auth: nil if there is none and none is needed.
func (h *Host) token(unix int64, b []byte) (*token, framing.Drop) {
	if len(b) == 0 {
		if h.cfg.RequireToken {
			return nil, framing.DropTokenMissing
		}
		return nil, framing.Accepted
	}
	t, drop := openToken(h.tokenKeys, b, unix)
	switch {
	case drop != framing.Accepted:
		return nil, drop
	case !t.ticket && t.Host != h.cfg.Name:
		return nil, framing.DropTokenHost
	case h.cfg.RequireToken && identity(&t, t.Client).Kind != ByToken:
		return nil, framing.DropTokenMissing // the ticket of a client that came without, when that was allowed
	}
	return &t, framing.Accepted
}

// admit reads message 1, and answers it if the client may have a session.
func (h *Host) admit(unix int64, u *unconfirmed, a *handshake.Auth, t *token) framing.Drop {
	h.tried++
	x := beginAsHost(h.random, h.static, a.Head)
	plain, err := x.read(nil, a.Message1)
	if err != nil {
		return framing.DropNoise
	}
	p, ok := handshake.ParsePayload1(plain, len(a.Head))
	if !ok {
		return framing.DropPayload
	}
	client := x.peer()
	if drop := h.checkToken(unix, t, client); drop != framing.Accepted {
		return drop
	}
	u.token = t
	u.join.Identity = identity(t, client)
	u.join.ConnectData, u.join.Fingerprint = p.ConnectData, p.Fingerprint
	u.join.Silence = time.Duration(p.TimeoutMS) * time.Millisecond
	return h.open(u, x, t)
}

// checkToken checks whose a token is.
func (h *Host) checkToken(unix int64, t *token, client Key) framing.Drop {
	switch {
	case t == nil || t.Client == client:
		return framing.Accepted
	case t.bound():
		return framing.DropTokenClient
	}
	return h.used.check(t, client, unix)
}

// open makes the session and the SecureAccept.
func (h *Host) open(u *unconfirmed, x *exchange, t *token) framing.Drop {
	if drop := h.makeRoom(u); drop != framing.Accepted {
		return drop
	}
	u.join.PeerID = h.cfg.Peers.TakePeerID(u.join.Identity.Resumed)
	if u.join.PeerID == 0 {
		return framing.DropFull
	}
	id := h.drawID()
	payload := handshake.AppendPayload2(nil, &handshake.Payload2{
		HostID: id, PeerID: u.join.PeerID, TimeoutMS: milliseconds(h.cfg.Silence),
		ResetToken: h.resets.token(id, u.join.From.Addr()), Fingerprint: h.cfg.Fingerprint,
		Admitted: h.admits(u),
	})
	var psk Secret
	if t != nil {
		psk = t.psk
	}
	x.usePSK(&psk)
	answer, err := x.write(handshake.AppendSecureAcceptHead(nil, u.client), payload)
	if err != nil {
		h.cfg.Peers.FreePeerID(u.join.PeerID)
		return framing.DropNoise
	}
	copy(u.answer[:], answer)
	u.join.Session = h.newSession(&x.keys, id, u.client)
	if h.cfg.KeyLogWriter != nil {
		u.keys = &x.keys
	}
	h.unconfirmed.add(u)
	return framing.Accepted
}

func (h *Host) newSession(keys *trafficKeys, local, remote uint32) *Session {
	s := newSession(framing.Host, keys, local, remote, newAESGCM)
	s.sealing.since, s.sealing.now = h.now, h.now
	if h.cfg.RekeyAfter > 0 {
		s.limit = h.cfg.RekeyAfter
	}
	return s
}

// admits reports whether a client may take itself for admitted. It may not where catalogues have to be exchanged, nor where its token has to be
// claimed, which somebody else may do before.
func (h *Host) admits(u *unconfirmed) bool {
	return (u.token == nil || u.token.bound()) && !differ(u.join.Fingerprint, h.cfg.Fingerprint) &&
		h.cfg.Peers.Admits(u.join.From, &u.join.Identity, len(h.unconfirmed.rows))
}

// differ compares two fingerprints of applications that say what they know.
func differ(a, b [8]byte) bool { return a != b && a != [8]byte{} && b != [8]byte{} }

// makeRoom ends what the client tried before, or one of others if there are too many. An Auth with an older cookie is one that comes late, or
// again.
func (h *Host) makeRoom(u *unconfirmed) framing.Drop {
	if before := h.unconfirmed.of(u.client, u.join.Identity.Key); before != nil {
		if int32(u.baked-before.baked) < 0 {
			return framing.DropDuplicate
		}
		h.forget(before)
	}
	if len(h.unconfirmed.rows) >= maxUnconfirmed {
		h.forget(h.unconfirmed.spare())
	}
	return framing.Accepted
}

// drawID draws a host id that no session has.
func (h *Host) drawID() uint32 {
	for {
		id := uint32(h.random.Uint64())
		if id != 0 && !h.unconfirmed.has(id) && !h.cfg.Peers.HasSession(id) {
			return id
		}
	}
}
