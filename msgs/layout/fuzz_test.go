package layout

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// FuzzDescription holds a text against what Parse says of it. What it takes is a catalogue that has this text and no other.
func FuzzDescription(f *testing.F) {
	for _, text := range []string{"", head, chat, arena} {
		f.Add(text)
	}
	base := parsed(f, chat)
	f.Fuzz(func(t *testing.T, text string) {
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
			require.LessOrEqual(t, least, most)
		}
	})
}
