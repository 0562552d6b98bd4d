package sim

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"slices"
)

var (
	// ErrTooLong is returned by Write for a payload above MaxPayload.
	ErrTooLong = errors.New("sim: message too long")
	// ErrUnreachable is returned by Write if the node has no address of the destination's family.
	ErrUnreachable = errors.New("sim: network is unreachable")
)

// DefaultReadBuffer is how much a receive buffer holds unless SetReadBuffer says otherwise, in bytes. A datagram takes
// its payload and 256 bytes more, so that empty ones fill it as well.
const DefaultReadBuffer = 1 << 20

const datagramCharge = 256

// Socket is a UDP socket of a node. It fits the socket interface of package udp. No method blocks.
type Socket struct {
	node     *Node
	local    netip.AddrPort
	wildcard bool
	closed   bool
	samePort *Socket // next of the node's sockets with this port

	waiting fifo
	held    int // what waiting takes of the buffer
	buffer  int

	tasks []*task // woken by what arrives here, besides those of the node that are woken by everything

	reads, writes faults
	refusal       error  // what a refused datagram is reported as, nil if not at all
	refused       faults // the report that came, for the next call of either kind
}

// Listen opens a socket on all addresses of the node, present and to come. Port 0 picks a free one.
func (n *Node) Listen(port uint16) (*Socket, error) {
	any := netip.IPv6Unspecified()
	if !slices.ContainsFunc(n.addrs, netip.Addr.Is6) {
		any = netip.IPv4Unspecified()
	}
	return n.ListenOn(netip.AddrPortFrom(any, port))
}

// ListenOn opens a socket bound to one address of the node, or to all if it is unspecified.
func (n *Node) ListenOn(a netip.AddrPort) (*Socket, error) {
	s := &Socket{node: n, wildcard: a.Addr().IsUnspecified(), buffer: DefaultReadBuffer}
	if n.down {
		return nil, fmt.Errorf("listen on %s: %w", n.name, ErrDown)
	}
	if err := n.listens.take(&n.nw.failed.ReadErrors); err != nil {
		return nil, fmt.Errorf("listen on %s, %v: %w", n.name, a, err)
	}
	if !s.wildcard && !n.has(a.Addr()) {
		return nil, fmt.Errorf("listen on %s, %v: %w", n.name, a, ErrNotLocal)
	}
	if a.Port() == 0 {
		a = netip.AddrPortFrom(a.Addr(), n.freePort())
	} else if n.taken(a) {
		return nil, fmt.Errorf("listen on %s, %v: %w", n.name, a, ErrInUse)
	}
	s.local = a
	s.samePort = n.ports[a.Port()]
	n.ports[a.Port()] = s
	n.sockets = append(n.sockets, s)
	return s, nil
}

// taken reports whether a socket is bound to the very address. A wildcard and a single address may share a port.
func (n *Node) taken(a netip.AddrPort) bool {
	for s := n.ports[a.Port()]; s != nil; s = s.samePort {
		if s.local.Addr() == a.Addr() || s.wildcard && a.Addr().IsUnspecified() {
			return true
		}
	}
	return false
}

// takes reports whether a wildcard socket is for datagrams to a. The one of IPv6 takes both families.
func (s *Socket) takes(a netip.Addr) bool {
	return s.wildcard && (a.Is4() || s.local.Addr().Is6())
}

// freePort gives the next port in turn that no socket has.
func (n *Node) freePort() uint16 {
	for {
		port := n.nextPort
		n.nextPort = max(port+1, firstFreePort)
		if n.ports[port] == nil {
			return port
		}
	}
}

// LocalAddr gives the address that the socket is bound to, unspecified for a wildcard socket.
func (s *Socket) LocalAddr() netip.AddrPort { return s.local }

// SetReadBuffer bounds what may wait to be read, as SO_RCVBUF does. See [DefaultReadBuffer] for what a datagram takes.
func (s *Socket) SetReadBuffer(bytes int) { s.buffer = bytes }

// Waiting gives the number of datagrams that wait to be read.
func (s *Socket) Waiting() int { return s.waiting.length }

