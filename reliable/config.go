package reliable

import (
	"fmt"
	"time"

	"github.com/gannet-net/gannet/framing"
)

const (
	// Window is how far ahead of the next expected sequence a message may be (PROTOCOL.md 4.2).
	Window = 1024
	// MaxInFlight is how many reliable messages may be unacknowledged at once (PROTOCOL.md 4.4).
	MaxInFlight = 256

	connectInterval  = int64(250 * time.Millisecond)
	disconnectCopies = 8
	disconnectGap    = int64(10 * time.Millisecond)

	maxCeiling        = 8 << 30 // bytes a second; more would overflow what limits are counted in
	datagramOverhead  = 28      // IPv4 and UDP headers, counted in budgets
	pacingBurst       = 10 * framing.MaxDatagram
	amplification     = 3
	amplificationBase = 64
)

// Config says how an [Endpoint] behaves. Zero fields take the defaults that their comments name.
type Config struct {
	// Role is the side that this endpoint is: framing.Client or framing.Host.
	Role framing.Role
	// Version is sent in Connect and expected there; HRD-LOCAL-1.
	Version string
	// PeerID is the id that a host gives to this client: 1 to 250 on the base protocol, 1 to 65535 on the packet wire.
	PeerID uint16

	Heartbeat   time.Duration // silence of our own after which a Heartbeat is sent, on the packet wire a little before (PROTOCOL.md 11); 1 s
	Timeout     time.Duration // silence of the peer that ends the session; 10 s, at least 3 heartbeats
	Linger      time.Duration // how long a graceful close may take; 3 s
	DialTimeout time.Duration // how long a client asks for an answer; 10 s
	Unconfirmed time.Duration // how long a host keeps a client that asks no more and was not heard; 5 s

	FirstSend    int32 // sequence of the first reliable message that is sent; 0
	FirstReceive int32 // sequence of the first reliable message that is expected; 0

	// SendCeiling is the most that is sent to the peer, in bytes a second, in bursts of 10 datagrams; 4 MiB. What it holds back makes up for up
	// to 20 ms in which the endpoint is not polled. What is accepted from the peer is twice that. Negative is no limit in either direction.
	SendCeiling int64
	// Budget is how many bytes may be sent for each byte sent for the first time, in percent, 100 to 400; 130. It bounds copies
	// that are sent on suspicion; what is known to be missing is always sent again.
	Budget int

	SendQueueBytes    int // reliable bytes that Send takes before it reports that the queue is full, and a quarter more of unreliable ones; 2 MiB
	SendQueueMessages int // likewise in messages; 4096
	UnreadBytes       int // what waits for PollEvent before nothing more is taken; 1 MiB
	UnreadMessages    int // likewise in messages; 1000. If it is above 1024, streams that the peer uses up have a window of as many, 4096 at most
	WindowBytes       int // what is stored out of order; 1.5 MiB

	// Sealer, if not nil, makes the endpoint speak the packet wire. It starts connected: the handshake is over.
	Sealer Sealer
	// HandshakeRTT is the round trip that the handshake took, 0 if unknown. Packet wire only.
	HandshakeRTT time.Duration
	// Seed chooses the packet numbers that are left out; it must not be guessable. Packet wire only.
	Seed [32]byte
	// AckOnTick lets acks wait for a packet that leaves anyway, for up to 50 ms: for games whose both sides send 20 times a
	// second or more. Packet wire only.
	AckOnTick bool

	// Background lets bulk give way to all other flows on its path, for downloads that nobody waits for. Packet wire only.
	Background bool

	// Channels say how channels compete; those beyond the end of it are of ClassGame and weight 1.
	Channels []Channel

	// Loopback says that the peer is known to be on this machine: no send ceiling, no limit on what comes in, and no bound
	// on what is sent before the peer was heard.
	Loopback bool

	// Pool holds the messages; an own one if nil.
	Pool *Pool

	// Trace, if not nil, is called for everything that decides about a message. It must not call the endpoint.
	Trace func(TraceEvent)
}

