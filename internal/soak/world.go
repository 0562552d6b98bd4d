package soak

import (
	"context"
	"fmt"
	"net/netip"
	"time"

	"github.com/gannet-net/gannet/msgs"
	"github.com/gannet-net/gannet/secure"
	"github.com/gannet-net/gannet/sim"
	"github.com/gannet-net/gannet/transport"
	"github.com/gannet-net/gannet/udp"
)

const (
	hostPort = 7000
	frame    = int64(time.Second / 60)
	// unixStart is when a world begins, in Unix seconds.
	unixStart = 1_800_000_000
)

// world is a host and its players on a simulated network, and what is known of all of them.
type world struct {
	plan    *Plan
	nw      *sim.Network
	dice    dice
	census  *Census
	host    *host
	players []*player
	nobody  *sim.Socket // wakes no one
	streams [5][64]*stream

	strangers strangers
	shared    udp.Config // the token that several guests come with
	guests    *sim.Node
	opener    *opener // of heavy worlds
	elsewhere nonces  // of what the host sends to where no player is
	active    []*Fault
	calm      bool // no fault is left, nor any loss
	calmSince int64
	quiet     bool // nobody sends messages any more
	closing   bool // who is gone stays away

	serials  uint32 // of ends
	bindings map[[32]byte]*end
	contract *contract            // of worlds with calls
	speakers [2]map[[32]byte]*end // the newest ends of the base protocol that had a session, those of players and of the host, by the addresses of players
	pairs    int
	upTime   int64 // of all sessions, in nanoseconds

	buf, expected []byte
	broken        *Violation
}

func newWorld(p *Plan, census *Census) *world {
	w := &world{
		plan: p, nw: sim.New(p.Seed), census: census, bindings: map[[32]byte]*end{}, speakers: [2]map[[32]byte]*end{{}, {}},
		buf: make([]byte, 1<<16), expected: make([]byte, 1<<16),
	}
	w.nw.SetDefault(sim.Conditions{Delay: p.links.Delay}) // nobody's way is shorter than that of players
	if p.Heavy {
		w.opener = newOpener()
	}
	if p.calls() {
		w.contract = newContract()
	}
	w.dice = newDice(w.nw.Seed("play"))
	w.elsewhere.recent = map[uint32]uint32{}
	for i := range p.streams {
		s := &p.streams[i]
		w.streams[s.delivery][s.channel] = s
	}
	w.nobody = must(w.nw.Node("nobody").Listen(1))
	w.host = newHost(w)
	for i := range p.players {
		w.players = append(w.players, newPlayer(w, i))
	}
	w.strangers = newStrangers(w)
	w.guests = w.nw.Node("guests", netip.MustParseAddr("10.252.0.1"))
	w.nw.Watch(w.watch)
	return w
}

// config is that of a program on a machine.
func (w *world) config(m *machine) udp.Config {
	p := w.plan
	c := udp.Config{
		Plain: udp.PlainPrivateLAN, Driving: udp.GameLoop, Poison: true, Seed: w.dice.secret(),
		Clock: m.clock, UnixTime: m.unixTime, Socket: m.sock,
		Heartbeat: p.heartbeat, Timeout: p.timeout, Linger: p.linger, Budget: p.budget, SendCeiling: p.ceiling,
		SendQueueBytes: p.queueBytes, SendQueueMessages: p.queueMessages, UnreadBytes: p.unreadBytes, UnreadMessages: p.unreadCount, WindowBytes: p.windowBytes,
		FirstSend: p.first, FirstReceive: p.first,
	}
	return c
}

// secureConfig adds what only the secure protocol has.
func (w *world) secureConfig(c *udp.Config) {
	c.AckOnTick, c.YieldBulk = w.plan.onTick, w.plan.yield
	c.Catalogue = catalogue(1)
	if w.opener != nil {
		c.KeyLogWriter = w.opener
	}
	c.Channels = make([]udp.Channel, urgentChannel+1)
	c.Channels[bulkChannel].Class = udp.ClassBulk
	c.Channels[urgentChannel].Class = udp.ClassUrgent
}

// machine is a computer of the world with the program that runs on it, and what faults have made of both.
type machine struct {
	w    *world
	node *sim.Node
	sock *socket // the newest

	nextTick int64 // of the node's clock
	slow     int64 // how long a turn takes, 0 for a frame
	deaf     int   // faults because of which it reads no events
	stopped  int   // faults because of which its clock stands
	phone    *phone
	running  bool // it was started and neither killed nor closed

	wall    int64 // how far the wall clock was set, in seconds
	moved   int64 // when its clock was last set, or goes on
	tainted int64 // until then silence may seem longer or shorter to it than it is
	dulled  int64 // until then it may not hear what reaches it
}

func (m *machine) clock() int64 { return m.node.Clock() }

func (m *machine) unixTime() int64 { return unixStart + m.wall + m.w.nw.Now()/int64(time.Second) }

