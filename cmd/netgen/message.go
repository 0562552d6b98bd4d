package main

import (
	"go/ast"
	"maps"
	"math"
	"slices"

	"github.com/gannet-net/gannet/msgs/layout"
	"github.com/gannet-net/gannet/transport"
)

// maxChannel is the highest channel.
const maxChannel = 63

var deliveries = []transport.Delivery{
	transport.Unreliable, transport.Sequenced, transport.ReliableUnordered, transport.ReliableOrdered, transport.ReliableSequenced,
}

// readMessage reads a message: the words of its directive, and its fields.
func (s *scanner) readMessage(spec *ast.TypeSpec, d directive) {
	w := messageWords.check("net:message", d.pos, d.words, s.problems)
	m := &message{ttl: w.duration("ttl"), urgent: w.has("urgent"), large: w.has("large"), raw: w.has("raw"), hasID: w.has("id")}
	l := &m.layout
	l.Name = spec.Name.Name
	l.ID = s.messageID(w, l.Name)
	if !w.has("from") {
		s.errorf(d.pos, "net:message needs from: write from=client, from=host or from=both, for who sends it")
	}
	l.From = layout.Side(1 + w.choice("from", int(layout.Both)-1, "client", "host", "both"))
	l.Delivery = s.delivery(w)
	l.Channel = uint8(w.number("channel", 0, maxChannel, 0))
	l.States = s.stateSet(w)
	if m.large && l.Delivery.Reliable() {
		s.errorf(w.at("large"), "large is for messages that can be lost: leave it out, %s ones travel at any size", l.Delivery)
	}
	m.structType = s.structOf(spec)
	if m.structType != nil {
		s.checkRaw(m, w)
		m.pos = d.pos
		s.cat.messages = append(s.cat.messages, m)
	}
}

// checkRaw reports what does not go with raw.
func (s *scanner) checkRaw(m *message, w wordSet) {
	switch {
	case !m.raw:
	case s.cat.Codec == layout.Bytes:
		s.errorf(w.at("raw"), "raw is for codec=bits: give %s a field `Body []byte` with the tag `net:\"rest\"`", m.name)
	case len(m.fields) > 0:
		s.errorf(w.at("raw"), "raw leaves all bits after the id to you: leave it out, or the field %s", m.fields[0].Name)
	}
}

func (s *scanner) messageID(w wordSet, name string) uint16 {
	if !w.has("id") {
		s.errorf(w.pos, "net:message needs an id: write id=%d", s.freeID())
	}
	id := uint16(w.number("id", 0, int64(maxID(s.cat.Codec)), 0))
	if w.has("id") && s.cat.reserved[int(id)] {
		s.errorf(w.at("id"), "id %d is reserved by net:catalogue: give %s another, id=%d is free", id, name, s.freeID())
	}
	return id
}

// maxID is the highest id that a codec has.
func maxID(codec layout.Codec) int {
	if codec == layout.Bits {
		return math.MaxUint16
	}
	return math.MaxUint8
}

func (s *scanner) freeID() int { return freeID(s.cat, s.ids) }

// freeID gives the id after the highest that is taken, or else the lowest free one. Reserved ids are not free.
func freeID(c *catalogue, taken []int) int {
	most := maxID(c.Codec)
	used := maps.Clone(c.reserved)
	highest := -1
	for _, id := range taken {
		used[id] = true
		if id <= most {
			highest = max(highest, id)
		}
	}
	for _, from := range []int{highest + 1, 0} {
		for id := from; id <= most; id++ {
			if !used[id] {
				return id
			}
		}
	}
	return most
}

func (s *scanner) delivery(w wordSet) transport.Delivery {
	var names []string
	for _, d := range deliveries {
		names = append(names, d.String())
	}
	return deliveries[w.choice("delivery", slices.Index(deliveries, transport.ReliableOrdered), names...)]
}

func (s *scanner) stateSet(w wordSet) (set uint64) {
	for _, name := range w.list("states") {
		i := slices.Index(s.cat.States, name)
		switch {
		case i >= 0:
			set |= 1 << i
		case len(s.cat.States) == 0:
			s.errorf(w.at("states"), "the catalogue has no state %s: write states=%s in net:catalogue", name, name)
		default:
			s.errorf(w.at("states"), "the catalogue has no state %s: %s", name, didYouMean(name, s.cat.States))
		}
	}
	return set
}
