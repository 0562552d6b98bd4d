package soak

import (
	"fmt"
	"slices"
)

// AnyLoss is what [Plan.Without] takes in the place of a kind: all that makes datagrams get lost.
const AnyLoss = "any loss"

// Without is the plan without the faults of the kinds that are named. Nothing else changes.
func (p Plan) Without(names []string) Plan {
	lossless := slices.Contains(names, AnyLoss)
	p.Faults = slices.DeleteFunc(slices.Clone(p.Faults), func(f Fault) bool {
		k := &kinds[f.Kind]
		return slices.Contains(names, k.name) || lossless && k.loses()
	})
	if lossless {
		p.links.Loss = 0
	}
	return p
}

// loses reports whether a fault can make datagrams get lost.
func (k *kindInfo) loses() bool {
	return k.lane == laneWay || k.lane == laneWeather || k.group == "socket"
}

// CheckKinds says which of the names is that of no kind.
func CheckKinds(names []string) error {
	for _, name := range names {
		if name != AnyLoss && !slices.ContainsFunc(kinds, func(k kindInfo) bool { return k.name == name }) {
			return fmt.Errorf("no fault is called %q", name)
		}
	}
	return nil
}