// listen opens a socket.
func (m *machine) listen(port uint16) error {
	s, err := m.node.Listen(port)
	if err != nil {
		return err
	}
	m.sock = &socket{Socket: s}
	return nil
}

// taint says that the machine is out of step with the others, and will be for a time after d.
func (m *machine) taint(d time.Duration) {
	m.tainted = max(m.tainted, m.w.nw.Now()+int64(d+m.w.plan.timeout+3*time.Second))
}

// dull says that the machine may not hear what reaches it for d.
func (m *machine) dull(d time.Duration) {
	m.taint(d)
	m.dulled = m.tainted
}

// ticked reports whether it is time for another turn, and says when the next one is.
func (m *machine) ticked(now int64) bool {
	step := max(frame, m.slow)
	if m.nextTick > now+step {
		m.nextTick = now // the clock was set back
	}
	if now < m.nextTick {
		return false
	}
	m.nextTick = now + step
	return true
}

// fault looks after a player's machine, or the host's.
func (w *world) machine(player int) *machine {
	if player == theHost {
		return &w.host.machine
	}
	return &w.players[player].machine
}

// hostAddr is where the host listens.
func (w *world) hostAddr() netip.AddrPort { return w.host.node.AddrPort(hostPort) }

// hostKey is the private key of the host. A public key is worth a thousandth of a second, so it is made once.
var (
	hostKey   = secure.Secret{0: 0xA0, 31: 1}
	publicKey = hostKey.Public()
)

// host is the host with its sessions.
type host struct {
	machine
	host   *udp.Host
	ends   map[transport.Conn]*end
	order  []*end // that are not over, in the order in which they came
	freed  map[uint32]int64
	detach func()
	ids    int // free ids of a host that has no peer
}

func newHost(w *world) *host {
	return &host{machine: machine{w: w, node: w.nw.Node("host", netip.MustParseAddr("10.250.0.1"))}}
}

// start opens the host on its port.
func (h *host) start() {
	if h.running {
		return
	}
	if h.listen(hostPort) != nil {
		h.w.nw.After(50*time.Millisecond, h.start)
		return
	}
	c := h.w.config(&h.machine)
	c.Protocol = h.w.plan.protocol
	if c.Protocol == udp.Secure {
		c.Key, c.Name, c.TokenKeys = hostKey, hostName, []secure.TokenKey{tokenKey}
		c.RequireToken = h.w.plan.tokens
		h.w.secureConfig(&c)
	}
	if h.w.plan.admit {
		c.Admit = func(udp.Request) *udp.Refusal { return nil }
	}
	h.host = must(udp.Listen("", c))
	h.ends, h.order, h.freed = map[transport.Conn]*end{}, nil, map[uint32]int64{}
	h.phone = h.w.newPhone(msgs.Host, func(p *msgs.Peer) *calling { return h.endOf(p.Conn()).calls })
	h.running = true
	h.ids = h.sock.look().FreeIDs
	wakes := h.w.nobody
	if h.w.plan.eagerHost {
		wakes = h.sock.Socket
	}
	h.detach = h.node.Attach(h, wakes)
}

// Run is one turn of the host's loop.
func (h *host) Run(now int64) int64 {
	tick := h.ticked(now)
	if !tick && !h.w.plan.eagerHost {
		return h.nextTick
	}
	h.host.Poll()
	h.polled()
	for h.deaf == 0 {
		ev, ok := h.host.Next()
		if !ok {
			break
		}
		h.endOf(ev.Conn).take(ev)
	}
	if tick {
		h.phone.tick(now)
		for _, e := range h.order {
			e.speak()
		}
	}
	h.host.Flush()
	h.order = standing(h.order)
	if h.host.Closed() && len(h.order) == 0 {
		h.closed()
		return never
	}
	if h.w.plan.eagerHost {
		return min(h.nextTick, h.host.NextDeadline())
	}
	return h.nextTick
}

const never = int64(1<<63 - 1)

// standing keeps those that are not over.
func standing(all []*end) []*end {
	kept := all[:0]
	for _, e := range all {
		if !e.over {
			kept = append(kept, e)
		}
	}
	clear(all[len(kept):])
	return kept
}

// endOf gives the books of a connection.
func (h *host) endOf(c transport.Conn) *end {
	for _, e := range h.order { // there are few
		if e.conn == c {
			return e
		}
	}
	e := h.ends[c]
	if e == nil {
		e = h.w.newEnd(c.(*udp.Conn), &h.machine, nil)
		e.name = fmt.Sprint("host's end ", e.serial)
		h.ends[c] = e
		h.order = append(h.order, e)
	}
	return e
}

// closed follows a graceful end of the host.
func (h *host) closed() {
	h.leaveNothing()
	h.w.census.drops(h.host.Stats().Drops)
	h.running = false
	h.detach()
	if !h.w.closing {
		h.w.nw.After(100*time.Millisecond, h.start)
	}
}

