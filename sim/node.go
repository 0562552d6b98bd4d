package sim

import (
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"time"
)

var (
	// ErrDown is returned by Listen on a node that was killed.
	ErrDown = errors.New("sim: the node is down")
	// ErrInUse is returned by Listen for a port that another socket has.
	ErrInUse = errors.New("sim: address already in use")
	// ErrNotLocal is returned for an address that is not the node's.
	ErrNotLocal = errors.New("sim: not an address of this node")
)

// Node is a machine in the network: addresses, sockets, a clock, and the processes that run on it.
type Node struct {
	nw     *Network
	name   string
	realm  *realm
	addrs  []netip.Addr
	links  map[*Node]*link // from here, by the other end; made when first used
	recent *link           // the one used last

	sockets  []*Socket          // open ones, in the order in which they were opened
	ports    map[uint16]*Socket // first of the chain of sockets with that port
	nextPort uint16
	listens  faults

	tasks []*task // in the order in which they were attached
	clock clock
	rate  int64 // of the clock, when the node is not asleep

	frozen int64 // nothing runs before this time
	asleep int64 // suspended until this time, 0 if not
	down   bool
}

const firstFreePort = 49152

func (nw *Network) addNode(r *realm, name string, addrs []netip.Addr) *Node {
	if nw.byName[name] != nil {
		panic("sim: two nodes have the name " + name)
	}
	n := &Node{nw: nw, name: name, realm: r, rate: million,
		links: map[*Node]*link{}, ports: map[uint16]*Socket{}, nextPort: firstFreePort}
	n.clock = clock{net: nw.now, local: nw.now, rate: million}
	nw.byName[name] = n
	nw.nodes = append(nw.nodes, n)
	if len(addrs) == 0 {
		addrs = []netip.Addr{r.next()}
	}
	n.claim(addrs)
	return n
}

func (n *Node) claim(addrs []netip.Addr) {
	n.addrs = slices.Clone(addrs)
	for _, a := range addrs {
		n.realm.claim(a, place{node: n})
	}
}

// SetAddrs gives the node other addresses, as when a phone moves to another network. Wildcard sockets go on with the
// new ones. What is on its way to an old one is lost.
func (n *Node) SetAddrs(addrs ...netip.Addr) {
	for _, a := range n.addrs {
		delete(n.realm.places, a)
	}
	n.claim(addrs)
	n.note("moves to", fmt.Sprint(addrs))
}

// Name gives the name that the node was made with.
func (n *Node) Name() string { return n.name }

// Addr gives the node's first address.
func (n *Node) Addr() netip.Addr { return n.addrs[0] }

// AddrPort gives the node's first address with a port.
func (n *Node) AddrPort(port uint16) netip.AddrPort { return netip.AddrPortFrom(n.addrs[0], port) }

// has reports whether datagrams to a are for this node.
func (n *Node) has(a netip.Addr) bool {
	for i := range n.addrs {
		if n.addrs[i] == a {
			return true
		}
	}
	return a.IsLoopback()
}

// sourceFor gives the address that datagrams to a leave from, if the sender has no wish; the zero Addr if there is
// none.
func (n *Node) sourceFor(a netip.Addr) netip.Addr {
	if a.IsLoopback() {
		return a
	}
	for _, own := range n.addrs {
		if own.Is4() == a.Is4() {
			return own
		}
	}
	return netip.Addr{}
}

// socketAt finds the socket for a destination: one bound to that very address goes before a wildcard.
func (n *Node) socketAt(a netip.AddrPort) *Socket {
	var wildcard *Socket
	for s := n.ports[a.Port()]; s != nil; s = s.samePort {
		if s.local.Addr() == a.Addr() {
			return s
		}
		if s.takes(a.Addr()) {
			wildcard = s
		}
	}
	return wildcard
}

// Freeze stops everything that runs on the node for d, as SIGSTOP, a debugger or a long pause of a garbage collector
// does. Its clock goes on; datagrams wait in the receive buffers of its sockets until those are full. 0 ends a freeze.
func (n *Node) Freeze(d time.Duration) {
	n.frozen = n.nw.now + int64(d)
	n.rearm()
	n.note("freezes", d.String())
}

// Suspend closes the lid for d: nothing runs, the monotonic clock stands still, as Go's does on Linux, and what arrives
// is lost.
func (n *Node) Suspend(d time.Duration) {
	until := n.nw.now + int64(d)
	n.clock.turn(n.nw.now, 0)
	n.asleep = until
	n.rearm()
	n.note("suspends", d.String())
	n.nw.At(until, func() {
		if n.asleep == until {
			n.resume()
		}
	})
}

func (n *Node) resume() {
	n.asleep = 0
	n.clock.turn(n.nw.now, n.rate)
	n.rearm()
	n.note("resumes", "")
}

// Kill ends everything on the node at once, as a crash or a power cut does: sockets vanish with what waits in them,
// processes never run again. What it has sent is on its way.
func (n *Node) Kill() {
	for _, s := range slices.Clone(n.sockets) {
		s.shut()
	}
	for _, t := range slices.Clone(n.tasks) {
		t.end()
	}
	n.down = true
	n.note("is killed", "")
}

// Restart brings a killed node back, without sockets or processes. Its clock has gone on.
func (n *Node) Restart() {
	n.down, n.frozen = false, 0
	if n.asleep > 0 {
		n.resume()
	}
	n.note("restarts", "")
}

func (n *Node) note(what, detail string) {
	text := "node " + n.name + " " + what
	if detail != "" {
		text += " " + detail
	}
	n.nw.Note(text)
}
