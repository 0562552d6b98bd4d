package reliable

import (
	"strings"

	"github.com/gannet-net/gannet/framing"
	"github.com/gannet-net/gannet/framing/packet"
)

// State is where a session is in its life (PROTOCOL.md 3.1).
type State uint8

const (
	// StateConnecting: a client asks and has no answer yet.
	StateConnecting State = iota
	// StateConnected: messages flow.
	StateConnected
	// StateClosing: what Send accepted is still delivered, nothing new is taken.
	StateClosing
	// StateClosed: only goodbyes are still sent.
	StateClosed
)

// String gives the name of s.
func (s State) String() string {
	return [...]string{"connecting", "connected", "closing", "closed"}[s&3]
}

// transitions is the whole life of a session. enter is the only place that changes the state.
var transitions = [4][4]bool{
	StateConnecting: {StateConnected: true, StateClosed: true},
	StateConnected:  {StateClosing: true, StateClosed: true},
	StateClosing:    {StateClosed: true},
	StateClosed:     {},
}

func (e *Endpoint) enter(s State) {
	if !transitions[e.state][s] {
		panic("BUG: reliable: no way from " + e.state.String() + " to " + s.String())
	}
	e.state = s
}

// connected starts the exchange of messages: by the Accept at a client, at once at a host.
func (e *Endpoint) connected(now int64) {
	e.enter(StateConnected)
	e.up, e.upAt = true, now
	e.hear(now)
}

// Close ends the session gracefully: what Send accepted is delivered first, for at most the linger time. What was received and not
// read is discarded. A client that is still connecting gives up at once.
func (e *Endpoint) Close(now int64) {
	now = e.advance(now)
	switch e.state {
	case StateConnecting:
		e.end(now, ClosedLocally, "")
	case StateConnected:
		e.enter(StateClosing)
		e.discardUnread()
		e.lingerUntil = now + int64(e.cfg.Linger)
		e.endIfDelivered(now)
	}
}

// Abort ends the session at once. What was not acknowledged is lost.
func (e *Endpoint) Abort(now int64) { e.endNow(now, ClosedLocally) }

// Kick is Abort by a host that throws the peer out.
func (e *Endpoint) Kick(now int64) { e.endNow(now, Kicked) }

// Farewell sets what the peer is told when this side ends the session: an application's code and at most 256 bytes of text, cut if it is
// longer. Packet wire only: the base protocol has no words for it. Call it before Close, Abort or Kick.
func (e *Endpoint) Farewell(code uint16, text string) {
	e.code, e.text = code, []byte(framing.CutReason(strings.ToValidUTF8(text, "\uFFFD"), packet.MaxText))
}

// Fail ends the session because the socket under it is gone. Nothing more is sent.
func (e *Endpoint) Fail(now int64) { e.endNow(now, SocketFailed) }

func (e *Endpoint) endNow(now int64, cause Cause) {
	now = e.advance(now)
	if e.state != StateClosed {
		e.end(now, cause, "")
	}
}

// endIfDelivered ends a graceful close once nothing is left to deliver.
func (e *Endpoint) endIfDelivered(now int64) {
	if e.state == StateClosing && e.queue.empty() {
		e.end(now, ClosedLocally, "")
	}
}

// end closes the session, reports what becomes of its messages and starts the goodbyes.
func (e *Endpoint) end(now int64, cause Cause, reason string) {
	was := e.state
	e.enter(StateClosed)
	undelivered := e.queue.undelivered()
	e.cancelQueue(now)
	if cause == ClosedLocally || cause == Kicked {
		e.discardUnread()
	}
	if e.saysGoodbye(was, cause) {
		e.goodbyes, e.farewells, e.goodbyeAt = disconnectCopies, disconnectCopies, now
	}
	if cause != ClosedLocally && cause != Kicked && was == StateConnected {
		e.releaseAtEnd()
	}
	e.dropStored()
	if e.packets != nil {
		e.dropPackets()
	}
	e.acks, e.repeats = ring[int32]{}, ring[repeatedAck]{}
	e.acceptDue, e.heartbeatDue = false, false
	kind := EventDisconnected
	if was == StateConnecting {
		kind = EventDialFailed
	}
	e.last = &Event{Kind: kind, At: now, Cause: cause, Reason: reason, Undelivered: undelivered}
}

