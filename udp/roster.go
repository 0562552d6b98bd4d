package udp

import "iter"

// roster are connections in the order in which they came. Both add and remove take constant time on average, since a host may lose all of its
// 65,000 peers at once.
type roster struct {
	places []*Conn // nil where one was removed
	used   int
}

func (r *roster) len() int { return r.used }

func (r *roster) add(c *Conn) {
	c.place = len(r.places)
	r.places = append(r.places, c)
	r.used++
}

// remove takes out one that is in it.
func (r *roster) remove(c *Conn) {
	r.places[c.place] = nil
	r.used--
	if 2*r.used < len(r.places) {
		r.closeGaps()
	}
}

func (r *roster) closeGaps() {
	kept := r.places[:0]
	for _, c := range r.places {
		if c != nil {
			c.place = len(kept)
			kept = append(kept, c)
		}
	}
	clear(r.places[len(kept):])
	r.places = kept
}

// all iterates over them. None may be added or removed meanwhile.
func (r *roster) all() iter.Seq[*Conn] {
	return func(yield func(*Conn) bool) {
		for _, c := range r.places {
			if c != nil && !yield(c) {
				return
			}
		}
	}
}
