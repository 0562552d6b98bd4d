package replay

import (
	"context"
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/gannet-net/gannet/sim"
	"github.com/gannet-net/gannet/transport"
	"github.com/gannet-net/gannet/udp"
)

const (
	never    = int64(math.MaxInt64)
	hostPort = 7000
	length   = 10 * time.Second
)

// weather is bad in every way that a run has to replay.
var weather = sim.Conditions{
	Delay: 40 * time.Millisecond, Jitter: 20 * time.Millisecond, Loss: sim.Percent(20),
	Duplicate: sim.Percent(3), DuplicateDelay: 5 * time.Millisecond,
	Reorder: sim.Percent(2), ReorderDelay: 60 * time.Millisecond,
}

// game is a host and its players on a simulated network.
type game struct {
	protocol udp.Protocol

	nw      *sim.Network
	host    *server
	players []*player
}

// newGame makes a game with the given number of players. Each has a source of randomness of its own.
func newGame(protocol udp.Protocol, seed uint64, players int) *game {
	g := &game{protocol: protocol, nw: sim.New(seed)}
	g.nw.SetDefault(weather)
	g.host = newServer(g)
	for i := range players {
		g.join(newPlayer(g, fmt.Sprint("player", i)))
	}
	return g
}

func (g *game) join(p *player) {
	g.players = append(g.players, p)
	p.node.SetDrift(int64(len(g.players)*50 - 200)) // no two clocks are alike
	p.node.Attach(p)
}

// config drives one side by its own node: its clock, its socket.
func (g *game) config(n *sim.Node, s *sim.Socket) udp.Config {
	c := udp.Config{
		Protocol: g.protocol, Plain: udp.PlainPrivateLAN, Driving: udp.GameLoop, Clock: n.Clock, Socket: s, Poison: true,
		UnixTime:  func() int64 { return 1_800_000_000 + g.nw.Now()/int64(time.Second) },
		Heartbeat: 500 * time.Millisecond, Timeout: 2 * time.Second, Linger: time.Second,
	}
	copy(c.Seed[:], n.Name())
	return c
}

// note puts an event of the application into the trace and its hash.
func (g *game) note(who *sim.Node, ev transport.Event) {
	h := fnv.New32a()
	h.Write(ev.Payload)
	g.nw.Note(fmt.Sprintf("%s: %d %v %v %d bytes %08x %v", who.Name(), ev.Conn.ID(), ev.Kind, ev.Delivery, len(ev.Payload), h.Sum32(), ev.Err))
}

// run plays to the end and returns what the run was like after each second.
func (g *game) run() string {
	var b strings.Builder
	for g.nw.Now() < int64(length) {
		g.nw.RunFor(time.Second)
		fmt.Fprintf(&b, "%2d s  %016x  %v\n", g.nw.Now()/int64(time.Second), g.nw.TraceHash(), g.nw.Counts())
	}
	fmt.Fprintf(&b, "host: %v\n", g.host.seen)
	for _, p := range g.players {
		fmt.Fprintf(&b, "%s: %v\n", p.node.Name(), p.seen)
	}
	return b.String()
}

// tally counts the events of one side.
type tally struct{ connected, messages, disconnected, failed int }

func (n *tally) count(k transport.EventKind) {
	switch k {
	case transport.Connected:
		n.connected++
	case transport.Message:
		n.messages++
	case transport.Disconnected:
		n.disconnected++
	case transport.DialFailed:
		n.failed++
	}
}

func (n tally) String() string {
	return fmt.Sprintf("%d connected, %d messages, %d disconnected, %d dials failed", n.connected, n.messages, n.disconnected, n.failed)
}

// server is a host that echoes what is reliable, throws out who asks for it, and tells everybody the state of the world at 20 Hz.
type server struct {
	g    *game
	node *sim.Node
	host *udp.Host
	seen tally

	ticks    uint32
	nextTick int64
}

const tick = int64(50 * time.Millisecond)

func newServer(g *game) *server {
	s := &server{g: g, node: g.nw.Node("host")}
	socket := must(s.node.Listen(hostPort))
	s.host = must(udp.Listen("", g.config(s.node, socket)))
	s.node.Attach(s)
	return s
}

// Run is one turn of the host's loop.
func (s *server) Run(now int64) int64 {
	s.host.Poll()
	for ev, ok := s.host.Next(); ok; ev, ok = s.host.Next() {
		s.seen.count(ev.Kind)
		s.g.note(s.node, ev)
		if ev.Kind == transport.Message {
			s.answer(ev)
		}
	}
	if now >= s.nextTick {
		s.nextTick = now + tick
		s.tick()
	}
	s.host.Flush()
	return min(s.host.NextDeadline(), s.nextTick)
}

