//go:build enet

package drivers

// #cgo LDFLAGS: -lenet
// #include "enet.h"
import "C"

import (
	"encoding/binary"
	"errors"
	"net"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/gannet-net/gannet/bench/peers/peer"
)

const enetLeftOut = ""

// enet is ENet, through cgo.
func enet() []peer.Driver {
	return []peer.Driver{{
		Name: "enet", Settings: "through cgo, whose cost is in the figures; what C allocates is not. Each end a game loop with a socket of its own, on which it sleeps in Go for 1 ms at most (crowds: hosts " +
			"5 ms, clients 100 ms). MTU 1200, a channel for each lane, flushed when the sender pauses, unreliable: sequenced. Bulk: flushed every 32 messages too, at most 96 KiB or 16 messages not " +
			"acknowledged. Bottleneck: 80 KiB. Heartbeats: its pings",
		Ordered: true, Reliable: true, Unreliable: true, MaxClients: enetPeers,
		Listen: enetListen,
		Dial:   enetDial,
	}}
}

const (
	enetPeers    = 4095 // at most
	enetChannels = 2
	enetMTU      = 1200
)

var enetStart = sync.OnceValue(func() error {
	if C.enet_initialize() != 0 {
		return errors.New("enet: no start")
	}
	return nil
})

// enetEnd is the listening end or a client: a game loop around one socket.
type enetEnd struct {
	setup  peer.Setup
	socket *enetSocket
	step   time.Duration // how long to sleep at most, since ENet does not say when it has to resend
	on     func(*C.ENetEvent)

	mu    sync.Mutex // held while in C. Clients of Crowd have a goroutine beside their owner
	c     *C.end     // nil when closed
	dirty bool       // something was sent since the last flush
}

func newENetEnd(s peer.Setup, peers int, step time.Duration) (*enetEnd, error) {
	if err := enetStart(); err != nil {
		return nil, err
	}
	local := s.Local
	if !local.IsValid() {
		local = netip.AddrFrom4([4]byte{127, 0, 0, 1})
	}
	buffer := 4 << 20
	if s.Use.Crowded() && peers == 1 {
		buffer = 0
	}
	e := &enetEnd{setup: s, step: step}
	e.c = C.end_create(enetAddress(local), C.size_t(peers), enetChannels, enetMTU, C.int(buffer))
	if e.c == nil {
		return nil, errors.New("enet: no host")
	}
	switch s.Use {
	case peer.Bulk:
		e.c.limit, e.c.gather = C.size_t(max(96<<10, 16*s.Message)), 32 // each flush walks over all that waits
	case peer.Bottleneck:
		e.c.limit, e.c.gather = 80<<10, 32
	}
	var err error
	if e.socket, err = newENetSocket(int(e.c.host.socket)); err != nil {
		C.end_destroy(e.c)
	}
	return e, err
}

// enetAddress gives an address of IPv4 as ENet has it: the bytes as they are on the wire.
func enetAddress(a netip.Addr) C.enet_uint32 {
	bytes := a.As4()
	return C.enet_uint32(binary.NativeEndian.Uint32(bytes[:]))
}

// Drive sleeps until something comes in, or it is time to look for what has to be sent again, and is one turn of the loop.
func (e *enetEnd) Drive(d time.Duration) {
	if d > 0 {
		e.socket.wait(min(d, e.step))
	}
	for e.turn() {
	}
	e.flush(false)
}

// turn reports whether there may be more.
func (e *enetEnd) turn() bool {
	e.mu.Lock()
	c, n := e.c, 0
	if c != nil {
		n = int(C.end_turn(c))
	}
	e.mu.Unlock()
	for i := range n {
		e.on(&c.events[i])
	}
	return n == C.END_BATCH
}

func (e *enetEnd) Flush() { e.flush(true) }

// flush sends what waits. If it is not sure that something does, it looks first.
func (e *enetEnd) flush(sure bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.c != nil && (sure || e.dirty) {
		C.end_flush(e.c)
	}
	e.dirty = false
}

func (e *enetEnd) send(to *C.ENetPeer, lane int, payload []byte) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.c == nil {
		return net.ErrClosed
	}
	reliable := C.int(0)
	if e.setup.Lanes[lane] == peer.Reliable {
		reliable = 1
	}
	e.dirty = true
	switch C.end_send(e.c, to, C.enet_uint8(lane), unsafe.Pointer(unsafe.SliceData(payload)), C.size_t(len(payload)), reliable) {
	case C.END_SENT:
		return nil
	case C.END_FULL:
		return peer.ErrFull
	}
	return errors.New("enet: not sent")
}

// full reports whether less than a quarter of the queue is free.
func (e *enetEnd) full() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.c != nil && e.c.waiting > e.c.limit*3/4
}

// tend sets a peer that has connected.
func (e *enetEnd) tend(p *C.ENetPeer) {
	e.mu.Lock()
	defer e.mu.Unlock()
	C.enet_peer_timeout(p, 0, 30_000, 60_000) // ms; connections should outlive heavy loss
	if e.setup.Heartbeat > 0 {
		C.enet_peer_ping_interval(p, C.enet_uint32(e.setup.Heartbeat.Milliseconds()))
	}
}

