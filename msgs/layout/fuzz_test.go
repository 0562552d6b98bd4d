package layout

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// FuzzDescription holds a text against what Parse says of it, and reads data by it. What Parse takes is a catalogue that has this text and no other, and no
// bytes are read beyond their end.
func FuzzDescription(f *testing.F) {
	for _, text := range []string{"", head, chat, arena, doors} {
		f.Add(text, []byte{0})
		f.Add(text, play())
		f.Add(text, spawn())
		f.Add(text, price(0))
	}
	base := parsed(f, chat)
	f.Fuzz(func(t *testing.T, text string, data []byte) {
		c, err := Parse(text)
		if err != nil {
			require.Less(t, len(err.Error()), 2000)
			return
		}
		require.NoError(t, c.Check())
		require.Equal(t, text, c.String())
		require.Equal(t, text == chat, len(Compare(base, c)) == 0)
		for i := range c.Messages {
			least, most := c.Sizes(&c.Messages[i])
			require.LessOrEqual(t, 0, least)
			end := 0
			err := c.Walk(&c.Messages[i], data, func(s Step) bool {
				require.GreaterOrEqual(t, s.Offset, end)
				end = s.Offset + s.Bits
				return true
			})
			require.LessOrEqual(t, end, 8*len(data))
			require.False(t, err == nil && (len(data) < least || len(data) > most), "%d is none of the sizes %d to %d", len(data), least, most)
			require.LessOrEqual(t, least, most)
		}
		for i := range c.Methods {
			for _, fields := range [][]Field{c.Methods[i].Fields, c.Methods[i].Results} {
				least, most := c.CallSizes(fields)
				require.LessOrEqual(t, least, most)
				err := c.WalkCall(&c.Methods[i], fields, data, 0, nil)
				require.False(t, err == nil && (8*len(data) < least || 8*len(data)-7 > most), "%d bytes are none of %d to %d bits", len(data), least, most)
			}
		}
		require.NotEmpty(t, c.Dump(Host, data))
	})
}
