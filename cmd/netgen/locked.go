package main

import (
	"fmt"
	"go/token"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/gannet-net/gannet/msgs/layout"
)

// locking holds the catalogue of a package against its lock.
type locking struct {
	*problems
	*lock
	cat *catalogue
}

// update checks that the catalogue keeps what was locked, and adds what is new to the lock.
func (k *locking) update() {
	c := &k.cat.Catalogue
	k.checkHistory()
	switch {
	case isDev(c.Protocol):
		k.lock.add(c, k.newIDs())
		return
	case k.has(c.Protocol) && c.Protocol != k.current():
		k.errorf(k.cat.pos, "protocol %s was used before %s: write a string that is new, such as protocol=%s", c.Protocol, k.current(), k.bumped(k.current()))
		return
	case k.has(c.Protocol):
		k.checkUnchanged()
	}
	if !k.failed() {
		k.lock.add(c, k.newIn(c.Protocol))
	}
}

// newIn are the names of messages that are not locked under a protocol.
func (k *locking) newIn(protocol string) map[string]bool {
	names := map[string]bool{}
	locked := k.merged(protocol)
	for _, m := range k.cat.Messages {
		names[m.Name] = find(locked, m.Name) == nil
	}
	for _, m := range k.cat.Methods {
		names[m.Name] = findMethod(locked, &m) == nil
	}
	return names
}

// newIDs are the names of messages that no protocol has.
func (k *locking) newIDs() map[string]bool {
	names := map[string]bool{}
	for _, m := range k.cat.Messages {
		names[m.Name] = !slices.ContainsFunc(k.blocks, func(b *layout.Catalogue) bool { return find(b, m.Name) != nil })
	}
	for _, m := range k.cat.Methods {
		names[m.Name] = !slices.ContainsFunc(k.blocks, func(b *layout.Catalogue) bool { return findMethod(b, &m) != nil })
	}
	return names
}

func find(c *layout.Catalogue, name string) *layout.Message {
	for i := range c.Messages {
		if c.Messages[i].Name == name {
			return &c.Messages[i]
		}
	}
	return nil
}

// checkHistory reports ids that were another message's, and messages that had another id, in any protocol.
func (k *locking) checkHistory() {
	for _, m := range k.cat.messages {
		for _, b := range k.blocks {
			if k.sawOther(m, b) {
				break
			}
		}
	}
}

// sawOther reports what block b has in the way of m.
func (k *locking) sawOther(m *message, b *layout.Catalogue) bool {
	for i := range b.Messages {
		old := &b.Messages[i]
		sameSpace := b.Codec == layout.Bytes || old.From&m.layout.From != 0
		switch {
		case old.Name == m.name && old.ID != m.layout.ID:
			k.errorf(m.pos, "%s had id %d in protocol %s: write id=%d, or give what is new a name of its own", m.name, old.ID, b.Protocol, old.ID)
		case old.Name != m.name && old.ID == m.layout.ID && sameSpace:
			k.errorf(m.pos, "id %d was %s in protocol %s, and stays its own: write id=%d", old.ID, old.Name, b.Protocol, k.freeID())
		default:
			continue
		}
		return true
	}
	return false
}

// freeID gives an id that no message has or had.
func (k *locking) freeID() int {
	var taken []int
	for _, c := range append(slices.Clone(k.blocks), &k.cat.Catalogue) {
		for i := range c.Messages {
			taken = append(taken, int(c.Messages[i].ID))
		}
	}
	return freeID(k.cat, taken)
}

// checkUnchanged reports what is no longer as it was locked under the same protocol.
func (k *locking) checkUnchanged() {
	mine, old := k.cat.Catalogue, k.merged(k.cat.Protocol)
	fix := fmt.Sprintf("change it back, or write protocol=%s in net:catalogue", k.bumped(old.Protocol))
	if !k.sameHeader(&mine, old, fix) {
		return // all messages differ for the same reason
	}
	mine.Name, mine.Codec, mine.HostIDs, mine.ClientIDs, mine.States = old.Name, old.Codec, old.HostIDs, old.ClientIDs, old.States
	mine.Messages = slices.DeleteFunc(slices.Clone(mine.Messages), func(m layout.Message) bool { return find(old, m.Name) == nil })
	for _, d := range layout.Compare(&mine, old) {
		if k.failed() && d.Mine == "" && d.Field == "" && d.Message != "" {
			continue // its id was given to another, which was told
		}
		k.changed(d, old.Protocol, fix)
	}
}

