// Package drivers has the stacks that are measured, one file for each.
package drivers

import (
	"slices"

	"github.com/gannet-net/gannet/bench/peers/peer"
)

// All gives every driver, in the order of the tables.
func All() []peer.Driver {
	return slices.Concat(
		gannet(),
		tcp(),
		raw(),
		kcp(),
		quic(),
		sctp(),
		enet(),
	)
}

// LeftOut says what this build has not, in sentences for the report.
func LeftOut() []string {
	if enetLeftOut == "" {
		return nil
	}
	return []string{enetLeftOut}
}

// Find gives the driver of that name, nil if there is none.
func Find(name string) *peer.Driver {
	all := All()
	i := slices.IndexFunc(all, func(d peer.Driver) bool { return d.Name == name })
	if i < 0 {
		return nil
	}
	return &all[i]
}
