package msgs

import (
	"errors"
	"fmt"
	"iter"
	"slices"

	"github.com/gannet-net/gannet/internal/rate"
	"github.com/gannet-net/gannet/transport"
)

// Router takes the events of all connections of one side, finds the handler of each message, and knows the peers. It, its peers and all that it
// gives belong to one goroutine: the game loop, or the one that calls the handler of a background transport.
type Router struct {
	config Config

	mounts   []*mount
	channels [numChannels]*mount // whose messages a channel has
	routes   map[*Entry]*route   // of both directions
	inOrder  []*route            // the same, in the order of Config.Catalogues

	peers  []*Peer // whose session stands, in the order in which they joined; replaced when it changes
	byConn map[transport.Conn]*Peer
	byID   map[uint32]*Peer
	host   [1]*Peer // at a client: the newest session, or the one to come
	all    audience

	buffer      []byte // for the next message that is encoded; nil while it is lent
	buffersLent int    // and not yet taken back; after a panic, which may have come in between, none
	lent        []*In  // what running handlers have, one for each depth
	depth       int
	waiting     queue // for the next frame
	running     queue // what RunFrame is taking messages from
	inFrame     bool

	watchers []Watcher

	stats Stats

	logBudget rate.Bucket
	told      map[string]bool // what is logged once
}

// NewRouter makes a router of c, or returns all that is wrong with it as one error.
func NewRouter(c Config) (*Router, error) {
	c, err := c.withDefaults()
	r := &Router{config: c, routes: map[*Entry]*route{}, byConn: map[transport.Conn]*Peer{}, byID: map[uint32]*Peer{}, logBudget: rate.Full, told: map[string]bool{}}
	r.all.router = r
	if err := errors.Join(err, r.mountAll(), r.checkHandlers(c.Handlers)); err != nil {
		return nil, err
	}
	r.bind(c.Handlers)
	if c.Side == Client {
		r.host[0] = r.newPeer()
	}
	return r, nil
}

// other is the side that messages come from.
func (r *Router) other() Side { return Both &^ r.config.Side }

// Add adds handlers, also while the router runs and from a handler. If one of them cannot be added none is, and the error says all that is wrong.
func (r *Router) Add(handlers ...Handler) error {
	if err := r.checkHandlers(handlers); err != nil {
		return err
	}
	r.bind(handlers)
	return nil
}

func (r *Router) bind(handlers []Handler) {
	for _, h := range handlers {
		rt := r.routes[h.descriptor.Entry]
		rt.call, rt.frame = h.bind(), h.frame
	}
}

func (r *Router) checkHandlers(handlers []Handler) error {
	var wrong []error
	fresh := map[*Entry]bool{}
	for i, h := range handlers {
		err := r.checkHandler(h)
		if err == nil && fresh[h.descriptor.Entry] {
			err = fmt.Errorf("message %s has two handlers: keep one", h.descriptor.Entry.Name)
		}
		if err != nil {
			wrong = append(wrong, fmt.Errorf("msgs: Handlers[%d]: %w", i, err))
		}
		fresh[h.descriptor.Entry] = fresh[h.descriptor.Entry] || err == nil
	}
	return errors.Join(wrong...)
}

func (r *Router) checkHandler(h Handler) error {
	d := h.descriptor
	if h.err != nil {
		return h.err
	}
	if d.Entry == nil {
		return errors.New("the handler is empty: make it with On, OnFrame or OnRaw")
	}
	rt := r.routes[d.Entry]
	switch {
	case rt == nil && r.isListed(d.Catalogue): // and could not be mounted
		return nil
	case rt == nil:
		return fmt.Errorf("message %s is of catalogue %s, which is not among Catalogues: add it there, or leave the handler out", d.Entry.Name, d.Catalogue.Name)
	case d.Entry.From&r.other() == 0:
		return fmt.Errorf("message %s never comes in here, because only this side sends it: handle it on the other side, or declare it from=both", d.Entry.Name)
	case rt.call != nil:
		return fmt.Errorf("message %s has a handler already: keep one", d.Entry.Name)
	}
	return nil
}

func (r *Router) isListed(c *Catalogue) bool {
	return slices.ContainsFunc(r.config.Catalogues, func(m Mount) bool { return m.Catalogue == c })
}

// Unhandled lists the messages that this side receives and has no handler for.
func (r *Router) Unhandled() []Descriptor {
	var list []Descriptor
	for _, rt := range r.inOrder {
		if rt.call == nil && rt.entry.From&r.other() != 0 {
			list = append(list, rt.descriptor())
		}
	}
	return list
}

// Peers yields the peers that have joined and not yet left, in the order in which they joined. Who joins or leaves meanwhile changes nothing in it.
func (r *Router) Peers() iter.Seq[*Peer] {
	peers := r.peers
	return func(yield func(*Peer) bool) {
		for _, p := range peers {
			if !yield(p) {
				return
			}
		}
	}
}

// Peer is the peer with the given id, or nil if there is none.
func (r *Router) Peer(id uint32) *Peer { return r.byID[id] }

// Host is, at a client, the host: the session that stands, else the last one, and before the first one the session to come. It is nil at a host.
func (r *Router) Host() *Peer { return r.host[0] }