// player is one who joins, plays and leaves.
type player struct {
	machine
	index    int
	plan     *playerPlan
	box      *sim.NAT
	boxes    int  // addresses that it has had
	mapped   bool // its box has a mapping for it
	resumes  bool // it has dialled with a ticket
	key      secure.Secret
	public   secure.Key
	ticket   *udp.Ticket
	conn     *udp.Conn // nil between two sessions
	end      *end
	dialled  int64 // when
	rejoinAt int64 // of the network
	weather  []*Fault
	cuts     [2]int // to the host, and from it
	flow     [2]flow
	clear    int64 // when something last hindered its session
	astray   int64 // when the host last knew where the player is, or could not
}

// flow is what was seen of the datagrams in one direction.
type flow struct {
	session         session // the newest, and what follows is of it
	sent, delivered int64
	clock           int64 // of the receiver, at the latter
	nonces          nonces
	came            copies
}

const (
	toHost = iota
	toPlayer
)

func newPlayer(w *world, i int) *player {
	p := &player{index: i, plan: &w.plan.players[i], key: w.dice.secret()}
	p.w, p.public = w, p.key.Public()
	name := fmt.Sprint("player ", i)
	if p.plan.behind {
		p.box = w.nw.NAT("box of "+name, sim.NATConfig{Outside: []netip.Addr{p.nextAddr()}, Expiry: p.plan.expiry})
		p.node = p.box.Node(name)
	} else {
		p.node = w.nw.Node(name, p.nextAddr())
	}
	p.node.SetDrift(p.plan.drift)
	for i := range p.flow {
		p.flow[i].nonces.recent = map[uint32]uint32{}
	}
	p.rejoinAt = int64(p.plan.joinAt)
	p.setLinks()
	return p
}

// nextAddr is an address that nobody has had.
func (p *player) nextAddr() netip.Addr {
	p.boxes++
	return netip.AddrFrom4([4]byte{10, byte(1 + p.index), byte(p.boxes >> 8), byte(p.boxes)})
}

// start runs the player's program, which dials when it is time.
func (p *player) start() {
	p.running = true
	if p.plan.eager {
		p.node.Attach(p)
	} else {
		p.node.Attach(p, p.w.nobody)
	}
}

// Run is one turn of the player's loop.
func (p *player) Run(now int64) int64 {
	tick := p.ticked(now)
	if !tick && !p.plan.eager {
		return p.nextTick
	}
	if p.conn == nil && (p.w.nw.Now() < p.rejoinAt || p.w.closing || !p.dial()) {
		return p.nextTick
	}
	p.conn.Poll()
	p.polled()
	for p.conn != nil && p.deaf == 0 {
		ev, ok := p.conn.Next()
		if !ok {
			break
		}
		p.end.take(ev)
	}
	if p.conn == nil {
		return p.nextTick
	}
	if tick {
		p.phone.tick(now)
		p.end.speak()
	}
	p.conn.Flush()
	if p.plan.eager {
		return min(p.nextTick, p.conn.NextDeadline())
	}
	return p.nextTick
}

// dial begins another session. It reports false if there is no socket to be had.
func (p *player) dial() bool {
	if p.listen(0) != nil {
		p.rejoinAt = p.w.nw.Now() + int64(100*time.Millisecond)
		return false
	}
	c := p.w.config(&p.machine)
	c.Protocol = p.plan.protocol
	if c.Protocol == udp.Secure {
		c.ClientKey, c.HostKey = p.key, publicKey
		if p.w.plan.tokens {
			p.w.issue(&c, tokenKey, secure.Claims{Host: hostName, Client: p.public, Player: [16]byte{1, byte(p.index)}}, 60)
		}
		p.w.secureConfig(&c)
		if p.plan.stranger {
			c.HostKey = p.public
		}
		if p.ticket != nil && p.w.dice.oneIn(2) {
			c.Resume, p.resumes = p.ticket, true
			p.w.census.count("dial with a ticket")
		}
	}
	p.conn = must(udp.Dial(context.Background(), p.w.hostAddr().String(), c))
	p.dialled = p.w.nw.Now()
	p.end = p.w.newEnd(p.conn, &p.machine, p)
	e := p.end
	e.dialled = p.w.nw.Now()
	p.phone = p.w.newPhone(msgs.Client, func(*msgs.Peer) *calling { return e.calls })
	p.end.name = fmt.Sprintf("end %d of player %d", p.end.serial, p.index)
	return true
}

// gone follows the end of a session, or of a dial.
func (p *player) gone() {
	if t, ok := p.conn.Ticket(); ok {
		p.ticket = &t
	}
	p.w.census.drops(p.conn.HostStats().Drops)
	p.leavesNothing()
	p.conn = nil
	if !p.end.up {
		p.ticket = nil // it was of no use
	}
	p.rejoinAt = p.w.nw.Now() + int64(p.w.dice.duration(millis(100), 2*time.Second))
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
