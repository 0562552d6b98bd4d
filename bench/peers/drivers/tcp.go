package drivers

import (
	"net"
	"net/netip"
	"sync"

	"github.com/gannet-net/gannet/bench/peers/peer"
)

// tcp is the kernel's TCP with each congestion control that the system lets us choose.
func tcp() []peer.Driver {
	var all []peer.Driver
	for _, control := range []string{"cubic", "bbr"} {
		if !tcpOffers(control) {
			continue
		}
		all = append(all, peer.Driver{
			Name:     "tcp-" + control,
			Settings: "NODELAY, 5 bytes before each message; a write for each message, but in bulk a goroutine writes what gathers, up to 64 KiB",
			Ordered:  true, Reliable: true, NoRelay: true, Limit: true, MaxClients: 15_000, // of the descriptors that a process may have
			Listen: func(s peer.Setup) (peer.Host, error) { return listenTCP(s, control) },
			Dial:   func(addr string, s peer.Setup) (peer.Conn, error) { return dialTCP(addr, s, control) },
		})
	}
	return all
}

// tcpHost is a listener, with a goroutine for each client that reads.
type tcpHost struct {
	peer.Moving
	setup    peer.Setup
	listener net.Listener
	running  sync.WaitGroup

	mu     sync.Mutex
	conns  map[*tcpConn]struct{}
	closed bool
}

func listenTCP(s peer.Setup, control string) (*tcpHost, error) {
	listener, err := tcpListenConfig(control).Listen(background, "tcp4", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	h := &tcpHost{setup: s, listener: listener, conns: map[*tcpConn]struct{}{}}
	h.running.Go(h.accept)
	return h, nil
}

func (h *tcpHost) Addr() string { return h.listener.Addr().String() }

func (h *tcpHost) Flush() {}

func (h *tcpHost) accept() {
	for {
		raw, err := h.listener.Accept()
		if err != nil {
			return
		}
		c := newTCPConn(raw, h.setup)
		if !h.add(c) {
			c.Close()
			return
		}
		receive := h.setup.Accept(c)
		h.running.Go(func() {
			c.read(receive)
			h.remove(c)
		})
	}
}

func (h *tcpHost) add(c *tcpConn) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.closed {
		h.conns[c] = struct{}{}
	}
	return !h.closed
}

func (h *tcpHost) remove(c *tcpConn) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.conns, c)
}

func (h *tcpHost) Close() {
	h.mu.Lock()
	h.closed = true
	_ = h.listener.Close()
	for c := range h.conns {
		c.Close()
	}
	h.mu.Unlock()
	h.running.Wait()
}

// tcpConn is one end of a connection.
type tcpConn struct {
	peer.Moving
	*peer.FrameWriter
	raw   net.Conn
	setup peer.Setup
}

func newTCPConn(raw net.Conn, s peer.Setup) *tcpConn {
	gather := 0
	if s.Use == peer.Bulk {
		gather = max(64<<10, s.Message)
	}
	return &tcpConn{FrameWriter: peer.NewFrameWriter(raw, gather), raw: raw, setup: s}
}

func dialTCP(addr string, s peer.Setup, control string) (*tcpConn, error) {
	dialer := tcpDialer(control)
	if s.Local.IsValid() {
		dialer.LocalAddr = net.TCPAddrFromAddrPort(netip.AddrPortFrom(s.Local, 0))
	}
	raw, err := dialer.Dial("tcp4", addr)
	if err != nil {
		return nil, err
	}
	c := newTCPConn(raw, s)
	receive := s.Accept(c)
	go c.read(receive)
	return c, nil
}

// read hands out what comes in, until the connection ends.
func (c *tcpConn) read(receive peer.Receive) {
	_ = peer.ReadFrames(c.raw, c.setup, receive)
	c.Close()
}

func (c *tcpConn) Close() {
	c.FrameWriter.Close()
	_ = c.raw.Close()
}
