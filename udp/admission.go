package udp

import (
	"fmt"
	"net/netip"
	"time"

	"github.com/gannet-net/gannet/framing"
	"github.com/gannet-net/gannet/internal/rate"
	"github.com/gannet-net/gannet/secure"
)

// Request is a client that asks to be admitted. On the base protocol only the addresses are known, and they are not proved.
type Request struct {
	Addr  netip.AddrPort // of the client, in unmapped form
	Local netip.Addr     // ours that it used, zero if the system does not tell

	Encrypted   bool            // by the secure protocol
	Identity    secure.Identity // who it is, proved
	ConnectData []byte          // its Config.ConnectData
	Fingerprint [8]byte         // of its Config.Catalogue
}

// Refusal turns a client away.
type Refusal struct {
	// Code is for the client's program, below transport.OwnCodes. The base protocol cannot carry it.
	Code uint16
	// Text is the reason: at most 256 bytes, cut to 11 on the base protocol; "banned" if empty.
	Text string
}

// connectLimit is that of the Connects of one source: 20 a second (PROTOCOL.md 3.3).
var connectLimit = rate.Limit{Count: 5, Period: time.Second / 4}

// How many clients wait for Config.Admit at once, and how many of one IPv4 address or IPv6 /64, so that it cannot keep others out where
// Admit takes its time. The latter is not for loopback, nor for who has a token.
const (
	maxWaiting         = 64
	maxWaitingOfSource = 16
)

// door is what a host knows of those who are not its peers: who may come in (PROTOCOL.md 3.3), who has left (3.5).
type door struct {
	connects  rate.Sources
	addresses map[netip.Addr]int // sessions of each IPv4 address or IPv6 network, loopback excepted
	sessions  int                // that stand
	ids       peerIDs
	graves    graveyard
	waiting   fifo[knock]
	differing differing
}

// knock is a client that passed the checks which need no code of the application.
type knock struct {
	from  netip.AddrPort
	at    netip.Addr
	limit int // base protocol: the longest reason that may answer its Connect

	conn *Conn  // secure protocol, else nil
	data []byte // likewise: its connect data
}

func newDoor(c Config, rateKey [16]byte) door {
	return door{connects: rate.NewSources(connectLimit, rateKey), addresses: make(map[netip.Addr]int), ids: newPeerIDs(c.maxPeers())}
}

// stranger handles a datagram from an address without a session.
func (e *engine) stranger(f framing.Frame, from netip.AddrPort, at netip.Addr) framing.Drop {
	switch f.Kind {
	case framing.KindConnect:
		return e.connect(f, from, at)
	case framing.KindDisconnect:
		return framing.DropNoPeer
	}
	if e.door.graves.answer(from, e.now) {
		e.write(framing.AppendDisconnect(e.blank()), from, at)
	}
	return framing.DropNoPeer
}

// connectAgain handles a Connect from the address of c. A session that is over and only says goodbye makes room for a new one.
func (e *engine) connectAgain(c *Conn, f framing.Frame, d []byte, at netip.Addr) framing.Drop {
	switch {
	case c.ended:
		return e.connect(f, c.remote, at)
	case string(f.Text) != e.cfg.Version:
		if !c.ep.Charge(e.now, len(d)) {
			return framing.DropRate
		}
		e.refuse(knock{from: c.remote, at: at, limit: len(f.Text)}, "version")
		return framing.Accepted
	}
	return e.handle(c, d)
}

// connect checks a Connect in the order of PROTOCOL.md 3.3.
func (e *engine) connect(f framing.Frame, from netip.AddrPort, at netip.Addr) framing.Drop {
	addr := from.Addr()
	switch {
	case e.closing:
		return framing.DropClosed
	case !e.cfg.Plain.allows(addr):
		e.logPolicy(from)
		return framing.DropPolicy
	case !e.door.connects.Take(e.now, addr):
		return framing.DropRate
	}
	k := knock{from: from, at: at, limit: len(f.Text)}
	switch {
	case string(f.Text) != e.cfg.Version:
		e.refuse(k, "version")
	case e.crowded(addr, 0):
		e.refuse(k, "full")
	case e.cfg.Admit != nil:
		return e.wait(k)
	default:
		e.admit(k)
	}
	return framing.Accepted
}

// logPolicy tells the operator whom Config.Plain leaves out, since the client hears nothing.
func (e *engine) logPolicy(from netip.AddrPort) {
	if !e.logs.mute(e.now, logPolicy) {
		e.logs.add(e.now, logPolicy, "Connect dropped by Config.Plain", fmt.Errorf("%v is outside the policy %v", from, e.cfg.Plain))
	}
}

func (e *engine) crowded(addr netip.Addr, others int) bool {
	return e.door.addresses[rate.SourceOf(addr)]+others >= e.cfg.MaxPeersPerAddress
}

