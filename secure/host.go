package secure

import (
	"crypto/sha256"
	"errors"
	"math"
	"math/rand/v2"
	"net/netip"
	"slices"
	"time"

	"github.com/flynn/noise"

	"github.com/gannet-net/gannet/framing"
	"github.com/gannet-net/gannet/framing/handshake"
)

// Peers is what a [Host] asks of whoever keeps the sessions.
type Peers interface {
	// TakePeerID gives a peer id that is free, 1 to 65000, and 0 if there is none.
	TakePeerID() uint16
	// FreePeerID takes back one whose session was never confirmed.
	FreePeerID(id uint16)
	// HasSession reports whether a session has the host id.
	HasSession(id uint32) bool
}

// HostConfig says how a [Host] admits clients. All but Seed, Static and Peers may be zero.
type HostConfig struct {
	// Seed is where all randomness comes from: 32 bytes of crypto/rand, new for each run.
	Seed Secret
	// Static is the private key by which clients know this host. It is kept from run to run; what reset tokens and tickets need comes from it.
	Static Secret
	// Peers keeps the sessions.
	Peers Peers

	Name         [16]byte   // that connect tokens for this host have
	TokenKeys    []TokenKey // that open them; SetTokenKeys replaces them
	RequireToken bool       // nobody comes in without a connect token or a resume ticket

	Fingerprint [8]byte       // of the messages and calls of the application
	Silence     time.Duration // that ends a session at this side, told to clients; in whole milliseconds
	RekeyAfter  int64         // packets of one epoch, both directions together; 2^24 if zero
}

func (c *HostConfig) check() error {
	switch {
	case c.Seed.isZero():
		return errors.New("secure: HostConfig.Seed is zero: fill it from crypto/rand")
	case c.Static.isZero():
		return errors.New("secure: HostConfig.Static is zero: draw it from crypto/rand once, and keep it")
	case c.Peers == nil:
		return errors.New("secure: HostConfig.Peers is nil: somebody has to give out peer ids")
	case c.Silence < 0, c.Silence/time.Millisecond > math.MaxUint32, c.RekeyAfter < 0, c.RekeyAfter > epochPackets:
		return errors.New("secure: HostConfig.Silence must be 0 to 49 days, RekeyAfter 0 to 2^24")
	}
	return checkTokenKeys(c.TokenKeys)
}

func checkTokenKeys(keys []TokenKey) error {
	for i, k := range keys {
		switch {
		case k.ID == ticketKeyID:
			return errors.New("secure: a TokenKey has ID 0, which is for resume tickets")
		case k.Key.isZero():
			return errors.New("secure: a TokenKey has a Key of zeros")
		case findKey(keys[:i], k.ID) != nil:
			return errors.New("secure: two TokenKeys have the same ID")
		}
	}
	return nil
}

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
	static noise.DHKey
	public Key
	random *rand.ChaCha8
	now    int64

	strangers gcra
	exchanges gcra
	attempts  addressBudgets

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
	h.public = Key(h.static.Public)
	h.cookies.random = h.random
	h.attempts = addressBudgets{rate: attemptsRate, key: drawSecret(h.random)}
	h.resets = resets{key: c.Static.derive(resetLabel), budgets: addressBudgets{rate: resetsFromRate, key: drawSecret(h.random)}}
	h.strangers, h.exchanges, h.resets.all = gcra(now), gcra(now), gcra(now)
	h.setTokenKeys(c.TokenKeys)
	return h, nil
}

// SetTokenKeys replaces the keys that open connect tokens. While one key is replaced by another, give both.
func (h *Host) SetTokenKeys(keys ...TokenKey) error {
	if err := checkTokenKeys(keys); err != nil {
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
	case !h.strangers.allow(h.now, strangersRate):
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

// auth makes the checks of PROTOCOL.md 21 up to the budgets; what comes after costs public keys.
func (h *Host) auth(unix int64, dst, d []byte, from netip.AddrPort) ([]byte, framing.Drop) {
	a, drop := handshake.ParseAuth(d)
	switch {
	case drop != framing.Accepted:
		return dst, drop
	case !h.strangers.allow(h.now, strangersRate):
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
	case !h.attempts.allow(h.now, from.Addr()) || !h.exchanges.allow(h.now, exchangesRate):
		return dst, framing.DropRate
	}
	u := &unconfirmed{client: a.From.ID, digest: digest, began: h.now, waiting: true}
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
	h.makeRoom(u)
	u.join.PeerID = h.cfg.Peers.TakePeerID()
	if u.join.PeerID == 0 {
		return framing.DropFull
	}
	id := h.drawID()
	payload := handshake.AppendPayload2(nil, &handshake.Payload2{
		HostID: id, PeerID: u.join.PeerID, TimeoutMS: milliseconds(h.cfg.Silence),
		ResetToken: h.resets.token(id, u.join.From.Addr()), Fingerprint: h.cfg.Fingerprint,
	})
	var psk Secret
	if t != nil {
		psk = t.psk
	}
	x.usePSK(&psk)
	answer, err := x.write(handshake.AppendSecureAcceptHead(u.answer[:0], u.client), payload)
	if err != nil {
		h.cfg.Peers.FreePeerID(u.join.PeerID)
		return framing.DropNoise
	}
	copy(u.answer[:], answer)
	u.join.Session = h.newSession(&x.keys, id, u.client)
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

// makeRoom ends what the client tried before, or the oldest if there are too many.
func (h *Host) makeRoom(u *unconfirmed) {
	if before := h.unconfirmed.of(u.client, u.join.Identity.Key); before != nil {
		h.forget(before)
	}
	if len(h.unconfirmed.rows) >= maxUnconfirmed {
		h.forget(h.unconfirmed.oldest())
	}
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

// sealed handles a Sealed with an id that no session has: it confirms one, or belongs to one that is over.
func (h *Host) sealed(unix int64, dst, d []byte, from netip.AddrPort) ([]byte, framing.Drop) {
	head, drop := handshake.ParseSealed(d)
	if drop != framing.Accepted {
		return dst, drop
	}
	u := h.unconfirmed.waiting(head.ID, from)
	if u == nil {
		return h.resets.answer(h.now, dst, head.ID, from.Addr()), framing.DropNoPeer
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
	return framing.Accepted
}
