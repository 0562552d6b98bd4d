package bench

import (
	"encoding/binary"
	"net"
	"net/netip"
	"testing"
	"time"

	"github.com/gannet-net/gannet/framing"
	"github.com/gannet-net/gannet/internal/deadline"
	"github.com/gannet-net/gannet/internal/stopwatch"
	"github.com/gannet-net/gannet/reliable"
	"github.com/gannet-net/gannet/secure"
	"github.com/gannet-net/gannet/transport"
	"github.com/gannet-net/gannet/udp"
)

const (
	townStart = int64(time.Hour)
	townUnix  = int64(1_700_000_000)

	mostBasePeers = framing.MaxPeerID // the base protocol has ids for no more
)

// town is a host in virtual time, whose socket is memory, and its clients, which are bare machines. Only what the host does is timed.
type town struct {
	now     int64
	host    *udp.Host
	config  udp.Config
	clients []*townsman
	timers  deadline.Heap[*townsman]

	toHost, fromHost letters
	closed           bool
	buf              []byte

	spent    stopwatch.Watch // by the host, since reset
	packets  int             // that the host read and wrote, since reset
	received int             // messages at the host
}

// townsman is a client: first of the handshake, then of the connection. On the base protocol the machine does both.
type townsman struct {
	*reliable.Endpoint
	joining *secure.Client
	seed    secure.Secret
	timer   deadline.Entry[*townsman]
}

var townKey = secure.Secret{0: 0xA0, 31: 1}

// newTown lets n clients join, 400 a second, which is below what a host takes from strangers.
func newTown(tb testing.TB, protocol udp.Protocol, n int, change ...func(*udp.Config)) *town {
	tb.Helper()
	t := &town{now: townStart, buf: make([]byte, 0, framing.MaxDatagram)}
	t.config = udp.Config{
		Protocol: protocol, Driving: udp.GameLoop, Plain: udp.PlainAny, Socket: t, Seed: [32]byte{1},
		Clock: func() int64 { return t.now }, UnixTime: func() int64 { return townUnix + t.now/int64(time.Second) },
	}
	if protocol == udp.Secure {
		t.config.Key = townKey
	}
	for _, f := range change {
		f(&t.config)
	}
	var err error
	if t.host, err = udp.Listen("", t.config); err != nil {
		tb.Fatal(err)
	}
	for range n {
		t.joins(tb)
		t.step(2500 * time.Microsecond)
	}
	t.rest()
	if got := len(t.host.Conns()); got != n {
		tb.Fatalf("%d of %d clients have joined", got, n)
	}
	return t
}

// kilotown is a town of 1,000 on the secure protocol, which benchmarks share, since it takes a second to let so many join.
var kilotown *town

// townOf gives a town at rest, to which nothing may be done that lasts.
func townOf(tb testing.TB, protocol udp.Protocol, n int) *town {
	if protocol != udp.Secure || n != 1000 {
		return newTown(tb, protocol, n)
	}
	if kilotown == nil {
		kilotown = newTown(tb, protocol, n)
	}
	kilotown.rest()
	return kilotown
}

func (t *town) joins(tb testing.TB) {
	c := &townsman{}
	c.timer.Value = c
	binary.LittleEndian.PutUint64(c.seed[:], uint64(len(t.clients))+1)
	if t.config.Protocol == udp.Base {
		c.Endpoint = reliable.New(t.now, t.machine())
	} else {
		var err error
		if c.joining, err = secure.NewClient(t.now, secure.ClientConfig{Seed: c.seed, HostKey: townKey.Public()}); err != nil {
			tb.Fatal(err)
		}
	}
	t.clients = append(t.clients, c)
	t.speak(len(t.clients) - 1)
}

func (t *town) machine() reliable.Config {
	return reliable.Config{Role: framing.Client, Heartbeat: t.config.Heartbeat, Timeout: t.config.Timeout, AckOnTick: t.config.AckOnTick}
}

// rest is six seconds, after which nothing is left of handshakes.
func (t *town) rest() {
	for range 6 * 50 {
		t.step(20 * time.Millisecond)
	}
}

// reset starts the account of the host.
func (t *town) reset() { t.spent, t.packets, t.received = stopwatch.Watch{}, 0, 0 }

// step lets time pass, and everybody do what is due.
func (t *town) step(d time.Duration) {
	t.now += int64(d)
	for due := t.timers.PopDue(t.now); due != nil; due = t.timers.PopDue(t.now) {
		t.speak(due.Value.number())
	}
	t.frame(func() {})
	for d, who, ok := t.fromHost.take(); ok; d, who, ok = t.fromHost.take() {
		t.hear(who, d)
	}
}

