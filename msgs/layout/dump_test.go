package layout

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/wire"
)

func TestAMessageIsDumpedInWords(t *testing.T) {
	c := parsed(t, chat)
	require.Equal(t, "Ping{}", c.Dump(Client, []byte{0}))
	require.Equal(t, `Play{Final: false, Hit: true, Speed: 1.5, Spin: -2.25, Side: -1, Pitch: 301, Base: 5, Odds: -9223372036854775808, `+
		`At: {X: -100, Y: 7, Z: -8, Deep: [[], [{There: true, Name: "Ünal", Id: 9223372036854775808, Raw: ab}, {There: false, Id: 2, Raw: }]]}, `+
		`Nothing: {}, Big: -9, Small: 10, Tail: 0102}`, c.Dump(Client, play()))

	c = parsed(t, arena)
	require.Equal(t, `Spawn{Kind: 3, Only: 0, Pos: (1.5, -2.25, 3), Fuel: 1, Steer: -1, Height: -12, Depth: 3.5, Paint: 0102ff, Glow: 01020304, `+
		`Key: 00000000000000000000000000000009, Moved: true, By: -16, Level: 5, Name: "arch", Bytes: 0708, `+
		`Items: [{Slot: 9, Count: 500}, {Slot: 10, Count: 501}]}`, c.Dump(Host, spawn()))
}

func TestAMalformedMessageIsDumpedUpToItsError(t *testing.T) {
	c := parsed(t, chat)
	require.Equal(t, `Play{Final: false malformed: message Play, field Hit: input is too short`, c.Dump(Client, play()[:2]))
	require.Equal(t, `Ping{ malformed: message Ping: 1 bytes are left after its fields`, c.Dump(Client, []byte{0, 0}))
	require.Equal(t, `malformed: unknown id 3`, c.Dump(Client, []byte{3}))
	require.Equal(t, `malformed: unknown id 11`, c.Dump(Client, []byte{11, 0, 0}), "only the host sends it")
	require.Equal(t, `malformed: wire: input is too short`, c.Dump(Client, nil))
}

func TestADumpOfStrangersTextIsFitForALog(t *testing.T) {
	w := wire.NewWriter(nil)
	w.Uint8(10)
	w.Text("\x1b[31m\u202e\n", 200)
	require.Equal(t, `Say{Text: "\x1b[31m\u202e\n"}`, parsed(t, chat).Dump(Client, w.Bytes()))
}

func TestADumpOfALongMessageIsItsBeginning(t *testing.T) {
	long := append(play(), bytes.Repeat([]byte{0xEE}, 60_000)...)
	text := parsed(t, chat).Dump(Client, long)
	require.True(t, strings.HasSuffix(text, "ee …"))
	require.Less(t, len(text), 3*maxDump)
}
