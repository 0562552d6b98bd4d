package udp

import (
	"context"
	"fmt"
	"net/netip"
	"time"

	"github.com/gannet-net/gannet/framing"
	"github.com/gannet-net/gannet/reliable"
)

// dial is what a dialled engine knows of its attempt.
type dial struct {
	addr     string        // as it was given
	face     *Conn         // what the application has
	rival    *Conn         // the same attempt at the name's other address, nil if it has one
	decided  bool          // an answer came, or there will be none
	failed   bool          // it was not Accept
	answered chan struct{} // closed when decided
}

// rivalDelay is how long the first address of a name is asked alone. A host that has both families would admit the same client twice
// otherwise.
const rivalDelay = int64(250 * time.Millisecond)

// Dial connects to a host at addr, "IP:port" or "name:port"; ":port" and an unspecified IP are this machine. A name is looked up
// with ctx, also in a game loop; if it has addresses of both families, the second is asked as well after 250 ms without an answer from
// the first, and the first answer counts.
//
// In the background style Dial blocks until the connection is made. It returns a *transport.RefusedError if the host refuses,
// a *transport.CatalogueError if it has another Config.Catalogue, a *DialTimeoutError if nothing answers within Config.DialTimeout, an error that wraps that of ctx if ctx ends first, and a
// *transport.DisconnectError if the socket breaks. In a game loop it returns at once, ctx is used for the look-up alone, and Next
// returns a Connected event or a DialFailed event with one of these errors.
func Dial(ctx context.Context, addr string, c Config) (*Conn, error) {
	c, err := c.check()
	if err != nil {
		return nil, err
	}
	targets, err := resolve(ctx, addr)
	if err != nil {
		return nil, err
	}
	e, err := newEngine(c, framing.Client, networkFor(targets), ":0")
	if err != nil {
		return nil, err
	}
	conn := e.ask(addr, targets)
	e.start()
	if c.Driving == GameLoop {
		return conn, nil
	}
	return e.awaitAnswer(ctx, conn)
}

// ask starts one machine for each address.
func (e *engine) ask(addr string, targets []netip.AddrPort) *Conn {
	e.enter()
	defer e.leave()
	e.dial = dial{addr: addr, answered: make(chan struct{})}
	e.chooseClientKey()
	e.dial.face = e.newDial(targets[0])
	if len(targets) > 1 {
		e.dial.rival = e.newDial(targets[1])
		e.dial.rival.hidden = true
		e.dial.rival.heldUntil = e.now + min(rivalDelay, int64(e.cfg.DialTimeout)/2)
	}
	return e.dial.face
}

func (e *engine) newDial(to netip.AddrPort) *Conn {
	if e.cfg.Protocol == Base {
		return e.newPlainConn(to, netip.Addr{}, 0)
	}
	c := e.newConn(to, netip.Addr{})
	c.hidden = true
	e.peers[to] = c
	e.beginJoin(c, e.cfg.DialTimeout)
	return c
}

// awaitAnswer blocks until the dial of conn is decided. If ctx ends first, a host that has just accepted is told.
func (e *engine) awaitAnswer(ctx context.Context, conn *Conn) (*Conn, error) {
	select {
	case <-e.dial.answered:
	case <-ctx.Done():
		conn.Abort()
		return nil, fmt.Errorf("udp: dial %s: waiting to be admitted: %w", e.dial.addr, ctx.Err())
	}
	if e.dial.failed { // fixed once answered is closed
		e.enter()
		e.explainDial()
		e.leave()
		return nil, conn.Err()
	}
	return conn, nil
}

// decide ends the attempt with the first machine that has an answer, or will have none. It returns the connection that c's machine belongs
// to then.
func (e *engine) decide(c *Conn) *Conn {
	d := &e.dial
	if d.decided || c != d.face && c != d.rival || c.unanswered() {
		return c
	}
	c = e.prefer(c)
	d.decided, d.failed = true, c.ep.State() == reliable.StateClosed
	if !d.failed {
		c.id.Store(uint32(c.givenID()))
		c.hidden = false
	}
	close(d.answered)
	return c
}

// prefer makes the machine of c that of the application's connection, whatever address it has, and ends that of the other address. It returns
// the connection that c's machine belongs to then.
func (e *engine) prefer(c *Conn) *Conn {
	d := &e.dial
	rival := d.rival
	if rival == nil {
		return c
	}
	d.rival = nil
	if c == rival {
		e.exchange(d.face, rival)
	}
	if e.now < rival.heldUntil {
		rival.ep.Fail(e.now) // nobody has heard of it
	} else {
		rival.ep.Abort(e.now)
	}
	e.touch(rival)
	e.settle(rival)
	return d.face
}

// givenID is the peer id of a client that is connected.
func (c *Conn) givenID() uint16 {
	if c.plain {
		return c.ep.PeerID()
	}
	return c.session.peerID
}

// exchange swaps the machines of two connections.
func (e *engine) exchange(a, b *Conn) {
	a.ep, b.ep = b.ep, a.ep
	a.session, b.session = b.session, a.session
	a.failure, b.failure = b.failure, a.failure
	a.remote, b.remote = b.remote, a.remote
	a.local, b.local = b.local, a.local
	e.peers[a.remote], e.peers[b.remote] = a, b
	e.touch(a)
	e.touch(b)
}
