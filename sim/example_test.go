package sim_test

import (
	"fmt"
	"net/netip"
	"time"

	"github.com/gannet-net/gannet/sim"
)

// Two nodes, driven by hand: what is sent arrives after the delay of the link, in virtual time.
func Example() {
	nw := sim.New(1)
	client, host := nw.Node("client"), nw.Node("host")
	nw.SetBoth(client, host, sim.Conditions{Delay: 25 * time.Millisecond})
	c, _ := client.Listen(0)
	h, _ := host.Listen(7000)

	c.Write([]byte("hello"), host.AddrPort(7000), netip.Addr{})
	nw.RunFor(24 * time.Millisecond)
	fmt.Println(h.Waiting(), "waiting after 24 ms")
	nw.RunFor(time.Millisecond)

	buf := make([]byte, 1200)
	n, from, at, _ := h.TryRead(buf)
	fmt.Printf("%s from %v at %v\n", buf[:n], from, at)
	// Output:
	// 0 waiting after 24 ms
	// hello from 10.0.0.1:49152 at 10.0.0.2
}

// A process runs whenever a datagram waits for it, and at the time that it asked for.
func ExampleNode_Attach() {
	nw := sim.New(1)
	client, host := nw.Node("client"), nw.Node("host")
	nw.SetDefault(sim.Conditions{Delay: 10 * time.Millisecond})
	c, _ := client.Listen(0)
	h, _ := host.Listen(7000)

	host.Attach(sim.ProcessFunc(func(now int64) int64 {
		for buf := make([]byte, 1200); ; {
			n, from, at, _ := h.TryRead(buf)
			if !from.IsValid() {
				return 1<<63 - 1 // nothing to do until the next datagram
			}
			h.Write(buf[:n], from, at)
		}
	}))
	client.Attach(sim.ProcessFunc(func(now int64) int64 {
		if n, from, _, _ := c.TryRead(make([]byte, 1200)); from.IsValid() {
			fmt.Println(time.Duration(now), "echo of", n, "bytes")
			return 1<<63 - 1
		}
		c.Write([]byte("hello"), host.AddrPort(7000), netip.Addr{})
		return now + int64(time.Second)
	}))
	nw.RunFor(500 * time.Millisecond)
	// Output: 20ms echo of 5 bytes
}
