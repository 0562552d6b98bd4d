package drivers

import (
	"net"
	"net/netip"

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
			Settings: "NODELAY, 5 bytes before each message; a write for each message, but in bulk a goroutine writes what gathers, up to 64 KiB, and rooms have a write for each client and frame",
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
	crew     crew
	held
}

func listenTCP(s peer.Setup, control string) (*tcpHost, error) {
	listener, err := tcpListenConfig(control).Listen(background, "tcp4", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	h := &tcpHost{setup: s, listener: listener}
	h.crew.run(func() { _ = listener.Close() }, h.accept)
	return h, nil
}

func (h *tcpHost) Addr() string { return h.listener.Addr().String() }

func (h *tcpHost) accept() {
	for {
		raw, err := h.listener.Accept()
		if err != nil {
			return
		}
		c := newTCPConn(raw, h.setup, &h.held)
		receive := h.over(h.setup.Accept(c))
		h.crew.run(c.Close, func() { c.read(receive) })
	}
}

func (h *tcpHost) Close() { h.crew.end() }

// tcpConn is one end of a connection.
type tcpConn struct {
	peer.Moving
	frames
	raw   net.Conn
	setup peer.Setup
}

func newTCPConn(raw net.Conn, s peer.Setup, all *held) *tcpConn {
	return &tcpConn{frames: newFrames(raw, s, all), raw: raw, setup: s}
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
	c := newTCPConn(raw, s, nil)
	receive := s.Accept(c)
	go c.read(receive)
	return c, nil
}

// read hands out what comes in, until the connection ends.
func (c *tcpConn) read(receive peer.Receive) {
	_ = peer.ReadFrames(c.raw, c.setup, receive)
	c.Close()
}

// Flush does nothing: a message leaves at once, or as soon as the write before is done. Those that a host holds are flushed there.
func (c *tcpConn) Flush() {}

func (c *tcpConn) Close() {
	c.frames.Close()
	_ = c.raw.Close()
}
