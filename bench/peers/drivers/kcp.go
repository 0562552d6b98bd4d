package drivers

import (
	"errors"
	"math/rand/v2"
	"net"
	"net/netip"
	"slices"
	"sync"
	"time"

	"github.com/gannet-net/gannet/bench/peers/peer"
	kcpgo "github.com/xtaci/kcp-go/v5"
)

// kcp is kcp-go in its turbo mode, without and with forward error correction, and with its own congestion control, which turbo mode turns off.
func kcp() []peer.Driver {
	return []peer.Driver{
		kcpDriver("kcp", "turbo: NoDelay(1, 10, 2, 1)", kcpTuning{}, nil),
		kcpDriver("kcp-fec", "turbo, FEC(10,3); unreliable: its out-of-band packets", kcpTuning{data: 10, parity: 3}, nil),
		kcpDriver("kcp-cc", "NoDelay(1, 10, 2, 0), so with congestion control", kcpTuning{congestion: true}, []peer.Use{peer.Bottleneck}),
	}
}

func kcpDriver(name, settings string, t kcpTuning, only []peer.Use) peer.Driver {
	return peer.Driver{
		Name: name, Version: "github.com/xtaci/kcp-go/v5",
		Settings: settings + "; stream mode with 5 bytes before each message, no encryption, MTU 1200, windows 1,024, acks at once; no write delay, a write for each message. Rooms: a write for each " +
			"client and frame. Crowds: windows 128. Bulk: write delay, acks with the tick, windows 2,048, a goroutine writes what gathers up to 64 KiB. Bottleneck: the same with 4 KiB, and a send " +
			"window of 1.3 times the product of bandwidth and delay, which it is told. Heartbeats: the client writes an empty message",
		Ordered: true, Reliable: true, Unreliable: t.parity > 0, Only: only,
		Listen: t.listen,
		Dial:   t.dial,
	}
}

// kcpTuning is what tells the drivers of kcp apart.
type kcpTuning struct {
	data, parity int // packets of a group of forward error correction
	congestion   bool
}

const (
	kcpMTU  = 1200
	ownLane = 0xff // of messages of the driver itself: the first one of each end, since a stream is heard of when it says something, and heartbeats
)

// set sets a session.
func (t kcpTuning) set(session *kcpgo.UDPSession, s peer.Setup) {
	congestion := 1
	if t.congestion {
		congestion = 0
	}
	session.SetNoDelay(1, 10, 2, congestion)
	session.SetStreamMode(true)
	session.SetMtu(kcpMTU)
	bulk := s.Use == peer.Bulk || s.Use == peer.Bottleneck
	session.SetWriteDelay(bulk)
	session.SetACKNoDelay(!bulk)
	send, receive := kcpWindows(s)
	session.SetWindowSize(send, receive)
}

// kcpWindows gives the windows to send and to receive, in packets.
func kcpWindows(s peer.Setup) (send, receive int) {
	switch s.Use {
	case peer.Bulk:
		return 2048, 2048
	case peer.Bottleneck:
		product := float64(s.Path.Rate) / 8 * s.Path.RTT.Seconds() / kcpMTU
		return max(int(1.3*product), 32), 2048
	case peer.Crowd, peer.Rooms:
		return 128, 128
	}
	return 1024, 1024
}

// kcpHost is a listener, with a goroutine for each client that reads.
type kcpHost struct {
	peer.Moving
	tuning   kcpTuning
	setup    peer.Setup
	socket   *net.UDPConn
	listener *kcpgo.Listener
	crew     crew
	held
}

func (t kcpTuning) listen(s peer.Setup) (peer.Host, error) {
	socket, err := udpSocket(netip.Addr{}, true)
	if err != nil {
		return nil, err
	}
	listener, err := kcpgo.ServeConn(nil, t.data, t.parity, socket)
	if err != nil {
		return nil, errors.Join(err, socket.Close())
	}
	h := &kcpHost{tuning: t, setup: s, socket: socket, listener: listener}
	h.crew.run(func() { _ = listener.Close() }, h.accept)
	return h, nil
}

