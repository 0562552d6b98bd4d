package msgs

import (
	"errors"
	"fmt"
	"math/bits"

	"github.com/gannet-net/gannet/msgs/layout"
	"github.com/gannet-net/gannet/transport"
)

const numChannels = 64

// mount is a catalogue with its place in a router.
type mount struct {
	catalogue *Catalogue
	index     int      // in Router.mounts and Peer.states
	idBits    int      // width of the ids that come in
	incoming  []*route // by the ids that can come in, those of the wrong direction included; nil where there is none
}

// route is what a router has to do with the messages of one type.
type route struct {
	mount   *mount
	entry   *Entry
	channel uint8 // the mount's added

	call  call // nil without a handler
	frame bool // call waits for RunFrame

	stats                     MessageStats
	unsentLogged, panicLogged bool
}

func (rt *route) descriptor() Descriptor { return Descriptor{rt.mount.catalogue, rt.entry} }

// mountAll fills the tables of the router.
func (r *Router) mountAll() error {
	var wrong []error
	if len(r.config.Catalogues) == 0 {
		wrong = append(wrong, errors.New("msgs: Catalogues: empty: name at least one, such as {Catalogue: &chat.Catalogue}"))
	}
	for i, m := range r.config.Catalogues {
		if err := r.mount(m); err != nil {
			wrong = append(wrong, fmt.Errorf("msgs: Catalogues[%d]: %w", i, err))
		}
	}
	return errors.Join(wrong...)
}

func (r *Router) mount(m Mount) error {
	c := m.Catalogue
	if c == nil {
		return errors.New("the catalogue is nil: give the variable that netgen wrote, such as &chat.Catalogue")
	}
	for _, other := range r.mounts {
		if other.catalogue == c {
			return fmt.Errorf("catalogue %s is there twice: a message could not tell which of its channels it is for", c.Name)
		}
	}
	if err := c.check(); err != nil {
		return err
	}
	mounted := &mount{catalogue: c, index: len(r.mounts), idBits: c.idBits(r.other())}
	r.mounts = append(r.mounts, mounted)
	return r.route(mounted, m.Channel)
}

// route makes the routes of a mounted catalogue, and claims their channels for it.
func (r *Router) route(m *mount, channel uint8) error {
	entries := m.catalogue.Entries
	if len(entries) > 0 {
		m.incoming = make([]*route, entries[len(entries)-1].ID+1)
	}
	var wrong []error
	for i := range entries {
		rt := &route{mount: m, entry: &entries[i], channel: channel + entries[i].Channel}
		rt.resetStats()
		wrong = append(wrong, r.claim(rt, int(channel)+int(entries[i].Channel)))
		r.routes[rt.entry] = rt
		r.inOrder = append(r.inOrder, rt)
		if m.catalogue.Codec == layout.Bytes || rt.entry.From&r.other() != 0 {
			m.incoming[rt.entry.ID] = rt
		}
	}
	return errors.Join(wrong...)
}

// claim gives a channel to the mount of rt.
func (r *Router) claim(rt *route, channel int) error {
	if channel >= numChannels {
		return fmt.Errorf("message %s would be on channel %d: the last is %d, so take a smaller Channel", rt.entry.Name, channel, numChannels-1)
	}
	if r.channels[channel] == nil {
		r.channels[channel] = rt.mount
	}
	if owner := r.channels[channel]; owner != rt.mount {
		return fmt.Errorf("messages %s.%s and %s.%s are both on channel %d: take another Channel for one of the two catalogues",
			owner.catalogue.Name, r.anyOn(uint8(channel)).entry.Name, rt.mount.catalogue.Name, rt.entry.Name, channel)
	}
	return nil
}

// anyOn returns the first route on a channel.
func (r *Router) anyOn(channel uint8) *route {
	for _, rt := range r.inOrder {
		if rt.channel == channel {
			return rt
		}
	}
	return nil
}

// check finds what would make routes of c ambiguous. Generated catalogues pass.
func (c *Catalogue) check() error {
	var wrong []error
	for i := range c.Entries {
		e := &c.Entries[i]
		for _, problem := range []string{c.checkEntry(e), c.checkPlace(i)} {
			if problem != "" {
				wrong = append(wrong, fmt.Errorf("message %s.%s (id %d) %s", c.Name, e.Name, e.ID, problem))
			}
		}
	}
	return errors.Join(wrong...)
}

// checkEntry says what is wrong with e, "" if nothing is.
func (c *Catalogue) checkEntry(e *Entry) string {
	switch {
	case e.From == 0 || e.From&^Both != 0:
		return "is from no side: say Client, Host or Both"
	case e.Delivery > transport.ReliableSequenced:
		return "has a delivery that does not exist"
	case e.MinSize > e.MaxSize:
		return "has a MinSize above its MaxSize"
	case len(c.States) < 64 && e.States>>len(c.States) != 0:
		return "has states that the catalogue does not have"
	case c.Codec == layout.Bytes && e.ID > 255:
		return "has an id above 255, and codec bytes has one byte for it"
	case c.Codec == layout.Bits && e.From == Both && c.idBits(Host) != c.idBits(Client):
		return fmt.Sprintf("is from both sides, whose ids are %d and %d bits: make hostids and clientids equal", c.idBits(Host), c.idBits(Client))
	}
	return ""
}

// checkPlace says what is wrong with entry i among those before it.
func (c *Catalogue) checkPlace(i int) string {
	e := &c.Entries[i]
	for j := i - 1; j >= 0 && c.Entries[j].ID >= e.ID; j-- {
		before := &c.Entries[j]
		switch {
		case before.ID > e.ID:
			return fmt.Sprintf("stands after id %d: entries have ascending ids", before.ID)
		case c.Codec == layout.Bytes || before.From&e.From != 0:
			return "has the id of " + before.Name
		}
	}
	return ""
}

// idBits is the width of the ids of the messages that side sends (MESSAGES.md 1.2).
func (c *Catalogue) idBits(side Side) int {
	if c.Codec == layout.Bytes {
		return 8
	}
	ids := c.HostIDs
	if side == Client {
		ids = c.ClientIDs
	}
	if ids == 0 {
		for i := range c.Entries {
			if c.Entries[i].From&side != 0 {
				ids = int(c.Entries[i].ID) + 1
			}
		}
	}
	return bits.Len(uint(max(ids-1, 0)))
}
