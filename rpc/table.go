package rpc

import (
	"context"
	"fmt"
	"io"
	"runtime/pprof"
	"slices"

	"github.com/gannet-net/gannet/msgs"
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
	binds  int // how often that was tried

	sent, got, results scratch
	labels             context.Context // with the name, for profiles; nil without them

	stats                              MethodStats
	panicLogged, errLogged, missLogged bool
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

func (c *Calls) newRoute(k *contract, m *Method) *route {
	rt := &route{Method: m, contract: k, rate: -1, sent: scratch{of: &m.Args}, got: scratch{of: &m.Args}, results: scratch{of: &m.Results}}
	rt.stats.Method = m.Name
	if c.config.Labels {
		rt.labels = pprof.WithLabels(context.Background(), pprof.Labels("call", m.Name))
	}
	return rt
}

// add puts a route at an index, or a hole if it is nil.
func (t *table) add(rt *route, index int) {
	for len(t.routes) <= index {
		t.routes = append(t.routes, nil)
	}
	if rt == nil {
		return
	}
	t.routes[index], rt.index = rt, index
	if rt.Rate.Count > 0 {
		rt.rate = t.rated
		t.rated++
	}
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

// binds is how often a static interface was bound.
func (t *table) binds(of *Interface) int {
	for _, rt := range t.routes {
		if rt != nil && rt.Of == of {
			return rt.binds
		}
	}
	return 0
}

// bind gives the methods of a static interface to a target.
func (t *table) bind(of *Interface, target any) error {
	if !t.has(of) {
		return ErrNotRegistered
	}
	for _, rt := range t.routes {
		if rt == nil || rt.Of != of {
			continue
		}
		if rt.binds++; rt.binds > 1 {
			continue
		}
		rt.target = target
	}
	if t.binds(of) > 1 {
		return fmt.Errorf("%w: keep one", ErrBound)
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

// table is the methods that one side runs.
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
	for _, of := range c.here.statics() {
		if c.here.binds(of) == 0 {
			names = append(names, of.Name)
		}
	}
	return names
}

// statics are the static interfaces of a table, by their first index.
func (t *table) statics() (list []*Interface) {
	for _, rt := range t.routes {
		if rt != nil && !rt.Of.Instance && !slices.Contains(list, rt.Of) {
			list = append(list, rt.Of)
		}
	}
	return list
}

// Claims writes a line for each static interface of this side that nothing is bound to, or that was bound more than once, and else one that all are.
func (c *Calls) Claims(w io.Writer) {
	all := true
	for _, of := range c.here.statics() {
		if n := c.here.binds(of); n != 1 {
			all = false
			fmt.Fprintf(w, "%s was bound %d times\n", of.Name, n)
		}
	}
	if all {
		fmt.Fprintf(w, "all %d static interfaces are bound\n", len(c.here.statics()))
	}
}
