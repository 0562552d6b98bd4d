package drivers

import (
	"errors"
	"net"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gannet-net/gannet/bench/peers/peer"
)

// raw is datagrams without a protocol, as the limit of what the system calls allow: one at a time, in batches of system calls, and in runs of equal ones; each also sealed
// as gannet seals.
func raw() []peer.Driver {
	var all []peer.Driver
	for _, kind := range []struct {
		name, settings string
		open           func(*net.UDPConn) (rawSocket, error)
	}{
		{"rawudp", "a datagram for each message; WriteToUDPAddrPort and ReadFromUDPAddrPort", openSingle},
		{"rawudp-mmsg", "sendmmsg and recvmmsg with prepared headers, up to 64 datagrams", openBatch},
		{"rawudp-gso", "UDP_SEGMENT for runs to one address, up to 64 datagrams, and UDP_GRO", openSegmented},
	} {
		for _, sealed := range []bool{false, true} {
			r := rawTuning{open: kind.open, sealed: sealed}
			d := peer.Driver{Name: kind.name, Settings: kind.settings, Unreliable: true, Limit: true, MaxMessage: maxRaw, Encrypted: sealed, Listen: r.listen, Dial: r.dial}
			if sealed {
				d.Name += "-sealed"
				d.Settings += "; AES-256-GCM, 9 bytes of head and 16 of tag, a key for each direction of each connection"
			}
			all = append(all, d)
		}
	}
	return all
}

// maxRaw is what fits in a datagram of 1,200 bytes beside the seal.
const maxRaw = 1200 - sealOverhead

// rawSocket is a way to read and write datagrams.
type rawSocket interface {
	// read calls handle with each datagram, until the socket is closed, and drained whenever everything that a call of the system gave was handed out.
	read(handle func(from netip.AddrPort, datagram []byte), drained func())
	// send sends a datagram, now or at flush. The bytes are copied if they are kept.
	send(datagram []byte, to netip.AddrPort)
	flush()
}

// rawTuning is what tells the raw drivers apart.
type rawTuning struct {
	open   func(*net.UDPConn) (rawSocket, error)
	sealed bool
}

// rawEnd is a socket, the goroutine that reads it, and the connections on it.
type rawEnd struct {
	peer.Moving
	tuning rawTuning
	setup  peer.Setup
	conn   *net.UDPConn
	socket rawSocket
	ended  chan struct{}

	mu    sync.Mutex // of socket's sending side, and of the buffers and numbers of connections
	buf   [2048]byte
	conns map[netip.AddrPort]*rawConn // of a host; the reader's own
}

func (t rawTuning) newEnd(s peer.Setup, large bool) (*rawEnd, error) {
	conn, err := udpSocket(s.Local, large)
	if err != nil {
		return nil, err
	}
	e := &rawEnd{tuning: t, setup: s, conn: conn, ended: make(chan struct{}), conns: map[netip.AddrPort]*rawConn{}}
	if e.socket, err = t.open(conn); err != nil {
		_ = conn.Close()
	}
	return e, err
}

func (t rawTuning) listen(s peer.Setup) (peer.Host, error) {
	e, err := t.newEnd(s, true)
	if err != nil {
		return nil, err
	}
	h := &rawHost{e}
	go func() {
		defer close(e.ended)
		e.socket.read(h.handle, e.flush)
	}()
	return h, nil
}

func (e *rawEnd) flush() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.socket.flush()
}

func (e *rawEnd) shut() {
	_ = e.conn.Close()
	<-e.ended
}

// rawHost knows its clients by their addresses.
type rawHost struct{ *rawEnd }

func (h *rawHost) Addr() string { return h.conn.LocalAddr().String() }
func (h *rawHost) Flush()       { h.flush() }
func (h *rawHost) Close()       { h.shut() }

// handle takes a datagram. The first of a client is its hello, and is answered.
func (h *rawHost) handle(from netip.AddrPort, datagram []byte) {
	c := h.conns[from]
	if c == nil {
		c = newRawConn(h.rawEnd, from, roleHost)
		h.conns[from] = c
		c.receive = h.setup.Accept(c)
	}
	if len(datagram) == 0 {
		c.hello()
		return
	}
	c.take(datagram)
}

// rawConn is the state for one address.
type rawConn struct {
	*rawEnd
	to        netip.AddrPort
	receive   peer.Receive
	answered  chan struct{} // closed by the first datagram
	answer    sync.Once
	seal      *seal
	forged    atomic.Int64
	isClients bool
}

func newRawConn(e *rawEnd, to netip.AddrPort, role byte) *rawConn {
	c := &rawConn{rawEnd: e, to: to, isClients: role == roleClient}
	if e.tuning.sealed {
		c.seal = newSeal(role)
	}
	return c
}

func (t rawTuning) dial(addr string, s peer.Setup) (peer.Conn, error) {
	to, err := netip.ParseAddrPort(addr)
	if err != nil {
		return nil, err
	}
	e, err := t.newEnd(s, !s.Use.Crowded())
	if err != nil {
		return nil, err
	}
	c := newRawConn(e, to, roleClient)
	c.answered = make(chan struct{})
	c.receive = s.Accept(c)
	go func() {
		defer close(e.ended)
		e.socket.read(func(_ netip.AddrPort, datagram []byte) {
			c.answer.Do(func() { close(c.answered) })
			if len(datagram) > 0 {
				c.take(datagram)
			}
		}, e.flush)
	}()
	return c, c.greet()
}

// greet says hello until it is answered.
func (c *rawConn) greet() error {
	for range 50 {
		c.hello()
		select {
		case <-c.answered:
			return nil
		case <-time.After(100 * time.Millisecond):
		}
	}
	c.shut()
	return errors.New("no answer")
}

func (c *rawConn) hello() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.socket.send(nil, c.to)
	c.socket.flush()
}

// take opens a datagram and hands out its message. The lane is its first byte.
func (c *rawConn) take(datagram []byte) {
	if c.seal != nil {
		if datagram = c.seal.open(datagram); datagram == nil {
			c.forged.Add(1)
			return
		}
	}
	c.receive(0, datagram)
}

func (c *rawConn) Send(_ int, payload []byte) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.seal != nil {
		payload = c.seal.seal(c.buf[:0], payload)
	}
	c.socket.send(payload, c.to)
	return nil
}

func (c *rawConn) Flush() { c.flush() }
func (c *rawConn) Await() {}

func (c *rawConn) Close() {
	if c.isClients {
		c.shut()
	}
}
