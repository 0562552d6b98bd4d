package framing_test

import (
	"fmt"

	"github.com/gannet-net/gannet/framing"
)

// A host judges what came in, acts on what is sound and counts the rest.
func Example() {
	var drops framing.Drops
	for _, d := range [][]byte{
		framing.AppendConnect(nil, framing.BaseVersion),
		framing.AppendReliable(nil, 7, []byte("hello")),
		framing.AppendAccept(nil, 1), // only hosts send these
		{0x05, 0x07},                 // ends within its sequence
	} {
		frame, drop := framing.Parse(d, framing.Host)
		drops.Count(drop)
		if drop == framing.Accepted {
			fmt.Println(frame)
		}
	}
	fmt.Println(drops)
	// Output:
	// Connect "HRD-LOCAL-1"
	// Reliable seq 7, 5 bytes
	// direction=1 short=1
}

// A refusal is cut to what the host may send: no more bytes than the request had.
func ExampleCutReason() {
	limit := min(framing.MaxRefuseReason, len("HRD-LOCAL-1"))
	fmt.Printf("%q\n", framing.CutReason("closed for maintenance", limit))
	// Output:
	// "closed for "
}
