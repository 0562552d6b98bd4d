package secure

import (
	"math"
	"math/rand/v2"
	"time"

	"github.com/gannet-net/gannet/framing"
	"github.com/gannet-net/gannet/framing/handshake"
	"github.com/gannet-net/gannet/internal/x25519"
)

const (
	repeatInterval = int64(250 * time.Millisecond)
	staleAfter     = int64(2 * time.Second)
	dialTimeout    = 10 * time.Second

	never = math.MaxInt64
)

// Joined is a session from the client's side.
type Joined struct {
	Session     *Session
	PeerID      uint16 // that the host gave to this client
	HostKey     Key
	Verified    bool // HostKey is the one that the client knew before
	Fingerprint [8]byte
	Silence     time.Duration // that ends the session at the host; 0 if it does not say
	Admitted    bool          // the client is in; else the first packet of the host tells
	RTT         time.Duration // that the last step took; 0 if an Auth was repeated
}

// Client joins one host: it is the client's side of PROTOCOL.md 18 as a pure machine. After every input, and when NextDeadline is reached, call
// PollDatagram until it appends nothing, then Outcome. now is in nanoseconds of a monotonic clock. It belongs to one goroutine at a time.
type Client struct {
	opaque
	cfg    ClientConfig
	static x25519.Private
	random *rand.ChaCha8
	who    handshake.Asker

	started       int64
	helloAt       int64 // when the next Hello is due
	challengeTook int64

	attempt *attempt // the newest; nil before the first Challenge
	failure DialError

	joined *Joined
	err    error
}

// attempt is an Auth on its way.
type attempt struct {
	exchange *exchange
	hostKey  Key
	datagram []byte
	began    int64
	at       int64 // when it is due again
	sent     int
}

// NewClient starts to join.
func NewClient(now int64, c ClientConfig) (*Client, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	if c.DialTimeout == 0 {
		c.DialTimeout = dialTimeout
	}
	k := &Client{cfg: c, random: rand.NewChaCha8(c.Seed), started: now, helloAt: now}
	k.who.ID = uint32(1 + k.random.Uint64()%math.MaxUint32)
	draw(k.random, k.who.Random[:])
	if k.cfg.Static.isZero() {
		k.cfg.Static = drawSecret(k.random)
	}
	k.static = k.cfg.Static.pair()
	return k, nil
}

// Outcome tells how the dial ended: with a session, or with a *DialError. Both are nil as long as it goes on.
func (c *Client) Outcome() (*Joined, error) { return c.joined, c.err }

func (c *Client) over() bool { return c.joined != nil || c.err != nil }

// NextDeadline is when something has to be sent, or the time is over.
func (c *Client) NextDeadline() int64 {
	if c.over() {
		return never
	}
	at := min(c.helloDue(), c.started+int64(c.cfg.DialTimeout))
	if c.attempt != nil {
		at = min(at, c.attempt.at)
	}
	return at
}

// helloDue is when the next Hello is due: with an Auth on its way, not before that is stale.
func (c *Client) helloDue() int64 {
	if c.attempt != nil {
		return max(c.helloAt, c.staleAt())
	}
	return c.helloAt
}

func (c *Client) staleAt() int64 { return c.attempt.began + staleAfter + c.challengeTook }

// PollDatagram appends the next datagram that is due to dst, or nothing.
func (c *Client) PollDatagram(now int64, dst []byte) []byte {
	switch {
	case c.over():
	case now >= c.started+int64(c.cfg.DialTimeout):
		c.err = &c.failure
	case c.attempt != nil && now >= c.attempt.at:
		c.attempt.at = now + repeatInterval
		c.attempt.sent++
		return append(dst, c.attempt.datagram...)
	case now >= c.helloDue():
		c.helloAt = now + repeatInterval
		return handshake.AppendHello(dst, c.who)
	}
	return dst
}

