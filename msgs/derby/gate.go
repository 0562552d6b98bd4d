package derby

import "slices"

// gate waits until all who are in the roster are done. Who is there is asked each time, so that nobody waits for a player who has left.
type gate struct {
	open bool // somebody is waited for
	done [256]bool
}

// wait begins to wait for everybody.
func (g *gate) wait() { *g = gate{open: true} }

// mark notes that a player is done, and reports false if nobody waited for that.
func (g *gate) mark(id PlayerID) bool {
	if !g.open || g.done[id] {
		return false
	}
	g.done[id] = true
	return true
}

// forget is called when a player leaves: the next one with that number is not done.
func (g *gate) forget(id PlayerID) { g.done[id] = false }

// split divides the roster into those who are done and those who are not.
func (g *gate) split(roster []PlayerInfo) (done, waiting []PlayerID) {
	for i := range roster {
		if id := roster[i].ID; g.done[id] {
			done = append(done, id)
		} else {
			waiting = append(waiting, id)
		}
	}
	return done, waiting
}

// pass closes the gate if all are done, and reports whether it did. Nobody passes an empty lobby's.
func (g *gate) pass(roster []PlayerInfo) bool {
	undone := func(p PlayerInfo) bool { return !g.done[p.ID] }
	if !g.open || len(roster) == 0 || slices.ContainsFunc(roster, undone) {
		return false
	}
	g.open = false
	return true
}
