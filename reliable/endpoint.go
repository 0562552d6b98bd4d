package reliable

import (
	"math"

	"github.com/gannet-net/gannet/framing"
)

const (
	never = int64(math.MaxInt64)

	controlFrame = 5 // the longest frame that a host sends on its own account
)

// Endpoint is one side of one connection. Make it with New; see the package comment for how to drive it.
type Endpoint struct {
	cfg   *Config // shared with other endpoints
	pool  *Pool
	count counters
	drops *framing.Drops // nil before the first

	now    int64 // latest time seen; time never runs backwards in here
	state  State
	up     bool // the event that says that the session is connected was not read yet
	peerID uint16
	cohort uint16 // of the packets that are sent, packet wire only, as are the next four
	code   uint16 // of our Disconnect
	text   []byte // likewise

	lostSince  uint32 // packets of this cohort that were lost
	lostBefore uint32 // likewise of the one before

	upAt int64  // when the session was connected
	last *Event // the final event, nil when there is none to read

	// Timers of the session, see timers.go.
	connects     int32 // Connects sent
	goodbyes     int8  // Disconnects still to send
	farewells    int8  // likewise, each in answer to a packet that comes after the end; packet wire only
	parted       bool  // the peer has sent a Disconnect
	connectedAt  int64 // when the last Connect left
	connectAt    int64 // when the next one is due
	started      int64 // when a client began to ask, or when a host was last asked
	heard        int64 // when the peer was last heard, moved forward once after a stall of our own
	promised     int64 // the deadline that the caller was last told
	back         int64 // when this side ran again after it had not for long
	said         int64 // when we last sent anything but repairs
	lingerUntil  int64
	goodbyeAt    int64
	forgiven     bool // heard was moved, since the peer was last heard
	settled      bool // promised still holds: no input came since
	confirmed    bool
	held         bool // something waits until the peer is heard again
	acceptDue    bool
	heartbeatDue bool
	repeating    bool // the datagram that is made is a repair
	pressed      bool // more would have left in the last turn if the send ceiling had let it

	// What may be sent to and taken from the peer.
	sending, receiving                gcra
	sendLimit, receiveLimit           limit
	sentUnconfirmed, heardUnconfirmed int64

	acks    ring[int32]
	repeats ring[repeatedAck]

	queue  sendQueue
	repair repairControl
	rtt    rttEstimator

	packets *packetWire // nil on the base protocol

	window  receiveWindow
	unread  unreadQueue
	reverse ackLoss
}

// New makes an endpoint. A client starts by asking for a connection, a host by accepting one: the client's Connect was checked by
// whoever made the endpoint. c must satisfy Config.Check.
func New(now int64, c Config) *Endpoint {
	c = c.withDefaults()
	e := &Endpoint{
		cfg: c.Pool.config(c), pool: c.Pool, now: now,
		started: now, heard: now, said: now, back: math.MinInt64, connectAt: now,
		sending: gcra{now}, sendLimit: c.sendLimit(),
		receiving: gcra{now}, receiveLimit: c.receiveLimit(),
		rtt: newRTTEstimator(),
	}
	e.queue.init()
	e.repair.init()
	e.window.next = c.FirstReceive
	if c.Sealer != nil {
		e.packets = newPacketWire(&c)
		if c.HandshakeRTT > 0 {
			e.rtt.sample(now, int64(c.HandshakeRTT))
		}
		e.peerID, e.confirmed = c.PeerID, true
		if c.Role == framing.Client {
			e.said = now - connectInterval // it confirms the session at once
		}
		e.connected(now)
		return e
	}
	if c.Role == framing.Host {
		e.peerID = c.PeerID
		e.acceptDue = true
		e.connected(now)
	}
	return e
}

// advance takes the time of an input, which must not run backwards.
func (e *Endpoint) advance(now int64) int64 {
	e.settled = false
	e.noteAbsence(now)
	e.now = max(e.now, now)
	return e.now
}

// HandleDatagram takes one datagram that came from the peer's address. d is not kept. It returns framing.Accepted, or the
// counter in which the datagram ended (PROTOCOL.md 6).
func (e *Endpoint) HandleDatagram(now int64, d []byte) framing.Drop {
	now = e.advance(now)
	e.heardUnconfirmed += int64(len(d))
	e.held = false
	drop := e.handle(now, d)
	e.count.DatagramsReceived++
	e.count.BytesReceived += uint64(len(d))
	if drop != framing.Accepted {
		e.countDrop(drop)
	}
	return drop
}

func (e *Endpoint) handle(now int64, d []byte) framing.Drop {
	if e.packets != nil {
		return e.handleSealed(now, d)
	}
	f, drop := framing.Parse(d, e.cfg.Role)
	if drop != framing.Accepted {
		e.meetHost(now, d, drop)
		return drop
	}
	if !e.Charge(now, len(d)) {
		return framing.DropRate
	}
	return e.dispatch(now, f)
}