// HandleDatagram handles a datagram that came from the address that was dialled.
func (c *Client) HandleDatagram(now int64, d []byte) framing.Drop {
	kind, drop := handshake.Head(d, framing.Client)
	if drop != framing.Accepted {
		return drop
	}
	switch kind {
	case handshake.KindChallenge:
		return c.challenge(now, d)
	case handshake.KindSecureAccept:
		return c.accept(now, d)
	case handshake.KindSecureRefuse:
		return c.refuse(d)
	}
	return framing.DropEarly // Sealed or Reset: for a session, and there is none
}

func (c *Client) challenge(now int64, d []byte) framing.Drop {
	ch, drop := handshake.ParseChallenge(d)
	switch {
	case drop != framing.Accepted:
		return drop
	case ch.To != c.who:
		return framing.DropEcho
	case c.over():
		return framing.DropLateAccept
	case c.attempt != nil && now < c.staleAt():
		return framing.DropDuplicate
	case c.pinned() && ch.HostKey != c.cfg.HostKey:
		c.failure.OtherKey = true
		return framing.DropHostKey
	}
	if c.attempt == nil {
		c.challengeTook = now - c.started
	}
	c.failure.Challenged = true
	return c.authenticate(now, &ch)
}

func (c *Client) pinned() bool { return c.cfg.HostKey != Key{} }

// authenticate begins a new Auth in answer to a Challenge.
func (c *Client) authenticate(now int64, ch *handshake.Challenge) framing.Drop {
	head := handshake.AppendAuthHead(make([]byte, 0, handshake.MaxAuth), c.who, &ch.Cookie, c.cfg.Token)
	x := beginAsClient(c.random, c.static, ch.HostKey, &c.cfg.PSK, head)
	payload := handshake.AppendPayload1(nil, &handshake.Payload1{
		Fingerprint: c.cfg.Fingerprint, TimeoutMS: milliseconds(c.cfg.Silence), ConnectData: c.cfg.ConnectData,
	}, len(head))
	d, err := x.write(head, payload)
	if err != nil { // the key of the host is no point to compute with
		return framing.DropNoise
	}
	c.attempt = &attempt{exchange: x, hostKey: ch.HostKey, datagram: d, began: now, at: now}
	c.helloAt = now
	return framing.Accepted
}

func milliseconds(d time.Duration) uint32 { return uint32(d / time.Millisecond) }

func (c *Client) accept(now int64, d []byte) framing.Drop {
	a, drop := handshake.ParseSecureAccept(d)
	switch {
	case drop != framing.Accepted:
		return drop
	case a.ClientID != c.who.ID:
		return framing.DropEcho
	case c.over():
		return framing.DropLateAccept
	case c.attempt == nil || c.attempt.sent == 0:
		return framing.DropEarly
	}
	plain, err := c.attempt.exchange.read(nil, a.Message2)
	if err != nil {
		return framing.DropNoise
	}
	p, ok := handshake.ParsePayload2(plain)
	switch {
	case !ok:
		return framing.DropPayload
	case p.HostID == 0, p.PeerID == 0, p.PeerID > handshake.MaxPeerID:
		return framing.DropBadID
	}
	c.join(now, &p)
	return framing.Accepted
}

func (c *Client) join(now int64, p *handshake.Payload2) {
	a := c.attempt
	s := newSession(framing.Client, &a.exchange.keys, c.who.ID, p.HostID, newAESGCM)
	s.reset = p.ResetToken
	logKeys(c.cfg.KeyLogWriter, c.who.ID, p.HostID, &a.exchange.keys)
	c.joined = &Joined{
		Session: s, PeerID: p.PeerID, HostKey: a.hostKey, Verified: c.pinned(),
		Admitted: p.Admitted, Fingerprint: p.Fingerprint, Silence: time.Duration(p.TimeoutMS) * time.Millisecond,
	}
	if a.sent == 1 {
		c.joined.RTT = time.Duration(now - a.began)
	}
	c.attempt = nil
}

func (c *Client) refuse(d []byte) framing.Drop {
	r, drop := handshake.ParseSecureRefuse(d)
	switch {
	case drop != framing.Accepted:
		return drop
	case r.To != c.who:
		return framing.DropEcho
	case c.over():
		return framing.DropLateRefuse
	}
	c.failure.Refused = r.Code
	return framing.Accepted
}
