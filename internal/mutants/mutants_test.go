package mutants

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestEachFieldIsCutFlippedAndSetToItsEdges(t *testing.T) {
	all, err := Of([]byte{9, 2, 0, 'a', 'b', 5, 0, 0, 0}, []Field{{"kind", Choice, 1}, {"length", Length, 2}, {"text", Bytes, AsSaid}, {"seq", Serial, 4}, {"rest", Bytes, Rest}})
	require.NoError(t, err)
	have := map[string][]byte{}
	for _, m := range all {
		require.NotContains(t, have, m.Name)
		have[m.Name] = m.Datagram
	}
	for name, want := range map[string][]byte{
		"nothing of it": {}, "a byte less": {9, 2, 0, 'a', 'b', 5, 0, 0}, "a byte more": {9, 2, 0, 'a', 'b', 5, 0, 0, 0, 0},
		"ends before text": {9, 2, 0}, "ends inside text": {9, 2, 0, 'a'}, "ends inside length": {9, 2},
		"the lowest bit of text": {9, 2, 0, 'a' ^ 1, 'b', 5, 0, 0, 0}, "the highest bit of text": {9, 2, 0, 'a', 'b' ^ 0x80, 5, 0, 0, 0},
		"length claims nothing": {9, 0, 0, 'a', 'b', 5, 0, 0, 0}, "length claims one byte": {9, 1, 0, 'a', 'b', 5, 0, 0, 0},
		"length claims one less than there is": {9, 5, 0, 'a', 'b', 5, 0, 0, 0}, "length claims all there is": {9, 6, 0, 'a', 'b', 5, 0, 0, 0},
		"length claims one more than there is": {9, 7, 0, 'a', 'b', 5, 0, 0, 0}, "length claims the most": {9, 255, 255, 'a', 'b', 5, 0, 0, 0},
		"kind and one": {10, 2, 0, 'a', 'b', 5, 0, 0, 0}, "kind of all ones": {255, 2, 0, 'a', 'b', 5, 0, 0, 0},
		"seq of zero": {9, 2, 0, 'a', 'b', 0, 0, 0, 0}, "seq less one": {9, 2, 0, 'a', 'b', 4, 0, 0, 0}, "seq and one": {9, 2, 0, 'a', 'b', 6, 0, 0, 0},
		"seq at the end of a window": {9, 2, 0, 'a', 'b', 4, 4, 0, 0}, "seq behind a window": {9, 2, 0, 'a', 'b', 5, 4, 0, 0}, "seq of a window ago": {9, 2, 0, 'a', 'b', 5, 252, 255, 255},
		"seq half way round": {9, 2, 0, 'a', 'b', 5, 0, 0, 0x80}, "seq just less than half way round": {9, 2, 0, 'a', 'b', 4, 0, 0, 0x80}, "seq of all ones": {9, 2, 0, 'a', 'b', 255, 255, 255, 255},
	} {
		require.Equal(t, want, have[name], name)
	}
	require.Len(t, have, 36)
}

func TestADatagramThatDoesNotHaveTheFieldsHasNoMutants(t *testing.T) {
	for _, d := range [][]byte{{}, {1, 2, 0, 'a'}, {1, 0, 0, 'a'}} {
		_, err := Of(d, []Field{{"kind", Choice, 1}, {"length", Length, 2}, {"text", Bytes, AsSaid}})
		require.Error(t, err)
	}
}
