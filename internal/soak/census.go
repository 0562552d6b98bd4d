package soak

import (
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/gannet-net/gannet/framing"
	"github.com/gannet-net/gannet/framing/handshake"
	"github.com/gannet-net/gannet/framing/packet"
	"github.com/gannet-net/gannet/transport"
)

// Census counts what was reached.
type Census struct {
	Faults []uint64 // by their kinds
	Drops  framing.Drops
	Frames [32]uint64        // datagrams by their first byte
	Inner  [32]uint64        // frames in sealed datagrams of heavy worlds, by their kinds
	Other  map[string]uint64 // causes, transitions, fates and the like
}

func (c *Census) count(what string) { c.add(what, 1) }

func (c *Census) add(what string, n uint64) {
	if c.Other == nil {
		c.Other = map[string]uint64{}
	}
	c.Other[what] += n
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
	for i, n := range o.Inner {
		c.Inner[i] += n
	}
	c.drops(o.Drops)
	for what, n := range o.Other {
		c.add(what, n)
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
	for i, n := range c.Inner {
		if name, _, _ := strings.Cut(packet.Frame{Kind: framing.Kind(i)}.String(), " "); innerKinds[framing.Kind(i)] {
			all = append(all, Row{"frame: " + strings.TrimSuffix(name, ","), n})
		}
	}
	for _, how := range invitations {
		c.add("guest with "+how.name, 0)
	}
	for _, what := range always {
		c.add(what, 0)
	}
	for _, what := range slices.Sorted(maps.Keys(c.Other)) {
		all = append(all, Row{what, c.Other[what]})
	}
	return all
}

// unreachable are rows that no world reaches, and why.
var unreachable = map[string]string{
	"drop: payload":    "only who has the keys of a handshake could make one, and the client machine makes good ones",
	"drop: token-full": "a host remembers thousands of tokens",
	"drop: full":       "there are 65,000 ids",
}

// always are rows that have to be there, whether they were counted or not: causes, transitions, fates, and the ways in which a dial fails.
var always = []string{
	"connecting to connected", "connecting to closed", "connected to closing", "connected to closed", "closing to closed",
	"ended: " + transport.ClosedLocally.String(), "ended: " + transport.ClosedByPeer.String(), "ended: " + transport.Kicked.String(), "ended: " + transport.TimedOut.String(),
	"ended: " + transport.SocketFailed.String(), "ended: " + transport.Replaced.String(), "ended: " + transport.Forgotten.String(), "ended: " + transport.ProtocolError.String(),
	"fate " + transport.Delivered.String(), "fate " + transport.Lost.String(), "fate " + transport.Expired.String(), "fate " + transport.Superseded.String(),
	"fate " + transport.Cancelled.String(), "fate " + transport.Sent.String(),
	"dial failed: timed out", "dial with a ticket", "send queue full", "addresses swapped", "mapping expired",
}

// asked reports whether a row has to be reached: all that has a name of its own, and not what is counted because it happened to be so.
func (c *Census) asked(name string) bool {
	_, other := c.Other[name]
	return unreachable[name] == "" && (!other || slices.Contains(always, name) || strings.HasPrefix(name, "guest with "))
}

// Missing names what was reached less often than n times, and has to be.
func (c *Census) Missing(n uint64) (names []string) {
	for row := range c.Rows() {
		if row.Count < n && c.asked(row.Name) {
			names = append(names, fmt.Sprintf("%s (%d)", row.Name, row.Count))
		}
	}
	return names
}

var baseKinds = [...]string{framing.KindConnect: "Connect", framing.KindAccept: "Accept", framing.KindRefuse: "Refuse", framing.KindUnreliable: "Unreliable",
	framing.KindReliable: "Reliable", framing.KindAck: "Ack", framing.KindHeartbeat: "Heartbeat", framing.KindDisconnect: "Disconnect"}

// innerKinds are those of the frames in a sealed datagram.
var innerKinds = map[framing.Kind]bool{
	packet.KindUnreliable: true, packet.KindReliable: true, packet.KindAck: true, packet.KindHeartbeat: true, packet.KindDisconnect: true, packet.KindCredit: true,
	packet.KindClock: true, packet.KindXor: true, packet.KindParity: true, packet.KindPathChallenge: true, packet.KindPathResponse: true, packet.KindTicket: true,
}

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
