package udp_test

import (
	"context"
	"fmt"
	"time"

	"github.com/gannet-net/gannet/transport"
	"github.com/gannet-net/gannet/udp"
)

// A host and a client in the background style: calls block, and everything may be called from any goroutine.
func Example_background() {
	host, err := udp.Listen("127.0.0.1:0", udp.Config{Protocol: udp.Base})
	if err != nil {
		panic(err)
	}
	defer host.Close()

	ctx := context.Background()
	client, err := udp.Dial(ctx, host.Addr().String(), udp.Config{Protocol: udp.Base})
	if err != nil {
		panic(err)
	}
	peer, _ := host.Accept(ctx)

	client.Send([]byte("hello"), transport.SendOptions{Delivery: transport.ReliableOrdered})
	ev, _ := peer.Receive(ctx, nil)
	fmt.Printf("host: %s\n", ev.Payload)

	client.Close()
	_, err = peer.Receive(ctx, nil)
	fmt.Println("host:", err)
	// Output:
	// host: hello
	// host: connection closed by the peer
}

// A host and a client driven by one game loop: nothing runs but the loop itself.
func Example_gameLoop() {
	host, err := udp.Listen("127.0.0.1:0", udp.Config{Protocol: udp.Base, Driving: udp.GameLoop})
	if err != nil {
		panic(err)
	}
	client, err := udp.Dial(context.Background(), host.Addr().String(), udp.Config{Protocol: udp.Base, Driving: udp.GameLoop})
	if err != nil {
		panic(err)
	}

	for over := false; !over; time.Sleep(time.Millisecond) { // a frame
		host.Poll()
		for ev, ok := host.Next(); ok; ev, ok = host.Next() {
			if ev.Kind == transport.Message {
				fmt.Printf("host: %s\n", ev.Payload)
				host.Close()
			}
		}
		host.Flush()

		client.Poll()
		for ev, ok := client.Next(); ok; ev, ok = client.Next() {
			switch ev.Kind {
			case transport.Connected:
				client.Send([]byte("hello"), transport.SendOptions{Delivery: transport.ReliableOrdered})
			case transport.Disconnected, transport.DialFailed:
				fmt.Println("client:", ev.Err)
				over = true
			}
		}
		client.Flush()
	}
	// Output:
	// host: hello
	// client: connection closed by the peer
}
