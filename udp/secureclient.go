package udp

import (
	"errors"
	"time"

	"github.com/gannet-net/gannet/framing"
	"github.com/gannet-net/gannet/framing/handshake"
	"github.com/gannet-net/gannet/internal/deadline"
	"github.com/gannet-net/gannet/reliable"
	"github.com/gannet-net/gannet/secure"
	"github.com/gannet-net/gannet/transport"
)

// beginJoin lets c join its host. Until there is a session, the machine of c is that of a client without an answer, and is asked for
// nothing that it would send.
func (e *engine) beginJoin(c *Conn, timeout time.Duration) {
	cfg := e.clientConfig()
	cfg.DialTimeout = timeout
	client, err := secure.NewClient(e.now, cfg)
	if err != nil {
		panic("BUG: udp: " + err.Error()) // Config.check has judged all of it
	}
	c.session = &session{client: client, waiting: true, until: e.now + int64(timeout)}
	c.ep = reliable.New(e.now, e.machineConfig(c.remote))
}

// joining reports whether c has no session yet.
func (c *Conn) joining() bool { return c.session != nil && c.session.sealer == nil && !c.ended }

// unanswered reports whether a dial has no answer yet. On the secure protocol a host may admit a client with its SecureAccept, or decide later: a
// client that it does not admit then gets a session as well, and in it the reason.
func (c *Conn) unanswered() bool {
	switch c.ep.State() {
	case reliable.StateConnecting:
		return true
	case reliable.StateConnected, reliable.StateClosing:
		return c.session != nil && c.session.waiting
	}
	return false
}

// routeToClient takes a datagram that came from the address that c dialled; c is nil if it came from another.
func (e *engine) routeToClient(c *Conn, d []byte) framing.Drop {
	kind, drop := handshake.Head(d, framing.Client)
	switch {
	case drop != framing.Accepted:
		return drop
	case c == nil:
		return framing.DropNoPeer
	}
	s := c.session
	switch {
	case s.sealer == nil || kind != handshake.KindSealed && kind != handshake.KindReset:
		drop = s.client.HandleDatagram(e.now, d)
		c = e.joined(c)
	case kind == handshake.KindReset:
		drop = s.sealer.HandleReset(d)
		if drop == framing.Accepted {
			e.forgotten(c)
		}
	default:
		drop = c.ep.HandleDatagram(e.now, d)
		c.answered()
		c.keepTicket()
		_, _ = c.ep.PollPathResponse() // that one came is all there is to know
	}
	e.touch(c)
	e.settle(c)
	e.ackAtOnce(c)
	return drop
}

// sendJoin sends what is due of the handshake of c.
func (e *engine) sendJoin(c *Conn) {
	client := c.session.client
	for d := client.PollDatagram(e.now, e.blank()); len(d) > 0; d = client.PollDatagram(e.now, e.blank()) {
		e.write(d, c.remote, c.answerFrom())
	}
	e.timers.Set(&c.timer, client.NextDeadline())
	e.settle(e.joined(c))
}

// joined takes note of the end of a handshake. The first of two addresses that gives a session is the one: what the host made for the other
// ends there by itself, since no packet confirms it. It returns the connection that has the machine of c then.
func (e *engine) joined(c *Conn) *Conn {
	if !c.joining() {
		return c
	}
	joined, err := c.session.client.Outcome()
	switch {
	case err != nil:
		e.failDial(c, &DialTimeoutError{Addr: e.dial.addr, After: e.cfg.DialTimeout, Err: err})
	case joined != nil:
		c = e.prefer(c)
		e.openSession(c, joined)
	}
	return c
}

// openSession gives c the machine of its session.
func (e *engine) openSession(c *Conn, j *secure.Joined) {
	s := c.session
	s.sealer, s.peerID, s.fingerprint = j.Session, j.PeerID, j.Fingerprint
	s.peer = secure.Identity{Kind: secure.ByKey, Key: j.HostKey}
	s.verified = e.verifies(j)
	s.exchange = e.compare(j.Fingerprint)
	s.waiting = !j.Admitted || s.exchange != nil // no host that speaks of another game is believed
	c.ep = e.secureEndpoint(c, j.RTT, j.Silence)
	if c.differs() {
		s.exchange.until = min(s.exchange.until, s.until)
		e.describe(c)
	}
}

// verifies reports whether the host is the one that was meant: it has the key that was known, or the psk that only who opens the token has. A
// ticket makes a host no better known than it was.
func (e *engine) verifies(j *secure.Joined) bool {
	if t := e.cfg.Resume; t != nil {
		return t.verified
	}
	return j.Verified || len(e.cfg.Token) > 0
}

// answered takes note of the first packet of the host. If it says goodbye, that is a refusal.
func (c *Conn) answered() {
	s := c.session
	if s.waiting && s.exchange == nil && s.sealer.Highest() >= 0 {
		s.waiting = c.ep.State() == reliable.StateClosed
	}
}

var errSilent = errors.New("the host opened a session and then said nothing: its Admit has not answered yet, or the network loses everything")

// giveUp ends a dial whose host opened a session and then said nothing.
func (e *engine) giveUp(c *Conn) {
	if e.now >= c.answerDue() {
		c.failure = &DialTimeoutError{Addr: e.dial.addr, After: e.cfg.DialTimeout, Err: errSilent}
		c.ep.Abort(e.now)
	}
}

// answerDue is when a dial ends that has a session and has heard nothing in it.
func (c *Conn) answerDue() int64 {
	if c.session == nil || c.differs() || !c.unanswered() {
		return deadline.Never
	}
	return c.session.until
}

func (e *engine) failDial(c *Conn, err error) {
	c.failure = err
	c.ep.Fail(e.now)
}

// forgotten ends c, because its host does not know it any more. While the dial lasts it is begun anew: the host was restarted meanwhile.
func (e *engine) forgotten(c *Conn) {
	if left := c.session.until - e.now; c.session.waiting && left > 0 {
		e.beginJoin(c, time.Duration(left))
		return
	}
	c.why = transport.Forgotten
	c.ep.Fail(e.now)
}

// asDialFailure makes the end of a session that was never answered that of its dial.
func (c *Conn) asDialFailure(ev *reliable.Event) {
	ev.Kind = reliable.EventDialFailed
	switch {
	case c.endedApart(ev):
		c.failure = &transport.CatalogueError{}
	case ev.Cause == reliable.ClosedByPeer:
		c.failure = &transport.RefusedError{Code: ev.Code, Reason: ev.Reason}
	}
}
