package sim

import (
	"fmt"
	"net/netip"
)

// realm is a set of addresses within which nodes reach each other: the public one, or the inside of a NAT box.
type realm struct {
	box    *NAT // nil for the public realm
	places map[netip.Addr]place
	given  uint32 // addresses given to nodes that named none
}

// place is what an address belongs to: a node or a box.
type place struct {
	node *Node
	box  *NAT
}

// claim gives an address an owner.
func (r *realm) claim(a netip.Addr, p place) {
	if !a.IsValid() || a != a.Unmap() || a.IsUnspecified() || a.IsLoopback() {
		panic(fmt.Sprintf("sim: %v cannot be a node's address", a))
	}
	if _, taken := r.places[a]; taken {
		panic(fmt.Sprintf("sim: two have the address %v", a))
	}
	r.places[a] = p
}

// next gives an address that nobody has: of 10.0.0.0/8, or of 192.168.0.0/16 inside a box.
func (r *realm) next() netip.Addr {
	for {
		r.given++
		n := r.given
		a := netip.AddrFrom4([4]byte{10, byte(n >> 16), byte(n >> 8), byte(n)})
		if r.box != nil {
			a = netip.AddrFrom4([4]byte{192, 168, byte(n >> 8), byte(n)})
		}
		if _, taken := r.places[a]; !taken {
			return a
		}
	}
}

// route finds where a datagram goes, and sets the source that it is seen with there. The node is nowhere if nobody has
// the destination now; the box is the one that owns the destination.
func (n *Node) route(d *datagram) (*Node, *NAT) {
	to := d.destination.Addr()
	if to.IsLoopback() {
		return n, nil
	}
	p := n.realm.places[to]
	if box := n.realm.box; box != nil && p.node == nil {
		d.source = box.outbound(n, d.source, d.destination)
		p = n.nw.public.places[to]
	}
	if p.box == nil && p.node == nil {
		return n.nw.nowhere, nil
	}
	if p.box == nil {
		return p.node, nil
	}
	if m := p.box.mappingAt(d.destination); m != nil {
		return m.node, p.box
	}
	return n.nw.nowhere, p.box
}
