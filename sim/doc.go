// Package sim is a network in virtual time: nodes with addresses, sockets and clocks, and between them links that
// delay, lose, copy, reorder and damage datagrams. It is a pure machine. No goroutine runs, nothing sleeps, and one
// seed gives one run, bit for bit, on every platform.
//
//	nw := sim.New(1)
//	client, host := nw.Node("client"), nw.Node("host")
//	nw.SetBoth(client, host, sim.Conditions{Delay: 25 * time.Millisecond, Loss: sim.Percent(5)})
//	c, _ := client.Listen(0)
//	h, _ := host.Listen(7000)
//	c.Write([]byte("hello"), host.AddrPort(7000), netip.Addr{})
//	nw.RunFor(time.Second)
//	n, from, at, err := h.TryRead(buf)
//
// # Driving
//
// Time is int64 nanoseconds and starts at 0. It moves in Step, RunUntil, RunFor and RunUntilDone only. In between, the
// caller may change anything: conditions, addresses, clocks. At and After do so from within the run. What is due at one
// time happens in the order in which it was arranged.
//
// A [Process] attached to a node runs in virtual time whenever a datagram waits for it or its own deadline has come, on
// the node's own clock. Whole hosts and clients run that way.
//
// # The way of a datagram
//
// Write hands it to the link between the two nodes, which decides at once whether it will be lost, copied, held back or
// damaged. A cut link, the MTU and the bottleneck may refuse it. Through the bottleneck it goes in order, then on its
// way for Delay, give or take Jitter. At the far end it needs a NAT mapping, if there is a box, a node that is up, a
// socket at the port, and room in its receive buffer. Each end that a datagram can come to has a counter, and
// [Network.Audit] proves that they add up.
//
// # What reorders
//
// With Jitter 0 a link is first in, first out, ties included, as long as its Delay is not made shorter. Jitter reorders
// unless KeepOrder is set. Reorder holds single datagrams back, and copies come DuplicateDelay late, with KeepOrder
// too.
//
// # Seeds
//
// Each impairment of each link draws from a stream of its own, whose seed is made of the network's seed, the names of
// both nodes and the impairment's. It draws for every datagram, lost ones included. So a further node, or a further
// impairment, shifts no draw of another; and the two directions are independent.
//
// # What is not simulated
//
// IP fragments, ICMP but for refused ports, congestion by traffic that is not sent, time that processes take to run.
package sim