func (h *kcpHost) Addr() string { return h.listener.Addr().String() }

func (h *kcpHost) accept() {
	for {
		session, err := h.listener.AcceptKCP()
		if err != nil {
			return
		}
		c := newKCPConn(session, h.tuning, h.setup, &h.held)
		receive := c.over(h.held.over(h.setup.Accept(c)))
		h.crew.run(c.Close, func() { c.read(receive, func() { h.greet(c) }) })
	}
}

// greet answers the first message of a client.
func (h *kcpHost) greet(c *kcpConn) {
	_ = c.writer.Send(ownLane, nil)
	h.Flush()
}

func (h *kcpHost) Close() {
	h.crew.end()
	_ = h.socket.Close()
}

// kcpConn is one end of a connection.
type kcpConn struct {
	peer.Moving
	writer  frames
	session *kcpgo.UDPSession
	setup   peer.Setup
	heart   heart

	mu    sync.Mutex
	aside []byte // an out-of-band packet that is being made
}

func newKCPConn(session *kcpgo.UDPSession, t kcpTuning, s peer.Setup, all *held) *kcpConn {
	t.set(session, s)
	return &kcpConn{writer: newFrames(session, s, all), session: session, setup: s}
}

func (t kcpTuning) dial(addr string, s peer.Setup) (peer.Conn, error) {
	to, err := net.ResolveUDPAddr("udp4", addr)
	if err != nil {
		return nil, err
	}
	socket, err := udpSocket(s.Local, !s.Use.Crowded())
	if err != nil {
		return nil, err
	}
	session, err := kcpgo.NewConn4(rand.Uint32(), to, nil, t.data, t.parity, true, socket)
	if err != nil {
		return nil, errors.Join(err, socket.Close())
	}
	c := newKCPConn(session, t, s, nil)
	if err := c.connect(); err != nil {
		c.Close()
		return nil, err
	}
	return c, nil
}

// connect says the first message, and waits for that of the host.
func (c *kcpConn) connect() error {
	receive, stands := c.over(c.setup.Accept(c)), make(chan struct{}, 1)
	go c.read(receive, func() { stands <- struct{}{} })
	if err := c.writer.Send(ownLane, nil); err != nil {
		return err
	}
	select {
	case <-stands:
		c.heart.beat(c.setup.Heartbeat, func() { _ = c.writer.Send(ownLane, nil) })
		return nil
	case <-time.After(handshakeTime):
		return errors.New("kcp: no answer")
	}
}

// over lets out-of-band packets be received too, which start with their lane.
func (c *kcpConn) over(receive peer.Receive) peer.Receive {
	if !slices.Contains(c.setup.Lanes, peer.Unreliable) {
		return receive
	}
	receive = oneByOne(receive)
	_ = c.session.SetOOBHandler(func(packet []byte) {
		if len(packet) > 0 {
			receive(int(packet[0]), packet[1:])
		}
	})
	return receive
}

// read hands out what comes in, until the session ends. It calls first for the first message of the other end's driver.
func (c *kcpConn) read(receive peer.Receive, first func()) {
	heard := false
	_ = peer.ReadFrames(c.session, c.setup, func(lane int, payload []byte) {
		switch {
		case lane != ownLane:
			receive(lane, payload)
		case !heard:
			heard = true
			first()
		}
	})
	c.Close()
}

func (c *kcpConn) Send(lane int, payload []byte) error {
	if c.setup.Lanes[lane] == peer.Reliable {
		return c.writer.Send(lane, payload)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.aside = append(append(c.aside[:0], byte(lane)), payload...)
	return c.session.SendOOB(c.aside)
}

func (c *kcpConn) Flush() {}
func (c *kcpConn) Await() { c.writer.Await() }

func (c *kcpConn) Close() {
	c.heart.stop()
	c.writer.Close()
	_ = c.session.Close()
}