// releaseAtEnd hands over what waits in order although the application has more to read than it should: the peer was told that it is
// here, and it takes no more memory than the window did.
func (e *Endpoint) releaseAtEnd() {
	e.unread.unbounded = true
	if e.packets != nil {
		e.releaseStalled()
		return
	}
	e.releaseBase()
}

// saysGoodbye reports whether the peer is told. A client that gives up its dial tells too: the host may have accepted without
// our hearing of it.
func (e *Endpoint) saysGoodbye(was State, cause Cause) bool {
	if was == StateConnecting {
		return e.connects > 0 && cause != Refused && cause != SocketFailed
	}
	return cause == ClosedLocally || cause == Kicked || cause == ProtocolError
}

// Quiet reports whether the endpoint is closed and will never send again.
func (e *Endpoint) Quiet() bool { return e.state == StateClosed && e.goodbyes == 0 }

// Parted reports whether the peer's own Disconnect came, so that nobody has to tell it that the session is over.
func (e *Endpoint) Parted() bool { return e.parted }

// Finished reports whether the endpoint is quiet and every event was read.
func (e *Endpoint) Finished() bool { return e.Quiet() && !e.hasEvent() }

// State is where the session is in its life.
func (e *Endpoint) State() State { return e.state }

// PeerID is the id that the host gave to the client, 0 before that is known.
func (e *Endpoint) PeerID() uint16 { return e.peerID }

// Confirmed reports whether the peer was heard after the Accept (PROTOCOL.md 3.3). A client is confirmed once it is connected.
func (e *Endpoint) Confirmed() bool { return e.confirmed }

func (e *Endpoint) handleAccept(now int64, f framing.Frame) framing.Drop {
	switch {
	case e.state != StateConnecting:
		return framing.DropLateAccept
	case f.PeerID == 0 || f.PeerID > framing.MaxPeerID:
		return framing.DropBadID
	}
	if e.connects == 1 && !e.awaySince(e.connectedAt) {
		e.rtt.sample(now, now-e.connectedAt)
	}
	e.peerID = uint16(f.PeerID)
	e.confirmed = true
	e.connected(now)
	e.heartbeatDue = true
	return framing.Accepted
}

func (e *Endpoint) handleRefuse(now int64, f framing.Frame) framing.Drop {
	if e.state != StateConnecting {
		return framing.DropLateRefuse
	}
	e.end(now, Refused, readable(f.Text))
	return framing.Accepted
}

// meetHost ends a session that was asked for in the name of another host: a host's answer to us is an Accept, and two hosts would keep
// each other's session alive for ever (PROTOCOL.md 3.3).
func (e *Endpoint) meetHost(now int64, d []byte, drop framing.Drop) {
	if drop != framing.DropDirection || e.confirmed || e.state != StateConnected {
		return
	}
	if f, _ := framing.Parse(d, framing.Client); f.Kind == framing.KindAccept {
		e.end(now, ClosedByPeer, "")
	}
}

// handleConnect answers a repeated Connect with the same Accept. The version was checked by whoever admitted the client.
func (e *Endpoint) handleConnect(now int64) framing.Drop {
	if e.state == StateClosed {
		return framing.DropClosed
	}
	e.acceptDue = true
	if !e.confirmed { // it waits on: given up now, it would be over for the host alone
		e.started = now
		e.hear(now)
	}
	return framing.Accepted
}

func (e *Endpoint) handleDisconnect(now int64) framing.Drop {
	if e.state == StateConnecting {
		return framing.DropEarly
	}
	e.parted = true
	if e.state == StateClosed {
		e.goodbyes = 0
		return framing.Accepted
	}
	cause := ClosedByPeer
	if e.state == StateClosing {
		cause = ClosedLocally
	}
	e.end(now, cause, "")
	e.goodbyes = 0
	return framing.Accepted
}
