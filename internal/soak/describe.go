package soak

import (
	"fmt"
	"strings"
	"time"
)

// describe tells how everybody is.
func (w *world) describe() string {
	var b strings.Builder
	fmt.Fprintf(&b, "  at %v: host runs %v, its clock shows %v\n", time.Duration(w.nw.Now()), w.host.running, time.Duration(w.host.clock()))
	for _, e := range w.host.order {
		fmt.Fprintf(&b, "  %v\n", e)
	}
	for _, p := range w.players {
		fmt.Fprintf(&b, "  %s: clock %v, running %v, rejoins at %v\n", p.node.Name(), time.Duration(p.clock()), p.running, time.Duration(p.rejoinAt))
		if p.conn != nil {
			fmt.Fprintf(&b, "    %v\n", p.end)
		}
	}
	return b.String()
}

// String tells how an end is.
func (e *end) String() string {
	s := e.conn.Stats()
	peer := "nobody"
	if e.peer != nil {
		peer = e.peer.name
	}
	return fmt.Sprintf("%s with %s: up %v, left %v, over %v, err %v; rtt %v deadline %v, %d queued, %d in flight, %d unread, sent %d, received %d datagrams, %d repairs, %d probes, %d outages, drops %v",
		e.name, peer, e.up, e.left, e.over, e.conn.Err(), s.RTTSmoothed, s.Deadline, s.QueueMessages, s.InFlight, s.UnreadMessages, s.DatagramsSent, s.DatagramsReceived, s.Repairs, s.Probes, s.Outages, s.Drops)
}
