package main

import (
	"cmp"
	"errors"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/gannet-net/gannet/msgs/layout"
)

// Limits of MESSAGES.md 2, in bytes.
const (
	maxPacket   = 1150 // of a lossy message that travels in one piece
	maxLossy    = 64 << 10
	maxReliable = 1 << 20
)

// protocolForm is what a protocol string may be, so that it stays one word wherever it is written.
var protocolForm = regexp.MustCompile(`^[A-Za-z0-9._-]{1,64}$`)

var stateForm = regexp.MustCompile(`^[a-z][A-Za-z0-9]{0,63}$`)

// readCatalogue reads the words of the catalogue's directive.
func (s *scanner) readCatalogue(d directive) {
	c := s.cat
	w := catalogueWords.check("net:catalogue", d.pos, d.words, s.problems)
	c.pos, c.Name = d.pos, s.pkg.Name()
	c.Protocol = w.text("protocol")
	switch {
	case !w.has("protocol"):
		s.errorf(d.pos, "net:catalogue needs a protocol: write protocol=%s-1", strings.ToUpper(c.Name))
	case !protocolForm.MatchString(c.Protocol):
		s.errorf(w.at("protocol"), "%s is not possible: write 1 to 64 letters, digits, dots and hyphens", w.words["protocol"])
	}
	c.Codec = layout.Codec(w.choice("codec", int(layout.Bytes), layout.Bytes.String(), layout.Bits.String()))
	for _, side := range []string{"hostids", "clientids"} {
		if w.has(side) && c.Codec == layout.Bytes {
			s.errorf(w.at(side), "%s is for codec=bits: leave it out, the id is one byte with codec=bytes", side)
		}
	}
	c.HostIDs = int(w.number("hostids", 1, 1<<16, 0))
	c.ClientIDs = int(w.number("clientids", 1, 1<<16, 0))
	c.noFuzz = w.has("nofuzz")
	s.readStates(w)
	s.readReserved(w)
}

func (s *scanner) readStates(w wordSet) {
	for _, name := range w.list("states") {
		switch {
		case !stateForm.MatchString(name):
			s.errorf(w.at("states"), "state %q is not possible: write a small letter, then letters and digits, such as states=lobby,playing", name)
		case slices.Contains(s.cat.States, name):
			s.errorf(w.at("states"), "state %s stands twice: keep one", name)
		default:
			s.cat.States = append(s.cat.States, name)
		}
	}
	if len(s.cat.States) > layout.MaxStates {
		s.errorf(w.at("states"), "%d states are too many: at most %d are possible", len(s.cat.States), layout.MaxStates)
	}
}

// readReserved reads ids and ranges of them, such as 17-29,39.
func (s *scanner) readReserved(w wordSet) {
	for _, part := range w.list("reserved") {
		low, high, isRange := strings.Cut(part, "-")
		if !isRange {
			high = low
		}
		first, err1 := strconv.ParseUint(low, 10, 16)
		last, err2 := strconv.ParseUint(high, 10, 16)
		if err1 != nil || err2 != nil || first > last {
			s.errorf(w.at("reserved"), "reserved %q is not possible: write ids and ranges of ids, such as reserved=17-29,39", part)
			continue
		}
		for id := first; id <= last; id++ {
			s.cat.reserved[int(id)] = true
		}
	}
}

// finish checks what the messages are together, and orders them.
func (s *scanner) finish() {
	c := s.cat
	slices.SortFunc(c.messages, func(a, b *message) int {
		return orderOf(&a.layout, &b.layout)
	})
	s.checkIDs()
	s.countIDs()
	s.giveMethodIDs()
	if s.failed() {
		return // what follows would report consequences
	}
	for _, m := range c.messages {
		m.layout.Fields = m.describe()
		if m.raw {
			m.layout.Fields = []layout.Field{{Name: "Body", Kind: layout.KindRest}}
		}
		c.Messages = append(c.Messages, m.layout)
	}
	for i, m := range c.messages {
		m.least, m.max = c.Sizes(&c.Messages[i])
		s.checkSize(m)
	}
	s.describeMethods()
	if err := c.Check(); err != nil && !s.failed() {
		pos := c.pos
		if field, ok := errors.AsType[*layout.FieldError](err); ok {
			pos = c.place(field.Message, field.Field)
		}
		s.errorf(pos, "no catalogue can have this: %v", err)
	}
}