func (k *locking) changed(d layout.Difference, protocol, fix string) {
	if d.Method != "" && d.Field == "" && (d.Mine == "" || d.Theirs == "") {
		k.changedMethods(d, protocol)
		return
	}
	pos, owner, sent := k.cat.place(d.Message, d.Field), d.Message, "send it in a new message, or "
	if d.Method != "" {
		pos, owner, sent = k.cat.methodPlace(d), d.Method, ""
	}
	name := owner
	if d.Field != "" {
		name += "." + d.Field
	}
	switch {
	case d.Mine == "" && d.Field == "":
		k.errorf(pos, "message %s is gone, but protocol %s has it: bring it back, or write protocol=%s", name, protocol, k.bumped(protocol))
	case d.Mine == "":
		k.errorf(pos, "%s (%s) is gone, but protocol %s has it: %s", name, d.Theirs, protocol, fix)
	case d.Theirs == "":
		k.errorf(pos, "%s (%s) is new, but protocol %s has %s without it: %swrite protocol=%s in net:catalogue", name, d.Mine, protocol, owner, sent, k.bumped(protocol))
	default:
		k.errorf(pos, "%s differs from protocol %s (now: %s; there: %s): %s", name, protocol, d.Mine, d.Theirs, fix)
	}
}

// changedMethods reports a method that only one of both has.
func (k *locking) changedMethods(d layout.Difference, protocol string) {
	pos := k.cat.methodPlace(d)
	if d.Mine == "" {
		k.errorf(pos, "method %s is gone, but protocol %s has it: bring it back, or write protocol=%s", d.Method, protocol, k.bumped(protocol))
		return
	}
	k.errorf(pos, "method %s is new, but protocol %s has none of that name, and the index of a method depends on how many there are: write protocol=%s in net:catalogue",
		d.Method, protocol, k.bumped(protocol))
}

// sameHeader reports what is different for all messages.
func (k *locking) sameHeader(mine, old *layout.Catalogue, fix string) bool {
	switch {
	case mine.Name != old.Name:
		k.errorf(k.cat.pos, "the package is now %s, but was %s in protocol %s: %s", mine.Name, old.Name, old.Protocol, fix)
	case mine.Codec != old.Codec:
		k.errorf(k.cat.pos, "codec is now %s, but is %s in protocol %s: %s", mine.Codec, old.Codec, old.Protocol, fix)
	case len(mine.States) < len(old.States) || !slices.Equal(mine.States[:len(old.States)], old.States):
		k.errorf(k.cat.pos, "states are now %s, but are %s in protocol %s: add new ones at the end, or write protocol=%s", strings.Join(mine.States, ","),
			strings.Join(old.States, ","), old.Protocol, k.bumped(old.Protocol))
	default:
		return k.sameWidths(mine, old)
	}
	return false
}

// sameWidths reports ids that have another width, which moves all that follows them.
func (k *locking) sameWidths(mine, old *layout.Catalogue) bool {
	same := true
	for _, side := range []layout.Side{layout.Host, layout.Client} {
		was, is := old.IDBits(side), mine.IDBits(side)
		used := slices.ContainsFunc(old.Messages, func(m layout.Message) bool { return m.From&side != 0 })
		if used && was != is {
			k.errorf(k.cat.pos, "an id of the %s now has %d bits, but has %d in protocol %s, so that every message changes: take ids below %d, or write protocol=%s "+
				"and a larger %sids that leaves room", side, is, was, old.Protocol, 1<<was, k.bumped(old.Protocol), side)
			same = false
		}
	}
	return same
}

var lastNumber = regexp.MustCompile(`^(.*?)(\d+)(\D*)$`)

// bumped gives the protocol string after this one that is not used yet.
func (k *locking) bumped(protocol string) string {
	parts := lastNumber.FindStringSubmatch(protocol)
	if parts == nil {
		parts = []string{"", protocol + "-", "1", ""}
	}
	for n := atoi(parts[2]) + 1; ; n++ {
		if next := parts[1] + strconv.Itoa(n) + parts[3]; !k.has(next) {
			return next
		}
	}
}

// place finds where in the source a field of a message, or an argument of a method, is, or what is closest to it.
func (c *catalogue) place(name, path string) token.Pos {
	i := slices.IndexFunc(c.messages, func(m *message) bool { return m.name == name })
	if i < 0 {
		return c.methodPlace(layout.Difference{Method: name, Field: path})
	}
	return c.messages[i].place(c.messages[i].obj.Pos(), path)
}

// methodPlace is place for a method, its arguments or its results.
func (c *catalogue) methodPlace(d layout.Difference) token.Pos {
	i := slices.IndexFunc(c.methods, func(m *method) bool { return m.layout.Name == d.Method })
	switch {
	case i < 0:
		return c.pos
	case d.Reply:
		return c.methods[i].results.place(c.methods[i].pos, d.Field)
	}
	return c.methods[i].args.place(c.methods[i].pos, d.Field)
}

// place finds where a path leads in s, which is at pos, or what is closest to it.
func (s *structType) place(pos token.Pos, path string) token.Pos {
	def := s
	for part := range strings.SplitSeq(strings.ReplaceAll(path, "[]", ""), ".") {
		f := def.field(part)
		if f == nil {
			return pos
		}
		pos = f.pos
		v := &f.value
		for v.item != nil {
			v = v.item
		}
		if v.def == nil {
			return pos
		}
		def = v.def
	}
	return pos
}

func (s *structType) field(name string) *field {
	for i := range s.fields {
		if s.fields[i].Name == name {
			return &s.fields[i]
		}
	}
	return nil
}