// TryRead copies the next waiting datagram into p and cuts what does not fit; n is then len(p). from is the zero
// AddrPort if nothing waits. at is the address of this node that it was sent to.
func (s *Socket) TryRead(p []byte) (n int, from netip.AddrPort, at netip.Addr, err error) {
	if s.closed {
		return 0, from, at, net.ErrClosed
	}
	if err := s.fault(&s.reads, &s.node.nw.failed.ReadErrors); err != nil {
		return 0, from, at, err
	}
	slab := &s.node.nw.slab
	slot := s.waiting.pop(slab)
	if slot == 0 {
		return 0, from, at, nil
	}
	d := slab.at(slot)
	n, from, at = copy(p, d.payload), d.source, d.destination.Addr()
	s.held -= d.charge()
	d.link.counts.Waiting--
	d.link.counts.Read++
	slab.give(slot)
	return n, from, at, nil
}

// Write sends one datagram. from is the address of this node to send it from; the zero Addr means the socket's own, or
// the first of the destination's family for a wildcard socket. p is copied.
func (s *Socket) Write(p []byte, to netip.AddrPort, from netip.Addr) error {
	switch {
	case s.closed:
		return net.ErrClosed
	case len(p) > MaxPayload:
		return ErrTooLong
	}
	if err := s.fault(&s.writes, &s.node.nw.failed.WriteErrors); err != nil {
		return err
	}
	to = unmap(to)
	from, err := s.source(to.Addr(), from.Unmap())
	if err != nil {
		return err
	}
	s.node.send(p, netip.AddrPortFrom(from, s.local.Port()), to, s)
	return nil
}

func unmap(a netip.AddrPort) netip.AddrPort {
	if a.Addr().Is4In6() {
		return netip.AddrPortFrom(a.Addr().Unmap(), a.Port())
	}
	return a
}

// source settles the address that a datagram is sent from.
func (s *Socket) source(to, wish netip.Addr) (netip.Addr, error) {
	switch own := s.local.Addr(); {
	case !wish.IsValid() && s.wildcard:
		wish = s.node.sourceFor(to)
	case !wish.IsValid():
		wish = own
	case !s.wildcard && wish != own || !s.node.has(wish):
		return wish, ErrNotLocal
	}
	if !to.IsValid() || !wish.IsValid() || to.Is4() != wish.Is4() || wish.IsLoopback() && !to.IsLoopback() {
		return wish, ErrUnreachable
	}
	return wish, nil
}

// Forge sends a datagram with any source, as an attacker on the node does whose provider does not check sources.
func (n *Node) Forge(p []byte, from, to netip.AddrPort) {
	n.send(p, unmap(from), unmap(to), nil)
}

// send puts a datagram on its link.
func (n *Node) send(p []byte, from, to netip.AddrPort, sender *Socket) {
	slot, d := n.nw.slab.take()
	d.sender, d.source, d.destination = sender, from, to
	d.payload = append(d.payload, p...)
	d.payloadHash = hashBytes(p)
	var node *Node
	node, d.nat = n.route(d)
	d.flowHash = hashFlow(d.source, d.destination)
	n.nw.link(n, node).send(slot, d)
}

// Close closes the socket. What waits in it is discarded. The second call returns net.ErrClosed.
func (s *Socket) Close() error {
	if s.closed {
		return net.ErrClosed
	}
	s.shut()
	return nil
}

func (s *Socket) shut() {
	s.closed = true
	n := s.node
	n.unbind(s)
	for slot := s.waiting.pop(&n.nw.slab); slot != 0; slot = s.waiting.pop(&n.nw.slab) {
		counts := &n.nw.slab.at(slot).link.counts
		counts.Waiting--
		counts.Discarded++
		n.nw.slab.give(slot)
	}
	s.held = 0
}

// unbind takes the socket off its port.
func (n *Node) unbind(s *Socket) {
	n.sockets = slices.DeleteFunc(n.sockets, func(o *Socket) bool { return o == s })
	port := s.local.Port()
	if n.ports[port] != s {
		before := n.ports[port]
		for before.samePort != s {
			before = before.samePort
		}
		before.samePort = s.samePort
	} else if n.ports[port] = s.samePort; s.samePort == nil {
		delete(n.ports, port)
	}
}

func (d *datagram) charge() int { return len(d.payload) + datagramCharge }

func (s *Socket) fits(d *datagram) bool { return s.held+d.charge() <= s.buffer }

// deliver puts a datagram into the receive buffer and wakes who waits for it.
func (s *Socket) deliver(slot int32, d *datagram) {
	d.link.counts.Waiting++
	s.held += d.charge()
	s.waiting.push(&s.node.nw.slab, slot)
	s.wake()
}

// wake runs the processes that read this socket.
func (s *Socket) wake() {
	for _, t := range s.tasks {
		t.wake()
	}
	for _, t := range s.node.tasks {
		if t.everything {
			t.wake()
		}
	}
}
