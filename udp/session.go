package udp

import (
	"net/netip"
	"slices"
	"time"

	"github.com/gannet-net/gannet/reliable"
	"github.com/gannet-net/gannet/secure"
)

// session is what a connection of the secure protocol has beyond that of the base protocol.
type session struct {
	sealer *secure.Session // nil while a client joins
	client *secure.Client  // nil at a host

	peer        secure.Identity
	fingerprint [8]byte // of the peer
	peerID      uint16  // that the host gave
	verified    bool    // the host is known to be the one that was meant

	paths          secure.Paths // at a host: to where datagrams go
	candidateLocal netip.Addr   // and the address of ours that the client uses where it may be now

	ticket   *Ticket // at a client: the newest, nil before there is one
	ticketAt int64   // at a host: when the client needs a new one

	trial runTrial

	exchange *exchange // of descriptions, nil unless the catalogues differ
	probing  probing

	early int // at a host: bytes that came before the client was admitted, signs of life apart

	waiting bool  // a client does not know yet whether the host admits it
	until   int64 // when it stops waiting
}

// secureEndpoint makes the machine of a session.
func (e *engine) secureEndpoint(c *Conn, rtt, silence time.Duration) *reliable.Endpoint {
	cfg := e.machineConfig(c.remote)
	if c.differs() {
		boundExchange(&cfg)
	}
	cfg.Sealer, cfg.HandshakeRTT, cfg.Seed = c.session.sealer, rtt, e.draw32()
	cfg.PeerID = c.session.peerID
	cfg.Heartbeat = heartbeatFor(e.cfg.Heartbeat, silence)
	return reliable.New(e.now, cfg)
}

// heartbeatFor is how often a peer has to be told that this side lives if so long a silence ends the session there, 0 if that is not known.
// Nobody can ask for more than ten heartbeats a second, or thirteen if each is sent as soon as the peer is heard.
func heartbeatFor(own, silence time.Duration) time.Duration {
	if silence == 0 {
		return own
	}
	return min(own, max(silence/3, 100*time.Millisecond))
}

// Identity is who the peer is, as far as the secure protocol tells: at a host what proved the client to be so, at a client the key of the host.
// On the base protocol it is zero, which is secure.ByNothing.
func (c *Conn) Identity() secure.Identity {
	c.e.mu.Lock()
	defer c.e.mu.Unlock()
	if c.plain {
		return secure.Identity{}
	}
	who := c.session.peer
	who.UserData = slices.Clone(who.UserData)
	return who
}

// Encrypted reports whether the connection is of the secure protocol.
func (c *Conn) Encrypted() bool { return !c.plain }

// Authenticated reports the same: what is encrypted is proved to be from the peer as well.
func (c *Conn) Authenticated() bool { return c.Encrypted() }

// HostVerified reports, at a client, whether the host has proved to be the one that was meant: by Config.HostKey, or by Config.Token. Without,
// somebody on the path may have taken its place.
func (c *Conn) HostVerified() bool {
	c.e.mu.Lock()
	defer c.e.mu.Unlock()
	return !c.plain && c.session.verified
}

// ChannelBinding is the same at both ends, and of no other connection: sign it to tie a login to this one. It is zero on the base protocol, and
// before a client is connected.
func (c *Conn) ChannelBinding() [32]byte {
	c.e.mu.Lock()
	defer c.e.mu.Unlock()
	if c.plain || c.session.sealer == nil {
		return [32]byte{}
	}
	return c.session.sealer.Binding()
}

// Fingerprint is that of the peer's Config.Catalogue, zero before a client is connected and on the base protocol.
func (c *Conn) Fingerprint() [8]byte {
	c.e.mu.Lock()
	defer c.e.mu.Unlock()
	if c.plain {
		return [8]byte{}
	}
	return c.session.fingerprint
}
