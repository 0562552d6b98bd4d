package layout

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// A raw message is all bits after its id, which nobody looks at: it may end in a byte that is used in full.
func TestTheBitsOfARawMessageAreOneStep(t *testing.T) {
	c, err := Parse("catalogue calls protocol CALLS-1 codec bits hostids 19 clientids 9\nmessage 17 Call from host delivery ordered channel 0\n  Body rest\n")
	require.NoError(t, err)
	require.NoError(t, c.Check())
	least, most := c.Sizes(&c.Messages[0])
	require.Equal(t, []int{1, Unlimited}, []int{least, most})

	b := []byte{0x11 | 0xA0, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF}
	var steps []Step
	require.NoError(t, c.Walk(&c.Messages[0], b, func(s Step) bool { steps = append(steps, s); return true }))
	require.Len(t, steps, 1)
	require.Equal(t, []int{5, 43}, []int{steps[0].Offset, steps[0].Bits})
	require.Equal(t, b, steps[0].Value())
	require.Equal(t, "Call{Body: b1ffffffffff}", c.Dump(Host, b))
	require.Equal(t, "Call{Body: 11}", c.Dump(Host, []byte{0x11}), "nothing but the id")
}
