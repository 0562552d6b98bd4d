package loopback_test

import (
	"context"
	"fmt"

	"github.com/gannet-net/gannet/loopback"
	"github.com/gannet-net/gannet/transport"
)

// A single-player game whose client and host share a game loop.
func Example() {
	client, host, err := loopback.Pipe(loopback.Config{Driving: transport.GameLoop})
	if err != nil {
		fmt.Println(err)
		return
	}
	_ = client.Send([]byte("jump"), transport.SendOptions{Delivery: transport.ReliableOrdered})
	_ = client.Close()

	host.Poll()
	for ev, ok := host.Next(); ok; ev, ok = host.Next() {
		switch ev.Kind {
		case transport.Message:
			fmt.Printf("%v: %s\n", ev.Delivery, ev.Payload)
		case transport.Disconnected:
			fmt.Println(ev.Err)
		default:
			fmt.Println(ev.Kind)
		}
	}
	host.Flush()
	// Output:
	// connected
	// ordered: jump
	// connection closed by the peer
}

// A background client that waits for the host's answer.
func ExampleConn_Receive() {
	echo := func(ev transport.Event) {
		if ev.Kind == transport.Message {
			_ = ev.Conn.Send(ev.Payload, transport.SendOptions{Delivery: ev.Delivery})
		}
	}
	client, _, err := loopback.Pipe(loopback.Config{Host: &loopback.End{Handler: echo}})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer client.Close()
	_ = client.Send([]byte("hello"), transport.SendOptions{})
	ev, err := client.Receive(context.Background(), nil)
	fmt.Println(string(ev.Payload), err)
	// Output: hello <nil>
}
