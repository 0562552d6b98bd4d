package sim

import (
	"net/netip"
	"time"
)

// Network is a simulated network and the machines in it. It is a pure machine: nothing happens but within a call, and
// it must not be used by two goroutines at once.
type Network struct {
	seed uint64
	now  int64

	order  uint64 // of the next thing that is arranged
	events eventHeap
	wakes  wakeHeap
	calls  []func() // given to At; slots are used again
	unused []int32  // free slots of calls
	slab   slab

	public      realm
	nodes       []*Node
	byName      map[string]*Node
	nowhere     *Node // stands for everyone that nobody is
	links       []*link
	bottlenecks []*Bottleneck
	usual       Conditions // of links without their own
	usualSince  int64      // when usual.Outage was set

	failed     Counts // of socket calls, which belong to no link
	hash       uint64
	watchers   []func(Event)
	writeError error

	inStep bool
	crowd  int // events since time last moved
}

// New makes an empty network at time 0. Runs with one seed are equal, bit for bit, on every platform.
func New(seed uint64) *Network {
	nw := &Network{seed: seed, byName: map[string]*Node{}, hash: mix(seed^salt0, salt1)}
	nw.public.places = map[netip.Addr]place{}
	nw.nowhere = &Node{nw: nw, name: "nowhere", links: map[*Node]*link{}}
	nw.byName[nw.nowhere.name] = nw.nowhere
	nw.nodes = append(nw.nodes, nw.nowhere)
	return nw
}

// Node makes a node. The name takes part in the seeds of its links; it must be new. Without addresses the node gets the
// next of 10.0.0.0/8. It panics if a name or address is taken, or an address not valid: mapped, unspecified, loopback.
func (nw *Network) Node(name string, addrs ...netip.Addr) *Node {
	return nw.addNode(&nw.public, name, addrs)
}

// SetDefault sets the conditions of all links that SetLink was not called for, and of those to come; loopback excepted.
func (nw *Network) SetDefault(c Conditions) {
	must(c.Validate())
	if c.Outage != nw.usual.Outage {
		nw.usualSince = nw.now
	}
	nw.usual = c
	for _, l := range nw.links {
		if !l.own {
			l.set(c, nw.now)
		}
	}
}

// SetLink sets the conditions of one direction from now on. What is on its way is not affected. From a node to itself
// it is loopback, which is perfect otherwise.
func (nw *Network) SetLink(from, to *Node, c Conditions) {
	must(c.Validate())
	l := nw.link(from, to)
	l.own = true
	l.set(c, nw.now)
}

// SetBoth sets the conditions of both directions. They are drawn independently.
func (nw *Network) SetBoth(a, b *Node, c Conditions) {
	nw.SetLink(a, b, c)
	nw.SetLink(b, a, c)
}

// Link gives the conditions of one direction.
func (nw *Network) Link(from, to *Node) Conditions { return nw.link(from, to).conditions }

// Cut makes a black hole of one direction, whatever its conditions. What is on its way arrives.
func (nw *Network) Cut(from, to *Node) { nw.setCut(from, to, true) }

// Heal ends what Cut began.
func (nw *Network) Heal(from, to *Node) { nw.setCut(from, to, false) }

func (nw *Network) setCut(from, to *Node, cut bool) {
	nw.link(from, to).cut = cut
	what := "heal "
	if cut {
		what = "cut "
	}
	nw.Note(what + from.name + ">" + to.name)
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

// link gives the link from one node to another, made when it is first asked for.
func (nw *Network) link(from, to *Node) *link {
	if l := from.recent; l != nil && l.to == to {
		return l
	}
	l := from.links[to]
	if l == nil {
		l = nw.addLink(from, to)
	}
	from.recent = l
	return l
}

func (nw *Network) addLink(from, to *Node) *link {
	l := &link{nw: nw, from: from, to: to, own: from == to}
	from.links[to] = l
	nw.links = append(nw.links, l)
	if !l.own {
		l.set(nw.usual, nw.usualSince)
	}
	return l
}

// Now gives the network's time in nanoseconds since the start of the run.
func (nw *Network) Now() int64 { return nw.now }

// At calls f at time t, or at once in the next step if t is past. Of what is due at one time, what was arranged first
// happens first.
func (nw *Network) At(t int64, f func()) {
	slot := int32(len(nw.calls))
	if n := len(nw.unused); n > 0 {
		slot, nw.unused = nw.unused[n-1], nw.unused[:n-1]
		nw.calls[slot] = f
	} else {
		nw.calls = append(nw.calls, f)
	}
	nw.arrange(t, eventCall, slot)
}

// After calls f once d has passed.
func (nw *Network) After(d time.Duration, f func()) { nw.At(nw.now+int64(d), f) }

func (nw *Network) arrange(due int64, kind eventKind, slot int32) {
	nw.events.push(entry{nw.moment(max(due, nw.now)), slot, kind})
}

// moment gives the place in the order for what is arranged now.
func (nw *Network) moment(due int64) moment {
	nw.order++
	return moment{due, nw.order}
}
