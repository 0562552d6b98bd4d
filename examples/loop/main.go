// Loop is a game server and a client in one process, each driven at 60 Hz: Poll, all events, Flush.
//
//	go run ./examples/loop
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"time"

	"github.com/gannet-net/gannet/transport"
	"github.com/gannet-net/gannet/udp"
)

var (
	config = udp.Config{Driving: udp.GameLoop}

	reliable   = transport.SendOptions{Delivery: transport.ReliableOrdered}
	unreliable = transport.SendOptions{Delivery: transport.Unreliable}
)

func main() {
	if err := run(os.Stdout, 3*60); err != nil {
		log.Fatal(err)
	}
}

// run lets the client leave after the given number of frames.
func run(out io.Writer, frames int) error {
	host, err := udp.Listen("127.0.0.1:0", config)
	if err != nil {
		return err
	}
	defer host.Close()
	client, err := udp.Dial(context.Background(), host.Addr().String(), config)
	if err != nil {
		return err
	}
	ticker := time.NewTicker(time.Second / 60)
	defer ticker.Stop()
	for frame := 1; !host.Closed(); frame++ {
		<-ticker.C
		serve(out, host, frame)
		if ended := play(out, client, frame); ended != nil {
			err = ended
			host.Close() // comes back at once, too
		}
		if frame == frames {
			client.Close() // comes back at once: what was sent is still delivered, then play sees Disconnected
		}
	}
	var end *transport.DisconnectError
	if errors.As(err, &end) && end.Cause == transport.ClosedLocally {
		return nil
	}
	return err
}

// serve is one frame of the server. What a player says must reach everybody. The state of the world need not, because the next
// frame brings a newer one.
func serve(out io.Writer, host *udp.Host, frame int) {
	host.Poll()
	for ev := range transport.Events(host) {
		switch ev.Kind {
		case transport.Connected:
			fmt.Fprintf(out, "server: player %d joined\n", ev.Conn.ID())
		case transport.Message:
			if err := host.Broadcast(ev.Payload, reliable); err != nil {
				log.Print(err) // counts the players who are too slow to get it
			}
		case transport.Disconnected:
			fmt.Fprintf(out, "server: player %d left: %v\n", ev.Conn.ID(), ev.Err)
		}
	}
	_ = host.Broadcast(fmt.Appendf(nil, "world of frame %d", frame), unreliable)
	host.Flush()
}

// play is one frame of the client. It returns why the connection ended, nil while it stands.
func play(out io.Writer, client *udp.Conn, frame int) error {
	client.Poll()
	for ev := range transport.Events(client) {
		switch ev.Kind {
		case transport.Connected:
			if err := client.Send(fmt.Appendf(nil, "hello from player %d", client.ID()), reliable); err != nil {
				return err
			}
		case transport.Message:
			if ev.Delivery.Reliable() || frame%60 == 0 { // the world is shown once a second
				fmt.Fprintf(out, "client: got %q\n", ev.Payload)
			}
		case transport.Disconnected, transport.DialFailed:
			return ev.Err
		}
	}
	client.Flush()
	return nil
}
