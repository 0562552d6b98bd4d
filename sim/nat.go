package sim

import (
	"fmt"
	"net/netip"
	"time"
)

// NAT is a box that lends its outside addresses to the nodes behind it. It maps each inside address and port to one
// outside port, whatever the destination, from the first datagram that goes out.
type NAT struct {
	nw       *Network
	name     string
	realm    realm
	config   NATConfig
	inside   map[netip.AddrPort]*mapping
	outside  map[netip.AddrPort]*mapping
	recent   *mapping // the one used last, nil if it is forgotten: most boxes have one at a time
	nextPort uint16
}

// NATConfig says how a box behaves.
type NATConfig struct {
	// Outside are the addresses that it is seen with: at most one of IPv4 and one of IPv6. A family without one passes
	// untranslated.
	Outside []netip.Addr
	// Expiry is the age after the last outbound datagram at which a mapping is forgotten. 0 is never.
	Expiry time.Duration
	// Open lets anyone send to a mapping. Otherwise only those get in whom the inside has sent to.
	Open bool
}

// mapping lends an outside address and port to an inside one.
type mapping struct {
	node            *Node
	inside, outside netip.AddrPort
	used            int64                       // when something last went out
	remotes         map[netip.AddrPort]struct{} // whom it went to
	last            netip.AddrPort              // of remotes, the one it went to last
	forward         bool                        // made by Map: for ever, and for everyone
}

const firstNATPort = 20000

// NAT makes a box. Make the nodes behind it with its Node method. It panics if an outside address is taken or not
// valid.
func (nw *Network) NAT(name string, c NATConfig) *NAT {
	b := &NAT{nw: nw, name: name, config: c,
		inside: map[netip.AddrPort]*mapping{}, outside: map[netip.AddrPort]*mapping{}, nextPort: firstNATPort}
	b.realm = realm{box: b, places: map[netip.Addr]place{}}
	b.config.Outside = nil
	b.SetOutside(c.Outside...)
	return b
}

// Node makes a node behind the box. Its addresses are private: other nodes behind the box reach them, nobody else.
// Without addresses it gets the next of 192.168.0.0/16.
func (b *NAT) Node(name string, addrs ...netip.Addr) *Node {
	return b.nw.addNode(&b.realm, name, addrs)
}

// Rebind forgets all mappings, as a box does that restarts: what goes out next gets a new outside port, and what comes
// in for an old one is lost.
func (b *NAT) Rebind() {
	clear(b.inside)
	clear(b.outside)
	b.recent = nil
	b.nw.Note("nat " + b.name + " rebinds")
}

// SetOutside gives the box other outside addresses and forgets all mappings.
func (b *NAT) SetOutside(addrs ...netip.Addr) {
	for _, a := range b.config.Outside {
		delete(b.nw.public.places, a)
	}
	for _, a := range addrs {
		b.nw.public.claim(a, place{box: b})
	}
	b.config.Outside = append([]netip.Addr(nil), addrs...)
	b.Rebind()
}

// Map makes a mapping by hand, in place of those that use either side: a port forward, open to everyone until Rebind.
// It panics if inside is no node's behind the box, or outside not the box's.
func (b *NAT) Map(inside, outside netip.AddrPort) {
	node := b.realm.places[inside.Addr()].node
	if node == nil || b.outsideFor(outside.Addr()) != outside.Addr() {
		panic(fmt.Sprintf("sim: nat %s cannot map %v to %v", b.name, inside, outside))
	}
	b.forget(b.inside[inside])
	b.forget(b.outside[outside])
	b.add(&mapping{node: node, inside: inside, outside: outside, forward: true})
}

// Outside gives the address and port that stand for an inside one now.
func (b *NAT) Outside(inside netip.AddrPort) (netip.AddrPort, bool) {
	m := b.mappingOf(inside)
	if m == nil || b.expired(m) {
		return netip.AddrPort{}, false
	}
	return m.outside, true
}

// outbound gives the source that a datagram has outside.
func (b *NAT) outbound(n *Node, from, to netip.AddrPort) netip.AddrPort {
	address := b.outsideFor(from.Addr())
	if !address.IsValid() {
		return from
	}
	m := b.mappingOf(from)
	if m == nil || b.expired(m) {
		b.forget(m)
		m = &mapping{node: n, inside: from, outside: b.freePort(address), remotes: map[netip.AddrPort]struct{}{}}
		b.add(m)
	}
	m.used = b.nw.now
	if to != m.last && !m.forward {
		m.remotes[to], m.last = struct{}{}, to
	}
	return m.outside
}

// mappingOf finds the mapping of an inside address, nil if there is none.
func (b *NAT) mappingOf(inside netip.AddrPort) *mapping {
	if m := b.recent; m != nil && m.inside == inside {
		return m
	}
	return b.use(b.inside[inside])
}

// mappingAt finds the mapping of an outside address, nil if there is none.
func (b *NAT) mappingAt(outside netip.AddrPort) *mapping {
	if m := b.recent; m != nil && m.outside == outside {
		return m
	}
	return b.use(b.outside[outside])
}

func (b *NAT) use(m *mapping) *mapping {
	if m != nil {
		b.recent = m
	}
	return m
}

// inbound translates the destination of a datagram that came to the box, and gives the node that it is for; nil if it
// is not let in.
func (b *NAT) inbound(d *datagram) *Node {
	m := b.mappingAt(d.destination)
	if m == nil || b.expired(m) {
		return nil
	}
	if !m.forward && !b.config.Open && !m.wentTo(d.source) {
		return nil
	}
	d.destination = m.inside
	d.flowHash = hashFlow(d.source, d.destination)
	return m.node
}

func (m *mapping) wentTo(remote netip.AddrPort) bool {
	if remote == m.last {
		return true
	}
	_, went := m.remotes[remote]
	return went
}

func (b *NAT) add(m *mapping) {
	b.inside[m.inside] = m
	b.outside[m.outside] = m
	b.nw.Note(fmt.Sprintf("nat %s maps %v to %v", b.name, m.inside, m.outside))
}

func (b *NAT) forget(m *mapping) {
	if m != nil {
		if m == b.recent {
			b.recent = nil
		}
		delete(b.inside, m.inside)
		delete(b.outside, m.outside)
	}
}

func (b *NAT) expired(m *mapping) bool {
	return b.config.Expiry > 0 && !m.forward && b.nw.now-m.used > int64(b.config.Expiry)
}

// outsideFor gives the outside address of the same family, the zero Addr if there is none.
func (b *NAT) outsideFor(a netip.Addr) netip.Addr {
	for _, o := range b.config.Outside {
		if o.Is4() == a.Is4() {
			return o
		}
	}
	return netip.Addr{}
}

// freePort gives the next port in turn that no mapping uses.
func (b *NAT) freePort(a netip.Addr) netip.AddrPort {
	for range 1 << 16 {
		p := netip.AddrPortFrom(a, b.nextPort)
		b.nextPort = max(b.nextPort+1, firstNATPort)
		if m := b.outside[p]; m == nil || b.expired(m) {
			b.forget(m)
			return p
		}
	}
	panic("sim: nat " + b.name + " has no free port")
}
