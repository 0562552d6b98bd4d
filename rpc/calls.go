package rpc

import (
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/gannet-net/gannet/msgs"
)

// Config says what a Calls knows and whom it tells. Router and Contracts must be given; every other zero field takes its default.
type Config struct {
	// Router carries the calls, and says which side this is. Its catalogues include the carrier's, and those of contracts that have states.
	Router *msgs.Router

	// Contracts are those that both sides have, in the same order. Register adds more.
	Contracts []*Contract

	// Carrier is the messages that calls travel in. The default is that of Catalogue, which Mount mounts.
	Carrier Carrier

	// Pending is how many requests may be on the way at once, to one peer and from one: 64 is the default.
	Pending int
	// Stall is for how long an honest client may have been held up: 30 s is the default (CALLS.md 5).
	Stall time.Duration
	// Budget is what one client may make the server do in all.
	Budget Budget
	// OnFlood is called when a client is further ahead of the rate of a method than Stall explains, and again after as many more calls. There is no default: to kick is for the game to decide.
	OnFlood func(*msgs.Peer, Flood)
	// OnMissing is called for a call with missing=error whose object is not there.
	OnMissing func(from *msgs.Peer, method string, id NetID)

	// Logger gets what an author or an operator should know, none of it for each call. The default discards it.
	Logger *slog.Logger
	// Clock gives nanoseconds, to time handlers by. Without one nothing is timed, at no cost.
	Clock func() int64
	// Labels has the processor profile split by method: each call runs under the pprof label "call".
	Labels bool
	// Recorder is how many of the last calls are kept for Record: 256 is the default, and below 0 none.
	Recorder int
	// Verify encodes and decodes direct calls too, so that handlers get what a network would bring.
	Verify bool
}

// Calls is one side of all calls: the tables of methods, the objects, and what is bound to them. It, and all that it gives, belongs to the goroutine of its Router.
type Calls struct {
	config Config
	router *msgs.Router
	side   msgs.Side
	other  msgs.Side

	contracts []*contract
	here      table // what this side runs
	there     table // what the other side runs
	sends     outlet
	idBits    int // of the carrier that comes in

	objects Objects
	peers   map[*msgs.Peer]*peer
	order   []*peer // in the order in which they joined; replaced when it changes

	now    int64 // that of the last Tick; at a client, or of the last call that came
	expiry int64 // when Tick has something to do

	waiting waiting           // calls whose object is not there
	phases  [numPhases]stored // calls whose phase has not come; that of Now is unused

	stamp   uint64 // of the newest request
	sheets  []*sheet
	written int // how many of them are lent

	outs  []*Out // what is being sent, one for each depth
	ins   []*In  // what runs, likewise
	out   int
	depth int

	stats    Stats
	recorder recorder
	told     map[string]bool // what is logged once
}

// outlet is how frames leave.
type outlet struct {
	message msgs.Descriptor
	idBits  int
}

// New makes a Calls of c and adds its handler to the router, or returns all that is wrong with c as one error.
func New(c Config) (*Calls, error) {
	c, err := c.withDefaults()
	if err != nil {
		return nil, err
	}
	s := &Calls{config: c, router: c.Router, side: c.Router.Side(), peers: map[*msgs.Peer]*peer{}, told: map[string]bool{}}
	s.other = msgs.Both &^ s.side
	s.objects = Objects{calls: s, bound: map[any]NetID{}}
	s.waiting.calls, s.recorder = s, newRecorder(c.Recorder)
	s.expiry = never
	if err := s.connect(c.Carrier); err != nil {
		return nil, err
	}
	if err := s.Register(c.Contracts...); err != nil {
		return nil, err
	}
	if err := s.router.Add(msgs.OnRaw(c.Carrier.of(s.other), s.receive)); err != nil {
		return nil, err
	}
	s.router.Watch(watcher{s})
	for p := range s.router.Peers() {
		s.joined(p)
	}
	return s, nil
}