// orderOf is the order of messages in a description.
func orderOf(a, b *layout.Message) int {
	return cmp.Or(cmp.Compare(a.ID, b.ID), cmp.Compare(a.From, b.From), cmp.Compare(a.Name, b.Name))
}

func (s *scanner) checkIDs() {
	for i, m := range s.cat.messages {
		for _, other := range s.cat.messages[:i] {
			apart := s.cat.Codec == layout.Bits && m.layout.From&other.layout.From == 0
			if m.layout.ID == other.layout.ID && !apart && m.hasID && other.hasID {
				s.errorf(m.pos, "id %d is taken by %s: give %s another, id=%d is free", m.layout.ID, other.name, m.name, s.freeID())
			}
		}
	}
}

// countIDs fills in how many ids each side has, which gives the width of an id with codec Bits.
func (s *scanner) countIDs() {
	c := s.cat
	if c.Codec != layout.Bits {
		return
	}
	hosts, clients, both := 0, 0, (*message)(nil)
	for _, m := range c.messages {
		count := int(m.layout.ID) + 1
		if m.layout.From&layout.Host != 0 {
			hosts = max(hosts, count)
		}
		if m.layout.From&layout.Client != 0 {
			clients = max(clients, count)
		}
		if m.layout.From == layout.Both {
			both = m
		}
	}
	c.HostIDs = s.idCount("hostids", c.HostIDs, hosts)
	c.ClientIDs = s.idCount("clientids", c.ClientIDs, clients)
	host, client := c.IDBits(layout.Host), c.IDBits(layout.Client)
	if both != nil && host != client {
		most := max(c.HostIDs, c.ClientIDs)
		s.errorf(both.pos, "%s comes from both sides, but an id of the host has %d bits and one of a client %d: write hostids=%d clientids=%d in net:catalogue",
			both.name, host, client, most, most)
	}
}

func (s *scanner) idCount(word string, written, needed int) int {
	if written == 0 {
		return needed
	}
	if written < needed {
		s.errorf(s.cat.pos, "%s=%d leaves no room for id %d: write %s=%d or more", word, written, needed-1, word, needed)
	}
	return written
}

// checkSize compares the largest form of m with what its delivery carries.
func (s *scanner) checkSize(m *message) {
	d := m.layout.Delivery
	const smaller = "give its strings and lists a smaller max="
	switch {
	case m.raw, m.endsInRest():
		// Its length is the sender's to choose; the transport refuses what is too long.
	case d.Reliable() && m.max > maxReliable:
		s.errorf(m.pos, "%s can have %d bytes, more than the %d of a message: %s", m.name, m.max, maxReliable, smaller)
	case !d.Reliable() && m.max > maxLossy:
		s.errorf(m.pos, "%s can have %d bytes, more than the %d of a message that can be lost: %s", m.name, m.max, maxLossy, smaller)
	case !d.Reliable() && m.max > maxPacket && !m.large:
		s.errorf(m.pos, "%s can have %d bytes, but is %s, and above %d it travels in fragments of which each can be lost: %s, or write large",
			m.name, m.max, d, maxPacket, smaller)
	}
}

func (s *structType) endsInRest() bool {
	return len(s.fields) > 0 && s.fields[len(s.fields)-1].Kind == layout.KindRest
}

// describe gives the fields of s as a description has them.
func (s *structType) describe() []layout.Field {
	var fields []layout.Field
	for _, f := range s.fields {
		fields = append(fields, f.describe())
	}
	return fields
}

func (v *value) describe() layout.Field {
	f := v.Field
	switch {
	case v.def != nil && f.Kind == layout.KindStruct:
		f.Fields = v.def.describe()
	case v.item != nil:
		f.Fields = []layout.Field{v.item.describe()}
	}
	return f
}