// wait queues k for Admit. A client that waits already asks for nothing new.
func (e *engine) wait(k knock) framing.Drop {
	w := &e.door.waiting
	for i := range w.len() {
		if w.at(i).from == k.from && w.at(i).conn == nil {
			return framing.Accepted
		}
	}
	if !e.queue(k) {
		return framing.DropRate
	}
	return framing.Accepted
}

// queue lets k wait for Admit, if there is room.
func (e *engine) queue(k knock) bool {
	w := &e.door.waiting
	if w.len() >= maxWaiting || !k.trusted() && e.door.waitingOf(k.from.Addr()) >= maxWaitingOfSource {
		return false
	}
	w.push(k)
	e.rouse()
	return true
}

// trusted reports whether k does not come from just anybody.
func (k *knock) trusted() bool {
	return k.from.Addr().IsLoopback() || k.conn != nil && k.conn.session.peer.Kind == secure.ByToken
}

// waitingOf counts those of an address or network that wait.
func (d *door) waitingOf(addr netip.Addr) (n int) {
	for i := range d.waiting.len() {
		if rate.SourceOf(d.waiting.at(i).from.Addr()) == rate.SourceOf(addr) {
			n++
		}
	}
	return n
}

// askAdmit lets the application decide about the one who has waited longest, and reports false if nobody waits. The lock is released
// while it does, so what was checked before is checked again.
func (e *engine) askAdmit() bool {
	k, ok := e.door.waiting.pop()
	if !ok || e.moot(k) {
		return ok
	}
	r := k.request()
	var refusal *Refusal
	e.outside(func() { refusal = e.cfg.Admit(r) }, func() { e.answer(k, &Refusal{Text: "failed"}) })
	e.answer(k, refusal)
	return true
}

// answer carries out what Admit decided about k.
func (e *engine) answer(k knock, refusal *Refusal) {
	if refusal != nil && refusal.Text == "" {
		refusal = &Refusal{refusal.Code, "banned"}
	}
	switch {
	case e.moot(k):
	case k.conn != nil:
		e.decideJoin(k.conn, refusal)
	case refusal != nil:
		e.refuse(k, refusal.Text)
	case e.crowded(k.from.Addr(), 0):
		e.refuse(k, "full")
	default:
		e.admit(k)
	}
}

func (k *knock) request() Request {
	r := Request{Addr: k.from, Local: k.at}
	if c := k.conn; c != nil {
		r.Encrypted, r.Identity, r.ConnectData, r.Fingerprint = true, c.session.peer, k.data, c.session.fingerprint
	}
	return r
}

// moot reports whether there is nothing left to decide about k: it gave up, its Connect was repeated while Admit ran, or the host closes.
func (e *engine) moot(k knock) bool {
	if k.conn != nil {
		return k.conn.ended || k.conn.leaving
	}
	c := e.peers[k.from]
	return e.closing || c != nil && !c.ended
}

// admit makes the session, if there is a place.
func (e *engine) admit(k knock) {
	id := uint16(0)
	if e.door.sessions < e.cfg.MaxPeers {
		id = e.door.ids.takeSmall()
	}
	if id == 0 {
		e.refuse(k, "full")
		return
	}
	if old := e.peers[k.from]; old != nil {
		e.release(old) // its goodbyes would end the new session
	}
	e.counters.admitted++
	c := e.newPlainConn(k.from, k.at, id)
	e.door.came(c)
	e.settle(c)
}

// refuse answers with a Refuse that is no larger than the Connect.
func (e *engine) refuse(k knock, reason string) {
	e.counters.refused++
	reason = framing.CutReason(reason, min(framing.MaxRefuseReason, k.limit))
	e.write(framing.AppendRefuse(e.blank(), reason), k.from, k.at)
}

// came counts a peer. Those of an address are counted but for loopback, and for who has a token: that is not given to strangers.
func (d *door) came(c *Conn) {
	d.sessions++
	if c.plain {
		d.graves.remove(c.remote)
	}
	if c.plain || c.session.peer.Kind != secure.ByToken {
		d.count(c, c.remote.Addr())
	}
}

func (d *door) left(c *Conn) {
	d.sessions--
	d.uncount(c)
}

// count counts a peer as one of its network.
func (d *door) count(c *Conn, addr netip.Addr) {
	if !addr.IsLoopback() {
		c.countedAt = rate.SourceOf(addr)
		d.addresses[c.countedAt]++
	}
}

func (d *door) uncount(c *Conn) {
	if !c.countedAt.IsValid() {
		return
	}
	if d.addresses[c.countedAt]--; d.addresses[c.countedAt] <= 0 {
		delete(d.addresses, c.countedAt)
	}
	c.countedAt = netip.Addr{}
}
