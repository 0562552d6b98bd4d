package msgs

import (
	"errors"
	"fmt"

	"github.com/gannet-net/gannet/msgs/layout"
	"github.com/gannet-net/gannet/transport"
)

const numChannels = 64

// mount is a catalogue with its place in a router.
type mount struct {
	catalogue *Catalogue
	index     int      // in Router.mounts and Peer.states
	spare     uint8    // Mount.Spare
	idBits    int      // width of the ids that come in
	incoming  []*route // by the ids that can come in, those of the wrong direction included; nil where there is none
}

// route is what a router has to do with the messages of one type.
type route struct {
	mount   *mount
	entry   *Entry
	channel uint8 // the mount's added

	anyMode bool // Mount.AnyMode names it

	call  call // nil without a handler
	frame bool // call waits for RunFrame

	stats                     MessageStats
	unsentLogged, panicLogged bool
}

// takes reports whether messages may be in a mode and on a channel.
func (rt *route) takes(mode transport.Delivery, channel uint8) bool {
	if !rt.anyMode {
		return mode == rt.entry.Delivery && channel == rt.channel
	}
	return channel-rt.channel <= rt.mount.spare // one below wraps around, far above
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
	mounted := &mount{catalogue: c, spare: m.Spare, index: len(r.mounts), idBits: c.idBits(r.other())}
	r.mounts = append(r.mounts, mounted)
	return errors.Join(r.route(mounted, m.Channel), r.allowModes(m))
}

// allowModes marks the messages that may be sent in other modes than the catalogue says.
func (r *Router) allowModes(m Mount) error {
	var wrong []error
	for _, d := range m.AnyMode {
		if rt := r.routes[d.Entry]; rt != nil && d.Catalogue == m.Catalogue {
			rt.anyMode = true
			wrong = append(wrong, r.claimSpare(rt, m))
		} else {
			wrong = append(wrong, fmt.Errorf("AnyMode has a message that is not of catalogue %s: give descriptors of its own", m.Catalogue.Name))
		}
	}
	return errors.Join(wrong...)
}

// route makes the routes of a mounted catalogue, and claims their channels for it.
func (r *Router) route(m *mount, channel uint8) error {
	entries := m.catalogue.Entries
	if len(entries) > 0 {
		m.incoming = make([]*route, int(entries[len(entries)-1].ID)+1)
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

// claimSpare gives the spare channels of a message to its mount.
func (r *Router) claimSpare(rt *route, m Mount) error {
	for i := range int(m.Spare) {
		if err := r.claim(rt, int(m.Channel)+int(rt.entry.Channel)+1+i); err != nil {
			return err
		}
	}
	return nil
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
			owner.catalogue.Name, r.anyOf(owner, uint8(channel)).entry.Name, rt.mount.catalogue.Name, rt.entry.Name, channel)
	}
	return nil
}

// anyOf returns the first route of a mount that can use a channel which is its own.
func (r *Router) anyOf(m *mount, channel uint8) *route {
	for _, rt := range r.inOrder {
		if rt.mount == m && (rt.channel == channel || rt.anyMode && rt.takes(rt.entry.Delivery, channel)) {
			return rt
		}
	}
	return nil
}