// Charge takes a datagram of n bytes out of the inbound budget (PROTOCOL.md 6), and reports false if that is used up. HandleDatagram does it
// itself; this is for a datagram of the peer that somebody else answers.
func (e *Endpoint) Charge(now int64, n int) bool {
	if now < e.receiving.ready(e.receiveLimit) {
		return false
	}
	e.receiving.spend(now, e.receiveLimit, n+datagramOverhead)
	return true
}

func (e *Endpoint) dispatch(now int64, f framing.Frame) framing.Drop {
	switch f.Kind {
	case framing.KindConnect:
		return e.handleConnect(now)
	case framing.KindAccept:
		return e.handleAccept(now, f)
	case framing.KindRefuse:
		return e.handleRefuse(now, f)
	case framing.KindDisconnect:
		return e.handleDisconnect(now)
	}
	switch e.state {
	case StateConnecting:
		return framing.DropEarly
	case StateClosed:
		return framing.DropClosed
	}
	return e.exchange(now, f)
}

// exchange handles the kinds that flow while a session stands, and that confirm its peer.
func (e *Endpoint) exchange(now int64, f framing.Frame) framing.Drop {
	drop := framing.Accepted
	switch f.Kind {
	case framing.KindUnreliable:
		drop = e.handleUnreliable(now, f.Payload)
	case framing.KindReliable:
		drop = e.handleReliable(now, f.Seq, f.Payload)
	case framing.KindAck:
		drop = e.handleAck(now, f.Seq)
	}
	if drop != framing.DropAckUnsent {
		e.confirmed = true
		e.hear(now)
	}
	return drop
}

// hear notes that the peer is alive.
func (e *Endpoint) hear(now int64) { e.heard, e.forgiven = now, false }

// PollDatagram appends the next datagram to dst, or returns it as it is when there is none at this time. It runs
// the timers that are due.
func (e *Endpoint) PollDatagram(now int64, dst []byte) []byte {
	if e.settled && now < e.promised {
		e.now = max(e.now, now)
		return dst
	}
	now = e.advance(now)
	e.runTimers(now)
	start := len(dst)
	e.repeating = false
	dst = e.appendNext(now, dst)
	n := len(dst) - start
	if n == 0 {
		e.promised, e.settled = e.NextDeadline(), true
		e.pressed = e.atCeiling(now)
		return dst
	}
	e.sentUnconfirmed += int64(n)
	e.heartbeatDue = e.heartbeatDue && e.repeating
	if !e.repeating {
		e.said = now
	}
	e.pay(now, n+datagramOverhead)
	e.count.DatagramsSent++
	e.count.BytesSent += uint64(n)
	return dst
}

// appendNext chooses what to send: control frames, then repairs, then messages.
func (e *Endpoint) appendNext(now int64, dst []byte) []byte {
	if e.packets != nil {
		return e.appendPacket(now, dst)
	}
	start := len(dst)
	if !e.affords(controlFrame) {
		e.goodbyes = 0
		return dst
	}
	if dst = e.appendControl(now, dst); len(dst) > start {
		return dst
	}
	if e.state != StateConnected && e.state != StateClosing || now < e.sending.ready(e.sendLimit) {
		return dst
	}
	if dst = e.appendRepair(now, dst); len(dst) > start {
		e.repeating = true
		return dst
	}
	return e.appendBaseMessage(now, dst)
}

// appendControl appends the next frame that is not a message.
func (e *Endpoint) appendControl(now int64, dst []byte) []byte {
	switch {
	case e.state == StateConnecting && now >= e.connectAt:
		e.connects++
		e.connectedAt, e.connectAt = now, now+connectInterval
		return framing.AppendConnect(dst, e.cfg.Version)
	case e.acceptDue:
		e.acceptDue = false
		return framing.AppendAccept(dst, uint8(e.peerID))
	case e.acks.len() > 0:
		return framing.AppendAck(dst, e.acks.pop())
	case e.repeats.len() > 0 && now >= e.repeats.front().at:
		return framing.AppendAck(dst, e.repeats.pop().seq)
	case e.goodbyes > 0 && now >= e.goodbyeAt:
		e.goodbyes--
		e.goodbyeAt = now + disconnectGap
		return framing.AppendDisconnect(dst)
	case e.heartbeatDue:
		return framing.AppendHeartbeat(dst)
	}
	return dst
}

// affords bounds what a host sends to an address that never proved that it hears (PROTOCOL.md 3.3). What is held back waits for
// the peer's next datagram.
func (e *Endpoint) affords(n int) bool {
	if e.confirmed || e.cfg.Loopback || e.cfg.Role == framing.Client {
		return true
	}
	if e.sentUnconfirmed+int64(n) > max(amplificationBase, amplification*e.heardUnconfirmed) {
		e.held = true
		return false
	}
	return true
}
