package packet_test

import (
	"fmt"

	"github.com/gannet-net/gannet/framing/packet"
)

// One side puts an ack and what waits into a packet; the other judges the packet as a whole and then lets its frames take effect.
func Example() {
	var b packet.Builder
	b.Reset(make([]byte, 0, packet.MaxPacket), packet.MaxPacket)
	b.AppendAck(packet.Ack{Form: packet.Bitmap32, Largest: 258, Bitmap: 0b1011})
	chat := packet.StreamOf(2, packet.Ordered)
	for i, text := range []string{"hello", "all"} {
		b.AppendReliable(packet.Reliable{Stream: chat, Seq: uint16(40 + i), First: true, Last: true, Payload: []byte(text)})
	}
	b.AppendUnreliable(packet.Unreliable{Payload: make([]byte, b.RoomUnreliable(packet.Unreliable{}))})
	received := b.Bytes()

	if fault := packet.Check(received); fault != packet.Valid {
		fmt.Println("protocol error:", fault)
		return
	}
	var p packet.Parser
	var f packet.Frame
	for p.Reset(received); p.Next(&f); {
		fmt.Println(f)
	}
	fmt.Println(len(received), "bytes")
	// Output:
	// Ack 258 delay 0 bitmap 0000000b
	// Reliable channel 2 ordered seq 40 first last, 5 bytes
	// Reliable channel 2 ordered seq 41 first last, 3 bytes
	// Unreliable channel 0, 1149 bytes
	// 1175 bytes
}

// An Ack with ranges tells runs of packets from the largest down.
func ExampleRuns() {
	scratch := make(packet.Runs, 0, packet.MaxRunsSize)
	runs := scratch.Append(packet.Run{Received: 200}).Append(packet.Run{Missing: 1, Received: 50})

	number := 1000 // the largest
	for run := range runs.All() {
		number -= run.Missing
		fmt.Printf("%d to %d\n", number-run.Received+1, number)
		number -= run.Received
	}
	// Output:
	// 801 to 1000
	// 750 to 799
}
