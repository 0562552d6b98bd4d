package layout

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/transport"
)

func parsed(t testing.TB, text string) *Catalogue {
	t.Helper()
	c, err := Parse(text)
	require.NoError(t, err)
	return c
}

func TestADescriptionSaysWhatItsCatalogueIs(t *testing.T) {
	require.Equal(t, &Catalogue{
		Name: "chat", Protocol: "CHAT-1", States: []string{"lobby", "playing"},
		Messages: []Message{
			{ID: 10, Name: "Say", From: Client, Delivery: transport.ReliableOrdered, States: 0b10, Fields: []Field{
				{Name: "Text", Kind: KindText, Len: 200},
			}},
			{ID: 11, Name: "Shout", From: Both, Channel: 3, Fields: []Field{
				{Name: "Loud", Kind: KindBool},
				{Name: "Level", Kind: KindU8, If: "Loud", Ranged: true, Min: 1, Max: 9},
				{Name: "To", Kind: KindList, Len: 8, Fields: []Field{{Kind: KindEnum8, Values: []int64{-1, 0, 1, 5}}}},
			}},
		},
	}, parsed(t, `catalogue chat protocol CHAT-1 codec bytes
states lobby playing
message 10 Say from client delivery ordered channel 0 states playing
  Text text max=200
message 11 Shout from both delivery unreliable channel 3
  Loud bool
  Level uint8 min=1 max=9 if=Loud
  To list max=8
    - enum8 values=-1..1,5
`))
}

func TestADescriptionIsReadAndWrittenAgainByteForByte(t *testing.T) {
	for _, text := range []string{chat, arena, "catalogue empty protocol 1 codec bytes\n"} {
		c := parsed(t, text)
		require.Equal(t, text, c.String())
		require.Equal(t, c, parsed(t, c.String()))
	}
}

func TestEveryKindIsInTheDescriptionsOfTheseTests(t *testing.T) {
	words := strings.Fields(chat + arena)
	for k := range kinds[1:] {
		require.True(t, slices.Contains(words, Kind(k+1).String()), "%v", Kind(k+1))
	}
}

func TestAFingerprintStandsForTheText(t *testing.T) {
	// The first 8 bytes of sha256("catalogue empty protocol 1 codec bytes\n"), little-endian.
	require.Equal(t, uint64(0x7A58ED0AC2670AC4), Fingerprint("catalogue empty protocol 1 codec bytes\n"))
	require.NotEqual(t, Fingerprint(chat), Fingerprint(strings.Replace(chat, "max=200", "max=201", 1)))
}

const head = "catalogue c protocol 1 codec bytes\n"

func TestTextOfAnotherFormIsRefusedWithItsLine(t *testing.T) {
	say := head + "message 1 Say from client delivery ordered channel 0\n"
	for _, row := range []struct{ name, text, says string }{
		{"nothing", "", "catalogue: name \"\" is not a Go name"},
		{"no header", "message 1 A from\n", `line 1: "message 1": unknown word`},
		{"a word too few", "catalogue\n", `line 1: nothing follows "catalogue"`},
		{"no end of line", strings.TrimSuffix(head, "\n"), `codec bytes", but`},
		{"an empty line", head + "\n", "line 2: is not the line of a message"},
		{"a carriage return", "catalogue c protocol 1 codec bytes\r\n", "line 1: is"},
		{"an unknown codec", "catalogue c protocol 1 codec morse\n", `line 1: "codec morse": unknown word`},
		{"words in another order", "catalogue c codec bytes protocol 1\n", "line 1: is"},
		{"ids with codec bytes", "catalogue c protocol 1 codec bytes hostids 0\n", "line 1: is"},
		{"states without any", head + "states \n", "line 2: is"},
		{"an id of another spelling", head + "message 01 Say from client delivery ordered channel 0\n", "line 2: is"},
		{"an id that is too large", head + "message 65536 Say from client delivery ordered channel 0\n", `line 2: "65536": value out of range`},
		{"a message without channel", head + "message 1 Say from client delivery ordered\n", "line 2: is"},
		{"an unknown delivery", head + "message 1 Say from client delivery pigeon channel 0\n", `"delivery pigeon": unknown word`},
		{"an unknown side", head + "message 1 Say from nobody delivery ordered channel 0\n", `"from nobody": unknown word`},
		{"an unknown state", head + "message 1 Say from host delivery ordered channel 0 states idle\n", `"idle" is none of the states`},
		{"an unknown kind", say + "  Text poem\n", `line 3: "poem": unknown kind`},
		{"a field without kind", say + "  Text\n", "line 3: is not the line of a field"},
		{"an unknown attribute", say + "  Text text max=1 min=0\n", `line 3: "min=0": unknown word`},
		{"an attribute without value", say + "  Text text max\n", `line 3: "max": invalid syntax`},
		{"an attribute that is not there", say + "  Text text\n", "message Say, field Text: max=0 is not 1 to 65535"},
		{"an attribute twice", say + "  Text text max=1 max=1\n", "line 3: is"},
		{"a field that is not indented", say + "Text text max=1\n", "line 3: is not the line of a message"},
		{"a field that is indented by three", say + "   Text text max=1\n", "line 3: is"},
		{"a tab", say + "\tText text max=1\n", "line 3: is not the line of a message"},
		{"a field in a number", say + "  A uint8\n    B uint8\n", "line 4: is indented too far"},
		{"half a range", say + "  A uint8 min=1\n", "field A: min=1 max=0 is not a range"},
		{"values that are a range", say + "  A enum8 values=1,2\n", "line 3: is"},
		{"a range backwards", say + "  A enum8 values=2..1\n", "line 3"},
		{"a range of more values than memory", say + "  A enum64 values=-9223372036854775808..9223372036854775807\n", "line 3"},
		{"values that are no numbers", say + "  A enum8 values=a\n", `line 3: "values=a": invalid syntax`},
		{"more than is allowed", head + strings.Repeat(" ", MaxText), "more than 65536"},
	} {
		t.Run(row.name, func(t *testing.T) {
			c, err := Parse(row.text)
			require.ErrorContains(t, err, row.says)
			require.Nil(t, c)
		})
	}
}

func TestFieldsNestOnlySoDeep(t *testing.T) {
	nest := func(depth int) string {
		text := head + "message 1 Say from client delivery ordered channel 0\n"
		for i := range depth {
			text += strings.Repeat("  ", i+1) + "A struct\n"
		}
		return text
	}
	parsed(t, nest(MaxDepth))
	_, err := Parse(nest(MaxDepth + 1))
	require.ErrorContains(t, err, "line 11: is indented too far")
}

func TestEnumsTogetherHaveOnlySoManyValues(t *testing.T) {
	text := head + "message 1 Say from client delivery ordered channel 0\n  A enum16 values=0..65534\n  B enum8 values=1\n"
	parsed(t, text)
	_, err := Parse(text + "  C enum8 values=1\n")
	require.ErrorContains(t, err, "line 5")
}

func TestAnErrorQuotesWhatAStrangerWroteAndOnlyItsBeginning(t *testing.T) {
	_, err := Parse("catalogue \u202e\x1b[31m" + strings.Repeat("x", 10_000) + " protocol 1 codec bytes\n")
	require.Error(t, err)
	require.NotContains(t, err.Error(), "\x1b")
	require.NotContains(t, err.Error(), "\u202e")
	require.Less(t, len(err.Error()), 500)
}
