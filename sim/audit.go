package sim

import "fmt"

// Audit proves that the books balance: that each link's counters add up, and that as many datagrams as they claim are
// really in flight and waiting. It walks everything, so it belongs between phases of a test rather than after each
// event.
func (nw *Network) Audit() error {
	for _, l := range nw.links {
		if err := l.counts.balance(); err != nil {
			return fmt.Errorf("sim: books of %s to %s: %w", l.from.name, l.to.name, err)
		}
	}
	sum := nw.Counts()
	flying, waiting := nw.recount()
	if flying != sum.InFlight || waiting != sum.Waiting {
		return fmt.Errorf("sim: %d in flight and %d waiting, but the books say %d and %d", flying, waiting, sum.InFlight, sum.Waiting)
	}
	if used := uint64(nw.slab.used); used != flying+waiting {
		return fmt.Errorf("sim: %d datagrams held, %d of them in flight or waiting", used, flying+waiting)
	}
	return nil
}

func (c *Counts) balance() error {
	if in, out := c.Sent+c.Duplicated, c.Delivered+c.Lost()+c.InFlight; in != out {
		return fmt.Errorf("%d sent or duplicated, %d delivered, lost or in flight: %v", in, out, c)
	}
	if out := c.Read + c.Waiting + c.Discarded; c.Delivered != out {
		return fmt.Errorf("%d delivered, %d read, waiting or discarded: %v", c.Delivered, out, c)
	}
	return nil
}

// recount counts what is really there, by the queues and the heap rather than by the counters.
func (nw *Network) recount() (flying, waiting uint64) {
	for _, e := range nw.events {
		if e.kind == eventArrive {
			flying++
		}
	}
	for _, b := range nw.bottlenecks {
		flying += uint64(b.queue.length)
	}
	for _, n := range nw.nodes {
		for _, s := range n.sockets {
			waiting += uint64(s.waiting.length)
		}
	}
	return flying, waiting
}
