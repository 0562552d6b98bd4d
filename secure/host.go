package secure

import (
	"math/rand/v2"
	"net/netip"
	"slices"
	"time"

	"github.com/gannet-net/gannet/framing"
	"github.com/gannet-net/gannet/framing/handshake"
	"github.com/gannet-net/gannet/internal/rate"
	"github.com/gannet-net/gannet/internal/x25519"
)

// Join is a session from the host's side.
type Join struct {
	Session     *Session
	PeerID      uint16
	From        netip.AddrPort // which the client has proved to receive at
	Identity    Identity
	ConnectData []byte // 0 to 256 bytes
	Fingerprint [8]byte
	Silence     time.Duration // that ends the session at the client; 0 if it does not say
	RTT         time.Duration // of the last step; 0 if the Auth was repeated
}

// Host admits clients: it is the host's side of PROTOCOL.md 18 as a pure machine. A stranger costs it no memory before its cookie came back.
// now is in nanoseconds of a monotonic clock, unix in seconds of the calendar. It belongs to one goroutine at a time.
type Host struct {
	opaque
	cfg    HostConfig
	static x25519.Private
	public Key
	random *rand.ChaCha8
	now    int64

	strangers rate.Bucket
	exchanges rate.Bucket
	attempts  rate.Sources
	sites     rate.Sources

	cookies     cookies
	tokenKeys   []TokenKey // that of tickets first
	used        usedTokens
	unconfirmed unconfirmedTable
	resets      resets
	joined      []Join

	scratch []byte
	tried   uint64 // messages 1 that were read
}

// NewHost makes a host.
func NewHost(now int64, c HostConfig) (*Host, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	h := &Host{cfg: c, static: c.Static.pair(), random: rand.NewChaCha8(c.Seed), now: now, scratch: make([]byte, 0, framing.MaxDatagram)}
	h.public = Key(h.static.Public())
	h.cookies.random = h.random
	attemptsKey, resetsKey := drawHashKey(h.random), drawHashKey(h.random)
	h.attempts, h.sites = rate.NewSources(attemptsLimit, attemptsKey), rate.NewSites(sitesLimit, attemptsKey)
	h.resets = resets{key: c.Static.derive(resetLabel), sources: rate.NewSources(resetsFromLimit, resetsKey), all: rate.Full}
	h.strangers, h.exchanges = rate.Full, rate.Full
	h.setTokenKeys(c.TokenKeys)
	return h, nil
}

// SetTokenKeys replaces the keys that open connect tokens. While one key is replaced by another, give both.
func (h *Host) SetTokenKeys(keys ...TokenKey) error {
	if err := CheckTokenKeys(keys); err != nil {
		return err
	}
	h.setTokenKeys(keys)
	return nil
}

func (h *Host) setTokenKeys(keys []TokenKey) {
	h.tokenKeys = append([]TokenKey{ticketKey(&h.cfg.Static)}, keys...)
}

// Key is the static public key of the host.
func (h *Host) Key() Key { return h.public }

// Exchanges is how many messages 1 the host has computed with public keys for. What is dropped before costs none.
func (h *Host) Exchanges() uint64 { return h.tried }

// Ticket makes the token and the psk by which the client of a session comes back, PROTOCOL.md 19.2. They are for that client alone.
func (h *Host) Ticket(unix int64, who Identity, peerID uint16) (ticket []byte, psk Secret) {
	return issueTicket(&h.tokenKeys[0], h.random, unix, &who, peerID)
}

// Handle handles a datagram that belongs to no session that Poll gave. It appends the answer to dst, if there is one, which must go back to
// where the datagram came from. An answer is never longer than the datagram. After it, call Poll.
func (h *Host) Handle(now, unix int64, dst, d []byte, from netip.AddrPort) (answer []byte, drop framing.Drop) {
	h.Tick(now)
	kind, drop := handshake.Head(d, framing.Host)
	if drop != framing.Accepted {
		return dst, drop
	}
	switch kind {
	case handshake.KindHello:
		return h.hello(dst, d, from)
	case handshake.KindAuth:
		return h.auth(unix, dst, d, from)
	default:
		return h.sealed(unix, dst, d, from)
	}
}

// Poll gives the next session that was confirmed. The datagram that confirmed it belongs to the session and is not opened yet.
func (h *Host) Poll() (j Join, ok bool) {
	if len(h.joined) == 0 {
		return Join{}, false
	}
	j = h.joined[0]
	h.joined = slices.Delete(h.joined, 0, 1)
	return j, true
}

// NextDeadline is when Tick has to be called.
func (h *Host) NextDeadline() int64 {
	if u := h.unconfirmed.oldest(); u != nil {
		return u.ends()
	}
	return never
}

// Tick ends what was not confirmed in time.
func (h *Host) Tick(now int64) {
	h.now = max(h.now, now)
	for u := h.unconfirmed.oldest(); u != nil && h.now >= u.ends(); u = h.unconfirmed.oldest() {
		h.forget(u)
	}
}

func (u *unconfirmed) ends() int64 { return u.began + unconfirmedLife }

// forget ends a session that was not confirmed.
func (h *Host) forget(u *unconfirmed) {
	if u.waiting {
		h.cfg.Peers.FreePeerID(u.join.PeerID)
	}
	h.unconfirmed.remove(u)
}

func (h *Host) hello(dst, d []byte, from netip.AddrPort) ([]byte, framing.Drop) {
	who, drop := handshake.ParseHello(d)
	switch {
	case drop != framing.Accepted && drop != framing.DropVersion:
		return dst, drop
	case !h.strangers.Within(h.now, strangersLimit):
		return dst, framing.DropRate
	case drop == framing.DropVersion:
		return h.refuse(dst, who, handshake.RefusedVersion), drop
	}
	return handshake.AppendChallenge(dst, &handshake.Challenge{
		To: who, Cookie: h.cookies.bake(h.now, who, from), HostKey: h.public,
	}), framing.Accepted
}

func (h *Host) refuse(dst []byte, who handshake.Asker, code handshake.Code) []byte {
	if who.ID == 0 {
		return dst
	}
	return handshake.AppendSecureRefuse(dst, handshake.SecureRefuse{To: who, Code: code})
}

// sealed handles a Sealed with an id that no session has: it confirms one, or belongs to one that is over.
func (h *Host) sealed(unix int64, dst, d []byte, from netip.AddrPort) ([]byte, framing.Drop) {
	head, drop := handshake.ParseSealed(d)
	if drop != framing.Accepted {
		return dst, drop
	}
	u := h.unconfirmed.waiting(head.ID)
	switch {
	case u == nil:
		return h.resets.answer(h.now, dst, head.ID, from.Addr()), framing.DropNoPeer
	case u.join.From != from:
		return dst, framing.DropNoPeer // who got a Reset now could end the session later
	}
	if drop := u.join.Session.authentic(h.scratch[:0], d); drop != framing.Accepted {
		return dst, drop
	}
	return dst, h.confirm(unix, u)
}

// confirm hands a session out. A token that names no client is taken only now: who opened message 2 has the psk.
func (h *Host) confirm(unix int64, u *unconfirmed) framing.Drop {
	if u.token != nil && !u.token.bound() {
		if drop := h.used.take(u.token, u.join.Identity.Key, unix); drop != framing.Accepted {
			return drop
		}
	}
	u.waiting = false
	if !u.again {
		u.join.RTT = time.Duration(h.now - u.began)
	}
	h.joined = append(h.joined, u.join)
	if u.keys != nil {
		logKeys(h.cfg.KeyLogWriter, u.client, u.join.Session.ID(), u.keys)
	}
	return framing.Accepted
}