// frame is one of the host's game loop: read, play, send.
func (t *town) frame(play func()) {
	t.spent.Start()
	defer t.spent.Stop()
	t.host.Poll()
	for ev, ok := t.host.Next(); ok; ev, ok = t.host.Next() {
		if ev.Kind == transport.Message {
			t.received++
		}
	}
	play()
	t.host.Flush()
}

// tick is a step in which everybody says something, unreliably, to the host, and the host to everybody.
func (t *town) tick(d time.Duration, payload []byte) {
	for i, c := range t.clients {
		if err := c.Send(t.now, payload, reliable.SendOptions{Mode: reliable.Unreliable}); err != nil {
			panic(err)
		}
		t.speak(i)
	}
	t.frame(func() { t.broadcast(payload, transport.Unreliable) })
	t.step(d)
}

func (t *town) broadcast(payload []byte, mode transport.Delivery) {
	if err := t.host.Broadcast(payload, transport.SendOptions{Delivery: mode}); err != nil {
		panic(err)
	}
}

// leave lets all clients vanish without a word, and all that they took of memory with them.
func (t *town) leave() {
	t.clients, t.timers, t.toHost, t.fromHost = nil, deadline.Heap[*townsman]{}, letters{}, letters{}
}

// hear gives a datagram of the host to a client.
func (t *town) hear(who int, d []byte) {
	c := t.clients[who]
	if c.joining == nil {
		c.HandleDatagram(t.now, d)
		drain(c.Endpoint)
	} else {
		c.joining.HandleDatagram(t.now, d)
		t.joined(c)
	}
	t.speak(who)
}

// joined makes the machine of a client whose handshake is over.
func (t *town) joined(c *townsman) {
	joined, err := c.joining.Outcome()
	if err != nil {
		panic(err)
	}
	if joined == nil {
		return
	}
	config := t.machine()
	config.Sealer, config.HandshakeRTT, config.Seed = joined.Session, joined.RTT, c.seed
	c.joining, c.Endpoint = nil, reliable.New(t.now, config)
}

// speak posts what a client has to say, and notes when it has to be asked again.
func (t *town) speak(who int) {
	c := t.clients[who]
	poll, next := c.machine()
	for d := poll(t.now, t.buf); len(d) > 0; d = poll(t.now, t.buf) {
		t.toHost.post(d, who)
	}
	t.timers.Set(&c.timer, next())
}

func (c *townsman) machine() (poll func(int64, []byte) []byte, next func() int64) {
	if c.joining != nil {
		return c.joining.PollDatagram, c.joining.NextDeadline
	}
	return c.PollDatagram, c.NextDeadline
}

// number is the place of a client among the clients, which its seed was made of.
func (c *townsman) number() int { return int(binary.LittleEndian.Uint64(c.seed[:])) - 1 }

// TryRead is of the host's socket, as are the three below.
func (t *town) TryRead(p []byte) (n int, from netip.AddrPort, at netip.Addr, err error) {
	if t.closed {
		return 0, from, at, net.ErrClosed
	}
	d, who, ok := t.toHost.take()
	if !ok {
		return 0, from, at, nil
	}
	t.packets++
	return copy(p, d), addressOf(who), at, nil
}

func (t *town) Write(d []byte, to netip.AddrPort, _ netip.Addr) error {
	t.packets++
	if t.clients != nil {
		t.fromHost.post(d, whoHas(to))
	}
	return nil
}

func (t *town) LocalAddr() netip.AddrPort { return netip.AddrPort{} }
func (t *town) Close() error              { t.closed = true; return nil }

// addressOf is the address of a client, each its own.
func addressOf(who int) netip.AddrPort {
	var a [4]byte
	binary.BigEndian.PutUint32(a[:], 10<<24|uint32(who))
	return netip.AddrPortFrom(netip.AddrFrom4(a), 4000)
}

func whoHas(addr netip.AddrPort) int {
	a := addr.Addr().As4()
	return int(binary.BigEndian.Uint32(a[:]) & 0xFFFFFF)
}

// letters are datagrams that wait, in memory that is used again once all are taken.
type letters struct {
	bytes []byte
	all   []letter
	taken int
}

type letter struct{ begin, end, who int }

func (l *letters) post(d []byte, who int) {
	begin := len(l.bytes)
	l.bytes = append(l.bytes, d...)
	l.all = append(l.all, letter{begin, len(l.bytes), who})
}

// take lends the next one until post is called.
func (l *letters) take() (d []byte, who int, ok bool) {
	if l.taken == len(l.all) {
		l.bytes, l.all, l.taken = l.bytes[:0], l.all[:0], 0
		return nil, 0, false
	}
	next := l.all[l.taken]
	l.taken++
	return l.bytes[next.begin:next.end], next.who, true
}
