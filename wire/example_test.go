package wire_test

import (
	"fmt"

	"github.com/gannet-net/gannet/wire"
)

// A score message is appended field by field, read back in the same order, and checked once at the end.
func Example() {
	b := wire.AppendUint8(nil, 12)
	b = wire.AppendInt32(b, -350)
	b, err := wire.AppendString(b, "Ada")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("% X\n", b)

	r := wire.NewReader(b)
	id, score, name := r.Uint8(), r.Int32(), r.String()
	if r.Err() != nil || r.Len() > 0 {
		fmt.Println("malformed")
		return
	}
	fmt.Println(id, score, string(name))
	// Output:
	// 0C A2 FE FF FF 03 00 41 64 61
	// 12 -350 Ada
}

// A length that claims more than was sent makes the reader fail.
func ExampleReader_Err() {
	r := wire.NewReader([]byte{0xFF, 0xFF, 'h', 'i'})
	fmt.Println(len(r.String()), r.Err())
	// Output:
	// 0 wire: input is too short
}