func (s *server) answer(ev transport.Event) {
	switch {
	case len(ev.Payload) > 0 && ev.Payload[0] == throwMeOut:
		ev.Conn.(*udp.Conn).Kick(0, "as you wish")
	case ev.Delivery.Reliable():
		_ = ev.Conn.Send(ev.Payload, transport.SendOptions{Delivery: transport.ReliableOrdered})
	}
}

func (s *server) tick() {
	s.ticks++
	state := binary.LittleEndian.AppendUint32(make([]byte, 0, 60), s.ticks)
	o := transport.SendOptions{Delivery: transport.Unreliable}
	if s.ticks%10 == 0 {
		o = transport.SendOptions{Delivery: transport.ReliableOrdered, Urgent: true}
	}
	_ = s.host.Broadcast(state[:60], o)
}

// throwMeOut is the first byte of a message that asks the host for a kick.
const throwMeOut = 0xEE

// player joins, talks and leaves as its own source of randomness says. An idle one joins once, says nothing and stays.
type player struct {
	g    *game
	node *sim.Node
	rand *rand.ChaCha8
	idle bool
	seen tally

	conn            *udp.Conn // nil between two sessions
	socket          *sim.Socket
	playing         bool // from Connected until it leaves
	joinAt, leaveAt int64
	nextSend        int64
}

func newPlayer(g *game, name string) *player {
	p := &player{g: g, node: g.nw.Node(name), rand: rand.NewChaCha8(g.nw.Seed("player", name))}
	p.joinAt = p.between(0, 500)
	return p
}

// below draws a number from 0 to n-1. The methods of rand.Rand go another way on processors of 32 bits.
func (p *player) below(n uint64) uint64 { return p.rand.Uint64() % n }

// between draws a time in milliseconds.
func (p *player) between(low, high uint64) int64 {
	return int64(low+p.below(high-low)) * int64(time.Millisecond)
}

// Run is one turn of the player's loop.
func (p *player) Run(now int64) int64 {
	if p.conn == nil && now >= p.joinAt {
		p.dial()
	}
	if p.conn == nil {
		return p.joinAt
	}
	p.conn.Poll()
	for p.conn != nil {
		ev, ok := p.conn.Next()
		if !ok {
			break
		}
		p.see(now, ev)
	}
	if p.playing {
		p.play(now)
	}
	if p.conn == nil {
		return p.joinAt
	}
	p.conn.Flush()
	return min(p.conn.NextDeadline(), p.nextTurn())
}

func (p *player) nextTurn() int64 {
	if !p.playing {
		return never
	}
	return min(p.nextSend, p.leaveAt)
}

func (p *player) dial() {
	p.socket = must(p.node.Listen(0))
	p.conn = must(udp.Dial(context.Background(), p.g.host.node.AddrPort(hostPort).String(), p.g.config(p.node, p.socket)))
}

func (p *player) see(now int64, ev transport.Event) {
	p.seen.count(ev.Kind)
	p.g.note(p.node, ev)
	switch ev.Kind {
	case transport.Connected:
		p.playing = true
		p.nextSend, p.leaveAt = never, never
		if !p.idle {
			p.nextSend, p.leaveAt = now, now+p.between(500, 3000)
		}
	case transport.Disconnected, transport.DialFailed:
		p.gone(now)
	}
}

func (p *player) gone(now int64) {
	p.conn, p.playing = nil, false
	p.joinAt = now + p.between(100, 800)
}

// play sends what is due, or leaves.
func (p *player) play(now int64) {
	if now >= p.leaveAt {
		p.leave(now)
		return
	}
	if now < p.nextSend {
		return
	}
	p.nextSend = now + p.between(10, 60)
	message := make([]byte, p.below(200))
	for i := range message {
		message[i] = byte(p.below(throwMeOut))
	}
	o := transport.SendOptions{Delivery: transport.Unreliable}
	if p.below(2) == 0 {
		o = transport.SendOptions{Delivery: transport.ReliableOrdered, Urgent: p.below(4) == 0}
	}
	_ = p.conn.Send(message, o)
}

// leave ends the session in one of the four ways in which people leave.
func (p *player) leave(now int64) {
	p.playing = false
	switch p.below(4) {
	case 0:
		p.conn.Close()
	case 1:
		p.conn.Abort()
	case 2:
		_ = p.conn.Send([]byte{throwMeOut}, transport.SendOptions{Delivery: transport.ReliableOrdered})
	case 3: // pulls the plug
		_ = p.socket.Close()
		p.gone(now)
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
