package layout_test

import (
	"fmt"

	"github.com/gannet-net/gannet/msgs/layout"
)

const version1 = `catalogue chat protocol CHAT-1 codec bytes
message 10 Say from client delivery ordered channel 0
  To uint8
  Text text max=200
`

const version2 = `catalogue chat protocol CHAT-2 codec bytes
message 10 Say from client delivery ordered channel 0
  Text text max=100
  To uint8
`

// Two peers of different versions tell their players why they cannot play together.
func ExampleCompare() {
	mine, err := layout.Parse(version1)
	if err != nil {
		fmt.Println(err)
		return
	}
	theirs, err := layout.Parse(version2)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, d := range layout.Compare(mine, theirs) {
		fmt.Println(d)
	}
	// Output:
	// catalogue: protocol CHAT-1 here, protocol CHAT-2 there
	// message Say (id 10), field To: comes first here, comes after Text there
	// message Say (id 10), field Text: text max=200 here, text max=100 there
}

// A log shows what came in from its bytes alone.
func ExampleCatalogue_Dump() {
	c, err := layout.Parse(version1)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(c.Dump(layout.Client, []byte("\x0A\x03\x02\x00hi")))
	fmt.Println(c.Dump(layout.Client, []byte("\x0A\x03\x05\x00hi")))
	// Output:
	// Say{To: 3, Text: "hi"}
	// Say{To: 3 malformed: message Say, field Text: input is too short
}
