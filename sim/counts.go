package sim

import (
	"fmt"
	"strings"
)

// Counts are the books of one direction between two nodes, or the sums over all. Always
//
//	Sent + Duplicated = Delivered + Lost() + InFlight
//	Delivered = Read + Waiting + Discarded
type Counts struct {
	Sent       uint64 // datagrams that Write accepted
	Duplicated uint64 // copies made on the way
	Delivered  uint64 // put into a socket's receive buffer
	Drops      [NumDrops]uint64
	InFlight   uint64 // in a bottleneck's queue or on the way

	Read      uint64 // taken by TryRead
	Waiting   uint64 // in receive buffers
	Discarded uint64 // in the receive buffer of a socket that was closed or killed

	Corrupted uint64 // with bits flipped, and not lost on the way; Truncated and Extended alike
	Truncated uint64
	Extended  uint64
	HeldBack  uint64 // by Conditions.Reorder, and not lost on the way
	Reordered uint64 // delivered after a datagram that was sent later, copies aside

	SentBytes      uint64 // of payload
	DeliveredBytes uint64

	ReadErrors  uint64 // calls that FailReads and the like made fail; in the sum over all links only
	WriteErrors uint64
}

// Lost sums the drops.
func (c Counts) Lost() uint64 {
	var n uint64
	for _, d := range c.Drops {
		n += d
	}
	return n
}

// String gives what is not zero, in one line.
func (c Counts) String() string {
	var b strings.Builder
	add := func(name string, n uint64) {
		if n > 0 {
			fmt.Fprintf(&b, "%s %d, ", name, n)
		}
	}
	add("sent", c.Sent)
	add("duplicated", c.Duplicated)
	add("delivered", c.Delivered)
	for d, n := range c.Drops {
		add("lost by "+Drop(d).String(), n)
	}
	add("in flight", c.InFlight)
	add("read", c.Read)
	add("waiting", c.Waiting)
	add("discarded", c.Discarded)
	add("corrupted", c.Corrupted)
	add("truncated", c.Truncated)
	add("extended", c.Extended)
	add("held back", c.HeldBack)
	add("reordered", c.Reordered)
	add("read errors", c.ReadErrors)
	add("write errors", c.WriteErrors)
	return strings.TrimSuffix(b.String(), ", ")
}

// add sums o into c.
func (c *Counts) add(o *Counts) {
	c.Sent += o.Sent
	c.Duplicated += o.Duplicated
	c.Delivered += o.Delivered
	for d := range c.Drops {
		c.Drops[d] += o.Drops[d]
	}
	c.InFlight += o.InFlight
	c.Read += o.Read
	c.Waiting += o.Waiting
	c.Discarded += o.Discarded
	c.Corrupted += o.Corrupted
	c.Truncated += o.Truncated
	c.Extended += o.Extended
	c.HeldBack += o.HeldBack
	c.Reordered += o.Reordered
	c.SentBytes += o.SentBytes
	c.DeliveredBytes += o.DeliveredBytes
}

// Counts sums the books of all links.
func (nw *Network) Counts() Counts {
	sum := nw.failed
	for _, l := range nw.links {
		sum.add(&l.counts)
	}
	return sum
}

// LinkCounts gives the books of one direction. What was sent to an address that nobody has, or that no NAT mapping
// stands for, is under to == nil.
func (nw *Network) LinkCounts(from, to *Node) Counts {
	if to == nil {
		to = nw.nowhere
	}
	return nw.link(from, to).counts
}