// Check reports the first setting that is out of range. Zero fields are in range.
func (c Config) Check() error {
	c = c.withDefaults()
	switch {
	case c.Sealer == nil && c.PeerID > framing.MaxPeerID:
		return fmt.Errorf("PeerID is %d: on the base protocol it must be at most %d", c.PeerID, framing.MaxPeerID)
	case c.Heartbeat < time.Millisecond:
		return fmt.Errorf("Heartbeat is %v: it must be at least 1ms", c.Heartbeat)
	case c.Timeout < 3*c.Heartbeat:
		return fmt.Errorf("Timeout is %v: it must be at least three times Heartbeat (%v), so that two lost heartbeats do no harm", c.Timeout, c.Heartbeat)
	case c.Timeout > time.Hour, c.Linger > time.Hour, c.DialTimeout > time.Hour:
		return fmt.Errorf("Timeout, Linger and DialTimeout must be at most 1h")
	case c.Linger < 0, c.DialTimeout < 0, c.Unconfirmed < 0:
		return fmt.Errorf("Linger, DialTimeout and Unconfirmed must not be negative")
	case c.Budget < 100 || c.Budget > 400:
		return fmt.Errorf("Budget is %d: it is a percentage from 100 to 400", c.Budget)
	case c.SendCeiling > 0 && c.SendCeiling < framing.MaxDatagram:
		return fmt.Errorf("SendCeiling is %d bytes a second: it must be at least one datagram of %d, or negative for no limit", c.SendCeiling, framing.MaxDatagram)
	case c.SendCeiling > maxCeiling:
		return fmt.Errorf("SendCeiling is %d bytes a second: it must be at most 8 GiB, or negative for no limit", c.SendCeiling)
	case c.SendQueueBytes < framing.MaxDatagram || c.SendQueueBytes > 1<<30:
		return fmt.Errorf("SendQueueBytes is %d: it must be from %d to 1 GiB", c.SendQueueBytes, framing.MaxDatagram)
	case c.SendQueueMessages < 1 || c.SendQueueMessages > 1<<20:
		return fmt.Errorf("SendQueueMessages is %d: it must be from 1 to 1048576", c.SendQueueMessages)
	case c.UnreadBytes < framing.MaxDatagram || c.UnreadBytes > 1<<30:
		return fmt.Errorf("UnreadBytes is %d: it must be from %d to 1 GiB", c.UnreadBytes, framing.MaxDatagram)
	case c.UnreadMessages < 1 || c.UnreadMessages > 1<<20:
		return fmt.Errorf("UnreadMessages is %d: it must be from 1 to 1048576", c.UnreadMessages)
	case c.WindowBytes < framing.MaxDatagram || c.WindowBytes > 1<<30:
		return fmt.Errorf("WindowBytes is %d: it must be from %d to 1 GiB", c.WindowBytes, framing.MaxDatagram)
	}
	if err := checkChannels(c.Channels); err != nil {
		return err
	}
	return framing.CheckVersion(c.Version)
}

func (c Config) withDefaults() Config {
	set(&c.Version, framing.BaseVersion)
	set(&c.Heartbeat, time.Second)
	set(&c.Timeout, 10*time.Second)
	set(&c.Linger, 3*time.Second)
	set(&c.DialTimeout, 10*time.Second)
	set(&c.Unconfirmed, 5*time.Second)
	set(&c.SendCeiling, 4<<20)
	set(&c.Budget, 130)
	set(&c.SendQueueBytes, 2<<20)
	set(&c.SendQueueMessages, 4096)
	set(&c.UnreadBytes, 1<<20)
	set(&c.UnreadMessages, 1000)
	set(&c.WindowBytes, 3<<19)
	if c.Pool == nil {
		c.Pool = new(Pool)
	}
	if c.Loopback {
		c.SendCeiling = -1
	}
	return c
}

func set[T comparable](field *T, value T) {
	var zero T
	if *field == zero {
		*field = value
	}
}

func (c Config) sendLimit() limit {
	if c.SendCeiling < 0 {
		return limit{}
	}
	return limit{perSecond: c.SendCeiling, burst: pacingBurst}
}

// receiveLimit lets a quarter of a second pass at once, so that a sender at its ceiling may bunch.
func (c Config) receiveLimit() limit {
	if c.SendCeiling < 0 {
		return limit{}
	}
	return limit{perSecond: 2 * c.SendCeiling, burst: max(c.SendCeiling/2, 4*pacingBurst)}
}
