package soak

import (
	"fmt"
	"iter"
	"maps"
	"slices"

	"github.com/gannet-net/gannet/framing"
	"github.com/gannet-net/gannet/framing/handshake"
)

// Census counts what was reached.
type Census struct {
	Faults []uint64 // by their kinds
	Drops  framing.Drops
	Frames [32]uint64        // datagrams by their first byte
	Other  map[string]uint64 // causes, transitions, fates and the like
}

func (c *Census) count(what string) {
	if c.Other == nil {
		c.Other = map[string]uint64{}
	}
	c.Other[what]++
}

func (c *Census) fault(k Kind, n uint64) {
	for int(k) >= len(c.Faults) {
		c.Faults = append(c.Faults, 0)
	}
	c.Faults[k] += n
}

func (c *Census) drops(d framing.Drops) {
	for i, n := range d {
		c.Drops[i] += n
	}
}

// Add adds the counts of another world.
func (c *Census) Add(o *Census) {
	for i, n := range o.Faults {
		c.fault(Kind(i), n)
	}
	for i, n := range o.Frames {
		c.Frames[i] += n
	}
	c.drops(o.Drops)
	for what, n := range o.Other {
		if c.Other == nil {
			c.Other = map[string]uint64{}
		}
		c.Other[what] += n
	}
}

// Row is one thing that can be reached, and how often it was.
type Row struct {
	Name  string
	Count uint64
}

// Rows gives everything that is counted, in the same order each time.
func (c *Census) Rows() iter.Seq[Row] {
	return func(yield func(Row) bool) {
		for _, row := range c.rows() {
			if !yield(row) {
				return
			}
		}
	}
}

func (c *Census) rows() (all []Row) {
	c.fault(Kind(len(kinds)-1), 0)
	for i, n := range c.Faults {
		all = append(all, Row{"fault: " + kinds[i].name, n})
	}
	for i, n := range c.Drops {
		if d := framing.Drop(i); d != framing.Accepted {
			all = append(all, Row{"drop: " + d.String(), n})
		}
	}
	for i, n := range c.Frames {
		if name := kindName(framing.Kind(i)); name != "" {
			all = append(all, Row{"datagram: " + name, n})
		}
	}
	for _, what := range slices.Sorted(maps.Keys(c.Other)) {
		all = append(all, Row{what, c.Other[what]})
	}
	return all
}

// Missing names what was reached less often than n times, and can be.
func (c *Census) Missing(n uint64) (names []string) {
	for row := range c.Rows() {
		if row.Count < n {
			names = append(names, fmt.Sprintf("%s (%d)", row.Name, row.Count))
		}
	}
	return names
}

var baseKinds = [...]string{framing.KindConnect: "Connect", framing.KindAccept: "Accept", framing.KindRefuse: "Refuse", framing.KindUnreliable: "Unreliable",
	framing.KindReliable: "Reliable", framing.KindAck: "Ack", framing.KindHeartbeat: "Heartbeat", framing.KindDisconnect: "Disconnect"}

// kindName is the name of a kind of datagrams, "" if there is none.
func kindName(k framing.Kind) string {
	if int(k) < len(baseKinds) {
		return baseKinds[k]
	}
	return handshake.Name(k)
}

func fmtMissing(e *end, s *stream) string {
	out, in := &e.out[s.index], &e.peer.in[s.index]
	return fmt.Sprintf("%s sent %d of stream %d, of which %d were withdrawn, and %s got %d", e.name, out.sent, s.index, out.withdrawn, e.peer.name, in.got)
}
