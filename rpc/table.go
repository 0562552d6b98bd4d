package rpc

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime/pprof"

	"github.com/gannet-net/gannet/msgs"
	"github.com/gannet-net/gannet/wire"
)

// table is the methods that one side runs, by index (CALLS.md 2.1).
type table struct {
	routes []*route // nil where an id is no longer used
	bits   int      // of an index
	rated  int      // how many of them have a rate
}

// contract is a Contract with the places of its methods.
type contract struct {
	*Contract
	routes []*route // as Contract.Methods
}

// route is what a Calls has to do with one method.
type route struct {
	*Method
	contract *contract
	index    int // in its table
	rate     int // which of the rates of its table it is, -1 if it has none

	target any // what runs it if it is static; nil if nothing is bound

	sent, got, results scratch
	labels             context.Context // with the name, for profiles; nil without them

	stats                  MethodStats
	panicLogged, errLogged bool
}

// scratch is values that are used again, one call after the other.
type scratch struct {
	of   *Values
	kept any
	lent bool
}

// take lends the values; while they are lent, further calls get values of their own. Give them back with give.
func (s *scratch) take() any {
	if s.lent {
		return s.of.New()
	}
	if s.kept == nil {
		s.kept = s.of.New()
	}
	s.lent = true
	return s.kept
}

func (s *scratch) give(v any) {
	if v == s.kept {
		s.lent = false
	}
}

// maxMethods is how many methods a table can have.
const maxMethods = 1 << 16

// Register adds contracts, such as those of a plugin. Both sides do it in the same order and between the same two calls, since it moves the indexes of control frames and can widen all of them. If one cannot be
// added none is, and the error says all that is wrong.
func (c *Calls) Register(contracts ...*Contract) error {
	var wrong []error
	here, there, all := c.here, c.there, c.contracts
	for i, added := range contracts {
		if err := c.checkContract(added, all); err != nil {
			wrong = append(wrong, fmt.Errorf("rpc: Contracts[%d]: %w", i, err))
			continue
		}
		k := &contract{Contract: added}
		before := [2]int{len(here.routes), len(there.routes)}
		for j := range added.Methods {
			m := &added.Methods[j]
			t, at := &here, before[0]
			if m.Of.At != c.side {
				t, at = &there, before[1]
			}
			k.routes = append(k.routes, t.add(c.newRoute(k, m), at+int(m.ID)))
		}
		all = append(all[:len(all):len(all)], k)
	}
	for _, t := range []*table{&here, &there} {
		if t.bits = wire.CountBits(uint32(len(t.routes))); len(t.routes) >= maxMethods {
			wrong = append(wrong, fmt.Errorf("rpc: %d methods for one side are too many: at most %d have an index", len(t.routes), maxMethods-1))
		}
	}
	if err := errors.Join(wrong...); err != nil {
		return err
	}
	c.here, c.there, c.contracts = here, there, all
	return nil
}

// checkContract finds what would make calls of a contract ambiguous. Generated ones pass, each once.
func (c *Calls) checkContract(added *Contract, all []*contract) error {
	if added == nil || added.Catalogue == nil {
		return errors.New("is nil: give the variable that netgen wrote, such as &arena.Contract")
	}
	for _, k := range all {
		switch {
		case k.Contract == added:
			return fmt.Errorf("contract %s is registered already", added.Catalogue.Name)
		case k.Catalogue.Name == added.Catalogue.Name:
			return fmt.Errorf("two contracts are named %s, of protocols %s and %s: give the package of one another name", added.Catalogue.Name, k.Catalogue.Protocol, added.Catalogue.Protocol)
		}
	}
	for i := range added.Methods {
		m := &added.Methods[i]
		if m.States != 0 && !c.router.Has(added.Catalogue) {
			return fmt.Errorf("%s depends on a state, so catalogue %s has to be among those of the router", m.Name, added.Catalogue.Name)
		}
		if i > 0 && m.Of.At == added.Methods[i-1].Of.At && m.ID <= added.Methods[i-1].ID {
			return fmt.Errorf("%s has not a higher id than %s before it", m.Name, added.Methods[i-1].Name)
		}
	}
	return nil
}

func (c *Calls) newRoute(k *contract, m *Method) *route {
	rt := &route{Method: m, contract: k, rate: -1, sent: scratch{of: &m.Args}, got: scratch{of: &m.Args}, results: scratch{of: &m.Results}}
	rt.stats.Method = m.Name
	if c.config.Labels {
		rt.labels = pprof.WithLabels(context.Background(), pprof.Labels("call", m.Name))
	}
	return rt
}

// add puts a route at an index.
func (t *table) add(rt *route, index int) *route {
	routes := t.routes[:len(t.routes):len(t.routes)]
	for len(routes) <= index {
		routes = append(routes, nil)
	}
	routes[index] = rt
	t.routes, rt.index = routes, index
	if rt.Rate.Count > 0 {
		rt.rate = t.rated
		t.rated++
	}
	return rt
}

// has reports whether methods of an interface are in the table.
func (t *table) has(of *Interface) bool {
	for _, rt := range t.routes {
		if rt != nil && rt.Of == of {
			return true
		}
	}
	return false
}

// bind gives the methods of a static interface to a target.
func (t *table) bind(of *Interface, target any) error {
	found := false
	for _, rt := range t.routes {
		if rt == nil || rt.Of != of {
			continue
		}
		if rt.target != nil {
			return fmt.Errorf("%w: keep one", ErrBound)
		}
		rt.target, found = target, true
	}
	if !found {
		return ErrNotRegistered
	}
	return nil
}

// route returns the route of a method of a contract, nil if that is not registered.
func (c *Calls) route(of *Contract, place int) *route {
	for _, k := range c.contracts {
		if k.Contract == of {
			return k.routes[place]
		}
	}
	return nil
}

// Table is the methods that one side runs, as Calls.Dump shows them.
func (c *Calls) table(side msgs.Side) *table {
	if side == c.side {
		return &c.here
	}
	return &c.there
}

// Dump writes both tables: how many methods each has and how many bits an index takes, then index and name, one a line.
func (c *Calls) Dump(w io.Writer) {
	for _, side := range []msgs.Side{msgs.Client, msgs.Host} {
		t := c.table(side)
		fmt.Fprintf(w, "%d %v methods (%d bits):\n", len(t.routes), sideNames[side], t.bits)
		for i, rt := range t.routes {
			if rt != nil {
				fmt.Fprintf(w, "%d %s\n", i, rt.Name)
			}
		}
	}
}

var sideNames = map[msgs.Side]string{msgs.Client: "client", msgs.Host: "server"}

// Unbound lists the static interfaces of this side that nothing is bound to: calls to them end in DropNoHandler. A program asks once, when all should be there.
func (c *Calls) Unbound() []string {
	var names []string
	for _, rt := range c.here.routes {
		if rt != nil && !rt.Of.Instance && rt.target == nil && (len(names) == 0 || names[len(names)-1] != rt.Of.Name) {
			names = append(names, rt.Of.Name)
		}
	}
	return names
}
