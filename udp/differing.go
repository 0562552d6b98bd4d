package udp

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/gannet-net/gannet/internal/rate"
	"github.com/gannet-net/gannet/reliable"
	"github.com/gannet-net/gannet/transport"
)

// What a session may take whose sides have different catalogues (PROTOCOL.md 18.5): it serves to say what differs, and for nothing else.
const (
	exchangeTime    = int64(5 * time.Second) // for the description of the other side
	exchangeLinger  = 3 * time.Second        // and from then on for our own
	exchangeCeiling = 512 << 10              // bytes a second

	maxExchanges           = 16 // at once at a host
	maxExchangesPerAddress = 4  // of an IPv4 address or an IPv6 /64; not for loopback
	maxUntold              = 16

	explainInterval = int64(time.Second) // at a host, between two texts
)

// exchange is that of descriptions in one session.
type exchange struct {
	until  int64  // when the other side's has to be there
	heard  bool   // something came from it
	theirs string // its description, "" if that has not come
	data   []byte // at a host: the connect data of the client
}

// differing is what a host knows of the clients with another catalogue.
type differing struct {
	now    []*Conn // those whose exchange goes on
	untold fifo[mismatch]

	// The text that was explained last, what was said about it, and when.
	theirs string
	err    error
	at     int64
}

// mismatch is a client whose session is over.
type mismatch struct {
	client Request
	theirs string
}

var errUnexplained = errors.New("what differs was not worked out, since that of another client was less than a second ago")

// differs reports whether c is a session that serves the exchange of descriptions alone.
func (c *Conn) differs() bool { return c.session != nil && c.session.exchange != nil }

// boundExchange makes the limits of a machine those of an exchange, whatever the application asked for.
func boundExchange(c *reliable.Config) {
	c.Linger, c.SendCeiling = exchangeLinger, exchangeCeiling
	c.SendQueueBytes, c.SendQueueMessages, c.UnreadBytes, c.UnreadMessages, c.WindowBytes = 0, 0, 0, 0, 0
}

// turnApart tells a client with another catalogue what that of the host is, if there is room for it.
func (e *engine) turnApart(c *Conn, data []byte) {
	e.counters.mismatched++
	c.heldUntil = e.now
	c.session.exchange.data = data
	if e.crowdedApart(c) {
		c.ep.Farewell(transport.CodeCatalogue, differText)
		c.ep.Kick(e.now)
	} else {
		e.door.differing.now = append(e.door.differing.now, c)
		e.describe(c)
	}
	e.touch(c)
	e.settle(c)
}

const differText = "catalogues differ"

// crowdedApart reports whether there is no room for the exchange of c.
func (e *engine) crowdedApart(c *Conn) bool {
	d, addr := &e.door.differing, c.remote.Addr()
	ofAddress := 0
	for _, other := range d.now {
		if rate.SourceOf(other.remote.Addr()) == rate.SourceOf(addr) && !addr.IsLoopback() {
			ofAddress++
		}
	}
	return len(d.now) >= maxExchanges || ofAddress >= maxExchangesPerAddress
}

// describe sends the description of this side.
func (e *engine) describe(c *Conn) {
	c.ep.Farewell(transport.CodeCatalogue, differText)
	// It fails only if the other side has closed already.
	_ = c.ep.Send(e.now, []byte(e.cfg.Catalogue.Description), reliable.SendOptions{Mode: reliable.ReliableOrdered})
}

// hearDescription closes the exchange of c in good order, once the other side has said something or its time is over.
func (e *engine) hearDescription(c *Conn) {
	if !c.differs() || c.ep.State() != reliable.StateConnected {
		return
	}
	x := c.session.exchange
	for !x.heard {
		ev, ok := c.ep.PollEvent()
		if !ok {
			break
		}
		if ev.Kind == reliable.EventMessage {
			c.takeDescription(&ev)
		}
	}
	if x.heard || e.now >= x.until {
		c.ep.Close(e.now)
		e.touch(c)
	}
}

// takeDescription takes the first message of the other side, which has to be its description. There is no second.
func (c *Conn) takeDescription(ev *reliable.Event) {
	x, size := c.session.exchange, len(ev.Payload)
	if !x.heard && ev.Mode == reliable.ReliableOrdered && ev.Channel == 0 && size <= transport.MaxDescription {
		x.theirs = string(ev.Payload)
	}
	x.heard = true
	c.ep.Recycle(ev.Payload)
}

// patience is until when c waits for the other side, beside what its machine waits for: for its description, or for an answer to a dial.
func (c *Conn) patience() int64 {
	if c.differs() && c.ep.State() == reliable.StateConnected {
		return c.session.exchange.until
	}
	return c.answerDue()
}

// endedApart reports whether ev ends a dial because the catalogues differ. A host that gives another reason is believed.
func (c *Conn) endedApart(ev *reliable.Event) bool {
	switch {
	case !c.differs() || c.leaving || c.e.failure != nil:
		return false
	case ev.Cause == reliable.ClosedByPeer && c.session.exchange.theirs == "":
		return ev.Code == transport.CodeCatalogue
	}
	return true
}

// partedWith notes that the session of a client with another catalogue is over, for Mismatched and the log.
func (e *engine) partedWith(c *Conn) {
	d, x := &e.door.differing, c.session.exchange
	d.now = slices.DeleteFunc(d.now, func(other *Conn) bool { return other == c })
	c.err = &transport.CatalogueError{}
	if d.untold.len() < maxUntold {
		k := knock{from: c.remote, at: c.local, conn: c, data: x.data}
		d.untold.push(mismatch{k.request(), x.theirs})
		e.rouse()
	}
	x.theirs, x.data = "", nil
}

// tellMismatch tells the application of the client that has waited longest, and reports false if none waits. The lock is released meanwhile.
func (e *engine) tellMismatch() bool {
	untold := &e.door.differing.untold
	if untold.len() == 0 {
		return false
	}
	m, _ := untold.pop()
	muted := e.logs.mute(e.now, logMismatch)
	if muted && e.cfg.Mismatched == nil {
		return true
	}
	err := &transport.CatalogueError{Err: e.explain(m.theirs)}
	if e.cfg.Mismatched != nil {
		e.outside(func() { e.cfg.Mismatched(m.client, err) }, nil)
	}
	if !muted {
		const enough = 1000 // a stranger has written part of it
		e.logs.add(e.now, logMismatch, "client turned away", fmt.Errorf("%v: %.*s", m.client.Addr, enough, err.Error()))
	}
	return true
}

// explain says what differs. A text that came before costs nothing, so that all players with one old version are explained. The lock is
// released while the application works it out.
func (e *engine) explain(theirs string) error {
	d := &e.door.differing
	switch {
	case theirs == "":
		return nil
	case d.err != nil && d.theirs == theirs:
		return d.err
	case d.err != nil && e.now-d.at < explainInterval:
		return errUnexplained
	}
	var err error
	e.outside(func() { err = e.cfg.Catalogue.Explain(theirs) }, nil)
	d.theirs, d.err, d.at = theirs, err, e.now
	return err
}
