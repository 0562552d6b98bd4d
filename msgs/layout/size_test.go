package layout

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// sized returns the sizes of a message of codec with these fields.
func sized(t *testing.T, codec, fields string) [2]int {
	t.Helper()
	c := parsed(t, "catalogue c protocol 1 codec "+codec+"\nmessage 1 Say from client delivery ordered channel 0\n"+fields)
	least, most := c.Sizes(&c.Messages[0])
	return [2]int{least, most}
}

func TestSizesOfBytesAreThoseOfTheTable(t *testing.T) {
	for _, row := range []struct {
		fields string
		sizes  [2]int
	}{
		{"", [2]int{1, 1}},
		{"  A bool\n  B uint16\n  C int64\n  D float32\n  E enum32 values=1\n", [2]int{20, 20}},
		{"  A array len=9\n    - bool\n", [2]int{10, 10}},
		{"  A text max=200\n", [2]int{3, 203}},
		{"  A blob max=65535\n", [2]int{3, 65538}},
		{"  A list max=255\n    - uint16\n", [2]int{2, 512}},
		{"  A list max=256\n    - uint16\n", [2]int{3, 515}},
		{"  A array len=3\n    - text max=1\n", [2]int{7, 10}},
		{"  A bool\n  B struct if=A\n    C uint32\n", [2]int{2, 6}},
		{"  A rest\n", [2]int{1, Unlimited}},
		{"  A list max=65535\n    - list max=65535\n      - list max=65535\n        - array len=65535\n          - uint64\n", [2]int{3, Unlimited}},
		{"  A array len=65535\n    - array len=65535\n      - array len=65535\n        - array len=65535\n          - bool\n", [2]int{Unlimited, Unlimited}},
	} {
		require.Equal(t, row.sizes, sized(t, "bytes", row.fields), row.fields)
	}
}

func TestSizesOfBitsAreThoseOfTheTable(t *testing.T) {
	for _, row := range []struct {
		fields string
		sizes  [2]int
	}{
		{"", [2]int{1, 1}}, // an id of 4 bits
		{"  A uint bits=4\n", [2]int{1, 1}},
		{"  A uint bits=5\n", [2]int{2, 2}},
		{"  A text lenbits=11 max=100\n", [2]int{1, 103}},
		{"  A blob max=100\n", [2]int{2, 103}},
		{"  A list max=30\n    - text lenbits=8 max=1\n", [2]int{2, 92}}, // 9 bits and 7 of padding before each byte
		{"  A list max=30\n    - blob max=1\n", [2]int{2, 62}},           // 1 and 7
		{"  A array len=12\n    - bool\n", [2]int{2, 2}},
		{"  A enum64 values=0..4\n  B bool\n", [2]int{1, 1}},
		{"  A list max=7\n    - quat bits=9\n", [2]int{1, 27}},
		{"  A yawquat yaw=3 bits=9\n", [2]int{1, 5}},
		{"  A yawquat yaw=32 bits=2\n", [2]int{2, 5}},
		{"  A vec3 int=13 frac=7\n", [2]int{8, 8}},
		{"  A yawvec bits=16\n  B unit bits=9\n  C guid\n  D rgb\n", [2]int{29, 29}},
	} {
		require.Equal(t, row.sizes, sized(t, "bits hostids 0 clientids 16", row.fields), row.fields)
	}
}
