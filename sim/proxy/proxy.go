package proxy

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gannet-net/gannet/sim"
)

// Proxy is one relay. Make it with New, let it work with Run.
type Proxy struct {
	cfg    Config
	began  time.Time
	socket *net.UDPConn // towards the clients
	to     netip.AddrPort

	up, down   *lane
	done       chan struct{} // closed by Close
	goroutines sync.WaitGroup

	mu      sync.Mutex
	closed  bool
	clients map[netip.AddrPort]*client

	refused, expired, errors atomic.Uint64
}

// Counts are what became of the datagrams.
type Counts struct {
	Up, Down sim.Counts // the books of both directions, summed over the clients

	Clients int    // now
	Expired uint64 // clients forgotten because they were idle
	Refused uint64 // datagrams of clients that were too many
	Errors  uint64 // reads and writes that failed, as those to a closed port do on some systems
}

// New opens the socket for the clients and finds the host. Datagrams wait in the socket until Run.
func New(c Config) (*Proxy, error) {
	c = c.withDefaults()
	if err := c.check(); err != nil {
		return nil, err
	}
	to, err := net.ResolveUDPAddr("udp", c.To)
	if err != nil {
		return nil, fmt.Errorf("proxy: address of the host: %w", err)
	}
	local, err := net.ResolveUDPAddr("udp", c.Listen)
	if err != nil {
		return nil, fmt.Errorf("proxy: address to listen on: %w", err)
	}
	socket, err := net.ListenUDP("udp", local)
	if err != nil {
		return nil, fmt.Errorf("proxy: %w", err)
	}
	growBuffers(socket)
	return &Proxy{
		cfg: c, began: time.Now(), socket: socket, to: to.AddrPort(),
		up: newLane("up", c.Seed, c.Up), down: newLane("down", c.Seed, c.Down),
		done: make(chan struct{}), clients: map[netip.AddrPort]*client{},
	}, nil
}

// growBuffers asks for room for bursts; the system may give less.
func growBuffers(socket *net.UDPConn) {
	const size = 4 << 20
	_, _ = socket.SetReadBuffer(size), socket.SetWriteBuffer(size)
}

// Addr is the address that clients send to.
func (p *Proxy) Addr() netip.AddrPort {
	addr := p.socket.LocalAddr().(*net.UDPAddr).AddrPort()
	return netip.AddrPortFrom(addr.Addr().Unmap(), addr.Port())
}

// Run relays until Close and then returns nil. It is called once.
func (p *Proxy) Run() error {
	if !p.start() {
		return nil
	}
	defer p.goroutines.Done()
	for buf := make([]byte, maxPayload); ; {
		n, from, err := p.socket.ReadFromUDPAddrPort(buf)
		switch {
		case err == nil:
			p.relayUp(from, buf[:n])
		case errors.Is(err, net.ErrClosed):
			return nil
		default:
			p.backOff(err)
		}
	}
}

// start starts the two lanes and enters the caller among the goroutines; false if the proxy is closed.
func (p *Proxy) start() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return false
	}
	p.goroutines.Add(1)
	p.goroutines.Go(func() { p.up.pump(p.done) })
	p.goroutines.Go(func() { p.down.pump(p.done) })
	return true
}

// relayUp puts a datagram of a client on its way to the host. A client that is being forgotten at this moment is made anew.
func (p *Proxy) relayUp(from netip.AddrPort, datagram []byte) {
	for c := p.clientAt(from); c != nil; c = p.clientAt(from) {
		c.heard.Store(p.now())
		if p.up.send(c.up, datagram) {
			return
		}
	}
}

// Close ends the relay and what is on its way. When it returns nothing of the proxy runs any more. It may be called more than
// once, and without Run.
func (p *Proxy) Close() error {
	p.shut()
	p.goroutines.Wait()
	return nil
}

func (p *Proxy) shut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return
	}
	p.closed = true
	close(p.done)
	_ = p.socket.Close()
	for _, c := range p.clients {
		_ = c.upstream.Close()
	}
}

// SetConditions changes both directions from now on, for all clients. What is on its way is not affected. It returns an error, and
// changes nothing, if a field is out of range.
func (p *Proxy) SetConditions(up, down sim.Conditions) error {
	if err := checkConditions(up, down); err != nil {
		return err
	}
	p.up.set(up)
	p.down.set(down)
	return nil
}

// Counts gives the books as they are now.
func (p *Proxy) Counts() Counts {
	p.mu.Lock()
	clients := len(p.clients)
	p.mu.Unlock()
	return Counts{
		Up: p.up.counts(), Down: p.down.counts(),
		Clients: clients, Expired: p.expired.Load(), Refused: p.refused.Load(), Errors: p.errors.Load(),
	}
}

func (p *Proxy) now() int64 { return int64(time.Since(p.began)) }

// note counts an error of a socket. A write that fails is a lost datagram.
func (p *Proxy) note(err error) {
	if err != nil && !errors.Is(err, net.ErrClosed) {
		p.errors.Add(1)
	}
}

// backOff counts a failed read and waits a moment, so that one that goes on failing does not keep a processor busy.
func (p *Proxy) backOff(err error) {
	p.note(err)
	select {
	case <-time.After(time.Millisecond):
	case <-p.done:
	}
}
