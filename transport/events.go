package transport

import "iter"

// Events is the loop over Next of a host or a connection, until it reports false:
//
//	for ev := range transport.Events(host) {
//
// Events that are left after a break stay queued. What Next says of payloads holds.
func Events(from interface{ Next() (Event, bool) }) iter.Seq[Event] {
	return func(yield func(Event) bool) {
		for ev, ok := from.Next(); ok; ev, ok = from.Next() {
			if !yield(ev) {
				return
			}
		}
	}
}
