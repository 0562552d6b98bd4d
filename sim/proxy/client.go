package proxy

import (
	"errors"
	"net"
	"net/netip"
	"os"
	"sync/atomic"
	"time"
)

// client is one address that sends to the proxy, and the socket that stands for it towards the host.
type client struct {
	addr     netip.AddrPort
	upstream *net.UDPConn
	up, down *passage
	heard    atomic.Int64 // when a datagram came from either side, in nanoseconds since the proxy was made
}

// clientAt finds the client with that address, or makes it; nil if there are too many, or no socket for it.
func (p *Proxy) clientAt(addr netip.AddrPort) *client {
	p.mu.Lock()
	defer p.mu.Unlock()
	if c := p.clients[addr]; c != nil {
		return c
	}
	if len(p.clients) >= p.cfg.MaxClients || p.closed {
		p.refused.Add(1)
		return nil
	}
	upstream, err := net.DialUDP("udp", nil, net.UDPAddrFromAddrPort(p.to))
	if err != nil {
		p.errors.Add(1)
		return nil
	}
	return p.add(addr, upstream)
}

// add begins to relay for a new client. The proxy's lock is held.
func (p *Proxy) add(addr netip.AddrPort, upstream *net.UDPConn) *client {
	growBuffers(upstream)
	c := &client{addr: addr, upstream: upstream}
	c.heard.Store(p.now())
	c.up = p.up.open(func(d []byte) { p.writeUp(upstream, d) })
	c.down = p.down.open(func(d []byte) {
		_, err := p.socket.WriteToUDPAddrPort(d, addr)
		p.note(err)
	})
	p.clients[addr] = c
	p.goroutines.Go(func() { p.readHost(c) })
	return c
}

// writeUp sends a datagram to the host. Some systems report that an earlier one was refused in place of sending this one, so a
// failure is tried again.
func (p *Proxy) writeUp(upstream *net.UDPConn, d []byte) {
	if _, err := upstream.Write(d); err != nil {
		p.note(err)
		_, err = upstream.Write(d)
		p.note(err)
	}
}

// forget ends a client.
func (p *Proxy) forget(c *client) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.clients[c.addr] != c {
		return
	}
	delete(p.clients, c.addr)
	p.up.close(c.up)
	p.down.close(c.down)
	_ = c.upstream.Close()
}

// readHost relays what the host sends to one client, until the client is idle or the proxy closes.
func (p *Proxy) readHost(c *client) {
	defer p.forget(c)
	buf := make([]byte, maxPayload)
	for {
		left := p.cfg.Idle - time.Duration(p.now()-c.heard.Load())
		if left <= 0 {
			p.expired.Add(1)
			return
		}
		_ = c.upstream.SetReadDeadline(time.Now().Add(left))
		if !p.relayDown(c, buf) {
			return
		}
	}
}

// relayDown relays until a read fails. It reports whether it makes sense to go on.
func (p *Proxy) relayDown(c *client, buf []byte) bool {
	for {
		n, err := c.upstream.Read(buf)
		switch {
		case err == nil:
			c.heard.Store(p.now())
			p.down.send(c.down, buf[:n])
		case errors.Is(err, net.ErrClosed):
			return false
		case errors.Is(err, os.ErrDeadlineExceeded):
			return true
		default:
			p.backOff(err)
		}
	}
}
