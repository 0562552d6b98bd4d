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

// A Writer keeps the first error, so that it is asked once, like a Reader.
func ExampleWriter() {
	w := wire.NewWriter(nil)
	w.Uint8(12)
	w.Text("Ada", 32)
	w.Float32(1.5)
	fmt.Printf("% X, %v\n", w.Bytes(), w.Err())

	w.Reset()
	w.Text("a name that is too long for the eight bytes that it may have", 8)
	w.Uint8(1)
	fmt.Println(w.Len(), w.Err())
	// Output:
	// 0C 03 00 41 64 61 00 00 C0 3F, <nil>
	// 0 wire: above its limit
}

// The pose of a player in 13 bytes: an id of up to 32, a place to within 2 mm in a world of 8 km, and a rotation to within a degree.
func ExampleBitWriter() {
	w := wire.NewBitWriter(nil)
	w.Uint(17, 5)
	w.Vec3(-102.5, 1.75, 3000, 13, 9)
	w.Quat(0, 0.6, 0, 0.8, 9)
	fmt.Println(w.Len(), "bytes,", w.Offset(), "bits,", w.Err())

	r := wire.NewBitReader(w.Bytes())
	id := r.Uint(5)
	x, y, z := r.Vec3(13, 9)
	qx, qy, qz, qw := r.Quat(9)
	if r.Unread() > 0 || r.Err() != nil {
		fmt.Println("malformed")
		return
	}
	fmt.Println(id, x, y, z)
	fmt.Printf("%.3f %.3f %.3f %.3f\n", qx, qy, qz, qw)
	// Output:
	// 13 bytes, 100 bits, <nil>
	// 17 -102.5 1.75 3000
	// 0.000 0.599 0.000 0.801
}

// A length that is not 1 is no rotation: that of a struct that nobody filled in, say.
func ExampleBitWriter_Quat() {
	w := wire.NewBitWriter(nil)
	w.Quat(0, 0, 0, 0, 9)
	fmt.Println(w.Err())
	// Output: wire: neither a rotation nor a unit vector
}
