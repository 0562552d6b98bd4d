package reliable_test

import (
	"fmt"
	"time"

	"github.com/gannet-net/gannet/framing"
	"github.com/gannet-net/gannet/reliable"
)

// A client and a host in virtual time. The first copy of a message gets lost between them.
func Example() {
	now := int64(0)
	client := reliable.New(now, reliable.Config{Role: framing.Client})
	connect := client.PollDatagram(now, nil)
	fmt.Printf("a Connect of %d bytes\n", len(connect))

	// Whoever listens judges the Connect. The machine of the host begins with its Accept.
	now += int64(20 * time.Millisecond)
	host := reliable.New(now, reliable.Config{Role: framing.Host, PeerID: 7})
	carry(now, "client", host, client)
	carry(now, "host", client, host)

	hello := reliable.SendOptions{Mode: reliable.ReliableOrdered, Receipt: 1}
	if err := client.Send(now, []byte("hello"), hello); err != nil {
		fmt.Println(err)
	}
	lost := client.PollDatagram(now, nil)
	fmt.Printf("a Reliable of %d bytes gets lost\n", len(lost))

	// Nothing happens before the client's next deadline. Then it sends the message again.
	now = client.NextDeadline()
	carry(now, "host", client, host)
	carry(now, "client", host, client)
	// Output:
	// a Connect of 14 bytes
	// client is connected
	// host is connected
	// a Reliable of 10 bytes gets lost
	// host got "hello"
	// client knows the fate of message 1, delivered: true
}

// carry takes what one side has to send now to the other, and tells what happened there.
func carry(now int64, name string, from, to *reliable.Endpoint) {
	for d := from.PollDatagram(now, nil); len(d) > 0; d = from.PollDatagram(now, nil) {
		to.HandleDatagram(now, d)
	}
	for ev, ok := to.PollEvent(); ok; ev, ok = to.PollEvent() {
		switch ev.Kind {
		case reliable.EventConnected:
			fmt.Println(name, "is connected")
		case reliable.EventMessage:
			fmt.Printf("%s got %q\n", name, ev.Payload)
			to.Recycle(ev.Payload)
		case reliable.EventOutcome:
			fmt.Printf("%s knows the fate of message %d, delivered: %t\n", name, ev.Receipt, ev.Fate == reliable.Delivered)
		}
	}
}