// close tells the peers and frees the end.
func (e *enetEnd) close(peers ...*C.ENetPeer) {
	e.socket.close()
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.c == nil {
		return
	}
	for _, p := range peers {
		C.enet_peer_disconnect_now(p, 0)
	}
	C.end_destroy(e.c)
	e.c = nil
}

// enetConn is one end of a connection.
type enetConn struct {
	*enetEnd
	peer    *C.ENetPeer
	receive peer.Receive
	gone    atomic.Bool
}

func (c *enetConn) Send(lane int, payload []byte) error {
	if c.gone.Load() {
		return net.ErrClosed
	}
	return c.send(c.peer, lane, payload)
}

// Await drives the end until there is room again, for 5 ms at most.
func (c *enetConn) Await() {
	for deadline := time.Now().Add(5 * time.Millisecond); ; c.socket.wait(time.Millisecond) {
		c.Drive(0)
		if !c.full() || time.Now().After(deadline) {
			return
		}
	}
}

func enetPayload(ev *C.ENetEvent) []byte {
	return unsafe.Slice((*byte)(ev.packet.data), int(ev.packet.dataLength))
}

// enetHost is the listening end and its connections, by the number of their peers.
type enetHost struct {
	*enetEnd
	conns []*enetConn
}

func enetListen(s peer.Setup) (peer.Host, error) {
	step := time.Millisecond
	if s.Use.Crowded() {
		step *= 5
	}
	end, err := newENetEnd(s, s.Clients, step)
	if err != nil {
		return nil, err
	}
	h := &enetHost{end, make([]*enetConn, s.Clients)}
	end.on = h.happens
	return h, nil
}

func (h *enetHost) Addr() string { return h.socket.conn.LocalAddr().String() }

func (h *enetHost) happens(ev *C.ENetEvent) {
	number := ev.peer.incomingPeerID
	switch ev._type {
	case C.ENET_EVENT_TYPE_CONNECT:
		h.tend(ev.peer)
		c := &enetConn{enetEnd: h.enetEnd, peer: ev.peer}
		h.conns[number] = c
		c.receive = h.setup.Accept(hostedENetConn{c})
	case C.ENET_EVENT_TYPE_RECEIVE:
		h.conns[number].receive(int(ev.channelID), enetPayload(ev))
	case C.ENET_EVENT_TYPE_DISCONNECT:
		h.conns[number].gone.Store(true)
	}
}

func (h *enetHost) Close() {
	var peers []*C.ENetPeer
	for _, c := range h.conns {
		if c != nil && !c.gone.Load() {
			peers = append(peers, c.peer)
		}
	}
	h.close(peers...)
}

// hostedENetConn is a connection of a host, which does not close the host.
type hostedENetConn struct{ *enetConn }

func (c hostedENetConn) Close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.c != nil && !c.gone.Load() {
		C.enet_peer_disconnect_now(c.peer, 0)
		c.gone.Store(true)
	}
}

// enetClient is a connection with an end of its own. In a crowd it moves by itself.
type enetClient struct {
	enetConn
	crew crew
}

func enetDial(addr string, s peer.Setup) (peer.Conn, error) {
	to, err := netip.ParseAddrPort(addr)
	if err != nil {
		return nil, err
	}
	step := time.Millisecond
	if s.Use.Crowded() {
		step *= 100
	}
	end, err := newENetEnd(s, 1, step)
	if err != nil {
		return nil, err
	}
	c := &enetClient{enetConn: enetConn{enetEnd: end}}
	end.on = c.happens
	if err := c.connect(to); err != nil {
		c.Close()
		return nil, err
	}
	if s.Use.Crowded() {
		c.crew.run(c.socket.close, c.run)
		return enetWalker{c}, nil
	}
	return c, nil
}

// connect drives the client until the connection stands.
func (c *enetClient) connect(to netip.AddrPort) error {
	c.peer = C.end_connect(c.c, enetAddress(to.Addr()), C.enet_uint16(to.Port()), enetChannels)
	if c.peer == nil {
		return errors.New("enet: no peer")
	}
	for deadline := time.Now().Add(handshakeTime); c.receive == nil; c.Drive(time.Millisecond) {
		if c.gone.Load() || time.Now().After(deadline) {
			return errors.New("enet: no answer")
		}
	}
	return nil
}

func (c *enetClient) happens(ev *C.ENetEvent) {
	switch ev._type {
	case C.ENET_EVENT_TYPE_CONNECT:
		c.tend(ev.peer)
		c.receive = c.setup.Accept(c)
	case C.ENET_EVENT_TYPE_RECEIVE:
		c.receive(int(ev.channelID), enetPayload(ev))
	case C.ENET_EVENT_TYPE_DISCONNECT:
		c.gone.Store(true)
	}
}

func (c *enetClient) run() {
	for !c.socket.closed.Load() {
		c.Drive(c.step)
	}
}

func (c *enetClient) Close() {
	c.crew.end()
	c.close(c.peer)
}

// enetWalker is a client that moves by itself: its owner does not drive it.
type enetWalker struct{ *enetClient }

func (enetWalker) Drive(d time.Duration) { time.Sleep(d) }
func (enetWalker) Await()                { time.Sleep(time.Millisecond) }