// withDefaults returns c with its zero fields filled in, or what is wrong with the others.
func (c Config) withDefaults() (Config, error) {
	var wrong []error
	if c.Router == nil {
		wrong = append(wrong, errors.New("rpc: Router: is nil: make one with msgs.NewRouter"))
	}
	for _, f := range []struct {
		name  string
		value int64
	}{{"Pending", int64(c.Pending)}, {"Stall", int64(c.Stall)}} {
		if f.value < 0 {
			wrong = append(wrong, fmt.Errorf("rpc: %s: must not be negative", f.name))
		}
	}
	if c.Pending == 0 {
		c.Pending = 64
	}
	if c.Pending > maxPending {
		wrong = append(wrong, fmt.Errorf("rpc: Pending: at most %d are told from one another", maxPending))
	}
	if c.Stall == 0 {
		c.Stall = 30 * time.Second
	}
	if c.Recorder == 0 {
		c.Recorder = 256
	}
	var err error
	if c.Budget, err = c.Budget.withDefaults(); err != nil {
		wrong = append(wrong, err)
	}
	if c.Carrier == (Carrier{}) {
		c.Carrier = ownCarrier
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	return c, errors.Join(wrong...)
}

// connect finds out how the messages of the carrier begin.
func (c *Calls) connect(carrier Carrier) error {
	for _, from := range []msgs.Side{c.side, c.other} {
		d := carrier.of(from)
		switch {
		case d.Catalogue == nil || d.Entry == nil:
			return errors.New("rpc: Carrier: needs a message from the host and one from clients, or neither")
		case d.Entry.From&from == 0:
			return fmt.Errorf("rpc: Carrier: %s is not sent by the %v", d.Entry.Name, from)
		case !c.router.Has(d.Catalogue):
			return fmt.Errorf("rpc: Carrier: catalogue %s is not among those of the router: add rpc.Mount(channel, spare) to its Catalogues", d.Catalogue.Name)
		}
		l, err := d.Catalogue.Layout()
		if err != nil {
			return err
		}
		if from == c.side {
			c.sends = outlet{d, l.IDBits(from)}
		} else {
			c.idBits = l.IDBits(from)
		}
	}
	return nil
}

// Objects are what net ids stand for on this side.
func (c *Calls) Objects() *Objects { return &c.objects }

// Router is that of Config.
func (c *Calls) Router() *msgs.Router { return c.router }

// Bind makes impl what runs the methods of an interface of this side: for an object, id is its net id, else 0. Generated functions such as BindDoorServer call it, with what generated code calls as
// target. Calls that waited for the object run before it returns.
func (c *Calls) Bind(of *Interface, id NetID, impl, target any) error {
	err := c.bind(of, id, impl, target)
	if err != nil {
		return fmt.Errorf("rpc: Bind %s: %w", of.Name, err)
	}
	if of.Instance {
		c.waiting.appeared(id)
	}
	return nil
}

func (c *Calls) bind(of *Interface, id NetID, impl, target any) error {
	switch {
	case of.At != c.side:
		return fmt.Errorf("the %v runs it: bind it there, and call it from here", of.At)
	case impl == nil:
		return errors.New("nil runs nothing")
	case of.Instance && id.place() == 0:
		return ErrNoID
	case of.Instance:
		if !c.here.has(of) {
			return ErrNotRegistered
		}
		return c.objects.bind(of, id, impl, target)
	}
	return c.here.bind(of, target)
}

// Tick ends what has waited long enough, and lets time go on for calls that are sent. Call it once a frame, before the router is pumped, with the time of the connection's clock: that of its Config.Clock, or udp.Now without one.
// A server whose connections have several clocks may take any: it measures deadlines by this one, and the rate of each client by that of its own connection.
func (c *Calls) Tick(now int64) {
	c.now = now
	if now < c.expiry {
		return
	}
	c.expiry = never
	for _, p := range c.order {
		p.expire(now)
	}
	c.waiting.expire(now)
}

// first reports whether it is called with what for the first time.
func (c *Calls) first(what string) bool {
	before := c.told[what]
	c.told[what] = true
	return !before
}
