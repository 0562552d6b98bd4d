package udp_test

import (
	"context"
	"fmt"
	"time"

	"github.com/gannet-net/gannet/sim"
	"github.com/gannet-net/gannet/transport"
	"github.com/gannet-net/gannet/udp"
)

// A host and a client on a simulated network that loses every fifth datagram. Time is virtual, and one seed always gives the same run.
func Example_simulated() {
	nw := sim.New(1)
	nw.SetDefault(sim.Conditions{Delay: 25 * time.Millisecond, Loss: sim.Percent(20)})
	server, player := nw.Node("server"), nw.Node("player")

	config := func(n *sim.Node, port uint16) udp.Config {
		socket, err := n.Listen(port)
		if err != nil {
			panic(err)
		}
		return udp.Config{
			Driving: udp.GameLoop, Socket: socket, Clock: n.Clock,
			Seed: [32]byte{1}, // a random one would be another run
		}
	}
	host, err := udp.Listen("", config(server, 7777))
	if err != nil {
		panic(err)
	}
	client, err := udp.Dial(context.Background(), server.AddrPort(7777).String(), config(player, 0))
	if err != nil {
		panic(err)
	}

	reliable := transport.SendOptions{Delivery: transport.ReliableOrdered}
	server.Attach(sim.ProcessFunc(func(int64) int64 {
		host.Poll()
		for ev := range transport.Events(host) {
			if ev.Kind == transport.Message {
				ev.Conn.Send(ev.Payload, reliable)
			}
		}
		host.Flush()
		return host.NextDeadline() // it is also called when a datagram comes
	}))
	player.Attach(sim.ProcessFunc(func(int64) int64 {
		client.Poll()
		for ev := range transport.Events(client) {
			switch ev.Kind {
			case transport.Connected:
				client.Send([]byte("hello"), reliable)
			case transport.Message:
				fmt.Printf("%s\n", ev.Payload)
			}
		}
		client.Flush()
		return client.NextDeadline()
	}))
	nw.RunFor(5 * time.Second)
	// Output:
	// hello
}
