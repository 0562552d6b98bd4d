package msgstest

import (
	"slices"

	"github.com/gannet-net/gannet/msgs"
	"github.com/gannet-net/gannet/msgs/layout"
)

// checkCatalogue tests that a catalogue says the same as its description, and that there are samples of all its messages.
func (s *suite) checkCatalogue(r reporter, samples []msgs.Message) {
	r.Helper()
	c, l := s.catalogue, s.layout
	if got := layout.Fingerprint(c.Description); got != c.Fingerprint {
		r.Errorf("the fingerprint of catalogue %s is %#x, but that of its description is %#x: %s", c.Name, c.Fingerprint, got, regenerate)
	}
	if c.Name != l.Name || c.Protocol != l.Protocol || c.Codec != l.Codec || c.HostIDs != l.HostIDs || c.ClientIDs != l.ClientIDs ||
		!slices.Equal(c.States, l.States) {
		r.Errorf("catalogue %s has another name, protocol, codec, number of ids or states than its description: %s", c.Name, regenerate)
	}
	if len(c.Entries) != len(l.Messages) {
		r.Errorf("catalogue %s has %d messages, and its description %d: %s", c.Name, len(c.Entries), len(l.Messages), regenerate)
		return
	}
	for i := range c.Entries {
		e := &c.Entries[i]
		want := entryOf(l, &l.Messages[i])
		want.TTL, want.Urgent = e.TTL, e.Urgent // the sender's own affair
		if *e != want {
			r.Errorf("an entry of catalogue %s is\n%+v, but by its description\n%+v: %s", c.Name, *e, want, regenerate)
		}
		if isRaw(l, &l.Messages[i]) {
			continue
		}
		if !slices.ContainsFunc(samples, func(m msgs.Message) bool { return m.Descriptor().Entry == e }) {
			r.Errorf("no sample of message %s of catalogue %s: give one, such as from a function moreSamples", e.Name, c.Name)
		}
	}
}

// isRaw reports whether no code was generated for what follows the id of a message.
func isRaw(c *layout.Catalogue, m *layout.Message) bool {
	return c.Codec == layout.Bits && len(m.Fields) == 1 && m.Fields[0].Kind == layout.KindRest
}

// entryOf returns the entry of a message.
func entryOf(c *layout.Catalogue, m *layout.Message) msgs.Entry {
	least, most := c.Sizes(m)
	return msgs.Entry{ID: m.ID, Name: m.Name, From: m.From, Delivery: m.Delivery, Channel: m.Channel, States: m.States, MinSize: least, MaxSize: most}
}
