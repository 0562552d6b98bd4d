package main

import (
	"cmp"
	"slices"

	"github.com/gannet-net/gannet/msgs/layout"
)

// giveMethodIDs gives each method the id that it has in the lock, and new ones the next. It brings them into the order of descriptions.
func (s *scanner) giveMethodIDs() {
	next := map[layout.Side]uint16{}
	known := map[layout.Side]map[string]uint16{layout.Client: {}, layout.Host: {}}
	if s.locked != nil {
		for _, b := range s.locked.blocks {
			for _, m := range b.Methods {
				known[m.At][m.Name] = m.ID
				next[m.At] = max(next[m.At], m.ID+1)
			}
		}
	}
	for _, m := range s.cat.methods {
		id, ok := known[m.of.at][m.layout.Name]
		if !ok {
			id = next[m.of.at]
			next[m.of.at]++
		}
		m.layout.ID = id
	}
	slices.SortFunc(s.cat.methods, func(a, b *method) int { return orderOfMethods(&a.layout, &b.layout) })
}

// orderOfMethods is the order of methods in a description.
func orderOfMethods(a, b *layout.Method) int {
	return cmp.Or(cmp.Compare(a.At, b.At), cmp.Compare(a.ID, b.ID))
}

func findMethod(c *layout.Catalogue, m *layout.Method) *layout.Method {
	for i := range c.Methods {
		if c.Methods[i].Name == m.Name && c.Methods[i].At == m.At {
			return &c.Methods[i]
		}
	}
	return nil
}
