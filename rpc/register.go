package rpc

import (
	"errors"
	"fmt"
	"log/slog"
	"slices"

	"github.com/gannet-net/gannet/msgs"
	"github.com/gannet-net/gannet/msgs/layout"
	"github.com/gannet-net/gannet/wire"
)

// maxMethods is how many methods a table can have.
const maxMethods = 1 << 16

// Register adds contracts, such as those of a plugin. Both sides do it in the same order and between the same two calls, since it moves the index of control frames and can widen all indexes. If one cannot be
// added none is, and the error says all that is wrong. A method that is not complete keeps its index, so that those after it have theirs: it is logged, and a call of it ends in DropUnknown.
func (c *Calls) Register(contracts ...*Contract) error {
	if c.config.Clock != nil {
		start := c.config.Clock()
		defer func() { c.stats.Registering += c.config.Clock() - start }()
	}
	var wrong []error
	next := registry{c.here, c.there, slices.Clip(c.contracts)}
	next.here.routes, next.there.routes = slices.Clone(c.here.routes), slices.Clone(c.there.routes)
	for i, added := range contracts {
		if err := next.check(c, added); err != nil {
			wrong = append(wrong, fmt.Errorf("rpc: Contracts[%d]: %w", i, err))
			continue
		}
		next.add(c, added)
	}
	for _, t := range []*table{&next.here, &next.there} {
		if t.bits = wire.CountBits(uint32(len(t.routes))); len(t.routes) >= maxMethods {
			wrong = append(wrong, fmt.Errorf("rpc: %d methods for one side are too many: at most %d have an index", len(t.routes), maxMethods-1))
		}
	}
	if err := errors.Join(wrong...); err != nil {
		return err
	}
	c.here, c.there, c.contracts = next.here, next.there, next.contracts
	return nil
}

// registry is the tables as they will be.
type registry struct {
	here, there table
	contracts   []*contract
}

// check finds what would make calls of a contract ambiguous.
func (r *registry) check(c *Calls, added *Contract) error {
	if added == nil || added.Catalogue == nil {
		return errors.New("is nil: give the variable that netgen wrote, such as &arena.Contract")
	}
	for _, k := range r.contracts {
		switch {
		case k.Contract == added:
			return fmt.Errorf("contract %s is registered already", added.Catalogue.Name)
		case k.Catalogue.Name == added.Catalogue.Name:
			return fmt.Errorf("two contracts are named %s, of protocols %s and %s: give the package of one another name", added.Catalogue.Name, k.Catalogue.Protocol,
				added.Catalogue.Protocol)
		}
	}
	names := map[string]bool{}
	for i := range added.Methods {
		m := &added.Methods[i]
		switch {
		case m.Of == nil:
			return fmt.Errorf("%s is of no interface", m.Name)
		case names[m.Name]:
			return fmt.Errorf("two methods are named %s", m.Name)
		case m.Channel > c.spare(m):
			return fmt.Errorf("%s has channel %d, and calls are mounted with %d spare channels: mount them with more, such as rpc.Mount(channel, %d)", m.Name, m.Channel, c.spare(m), m.Channel)
		case m.States != 0 && !c.router.Has(added.Catalogue):
			return fmt.Errorf("%s depends on a state, so catalogue %s has to be among those of the router", m.Name, added.Catalogue.Name)
		case i > 0 && m.Of.At == added.Methods[i-1].Of.At && m.ID <= added.Methods[i-1].ID:
			return fmt.Errorf("%s has id %d and comes after %s, which has %d: ids ascend", m.Name, m.ID, added.Methods[i-1].Name, added.Methods[i-1].ID)
		}
		names[m.Name] = true
	}
	return nil
}

// spare is how many channels after the first the calls of a method can have.
func (c *Calls) spare(m *Method) uint8 {
	return c.router.Spare(c.config.Carrier.of(msgs.Both &^ m.Of.At).Catalogue)
}

// add gives the methods of a contract their indexes.
func (r *registry) add(c *Calls, added *Contract) {
	k := &contract{Contract: added, routes: make([]*route, len(added.Methods))}
	here, there := len(r.here.routes), len(r.there.routes)
	for i := range added.Methods {
		m := &added.Methods[i]
		if missing := m.incomplete(); missing != "" {
			c.config.Logger.Error("Method not registered", slog.String("method", m.Name), slog.String("reason", missing))
		} else {
			k.routes[i] = c.newRoute(k, m)
		}
		if m.Of.At == c.side {
			r.here.add(k.routes[i], here+int(m.ID))
		} else {
			r.there.add(k.routes[i], there+int(m.ID))
		}
	}
	r.contracts = append(r.contracts, k)
	k.warnIfStale(c)
}

// incomplete says what a method lacks, "" if nothing. Generated ones lack nothing.
func (m *Method) incomplete() string {
	switch {
	case m.Call == nil:
		return "it has no Call"
	case !m.Args.complete():
		return "its Args have no New, Encode or Decode"
	case len(m.Deliveries) == 0:
		return "it has no delivery"
	case m.Reply && (m.Done == nil || !m.Results.complete()):
		return "it is answered, but its Results have no New, Encode or Decode, or there is no Done"
	case m.Reply && (m.Deadline <= 0 || m.Deadline > maxWait):
		return "its deadline is not above 0 and at most 60 s"
	case m.Rate.Count != 0 && (m.Rate.Count < 0 || m.Rate.Per <= 0 || m.Rate.Burst < 1 || m.Rate.each() == 0):
		return "its rate is none"
	case int(m.Phase) >= numPhases || m.Missing > Queue:
		return "its phase, or what becomes of it without an object, does not exist"
	}
	return ""
}

func (v *Values) complete() bool { return v.New != nil && v.Encode != nil && v.Decode != nil }

// warnIfStale logs methods that the description of the contract does not have, and those that it has alone: then one of the two was not generated with the other.
func (k *contract) warnIfStale(c *Calls) {
	l, err := k.Catalogue.Layout()
	if err != nil || len(l.Methods) == 0 {
		return
	}
	for i := range k.Methods {
		if !slices.ContainsFunc(l.Methods, func(m layout.Method) bool { return m.Name == k.Methods[i].Name }) {
			c.config.Logger.Warn("Method is not used: its contract does not have it; run go generate", slog.String("method", k.Methods[i].Name))
		}
	}
	for i := range l.Methods {
		if !slices.ContainsFunc(k.Methods, func(m Method) bool { return m.Name == l.Methods[i].Name }) {
			c.config.Logger.Error("Method not registered", slog.String("method", l.Methods[i].Name), slog.String("reason", "there is no code for it; run go generate"))
		}
	}
}
