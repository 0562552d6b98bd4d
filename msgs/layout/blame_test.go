package layout

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/wire"
)

// blamed returns what Blame says of a field, or of an error without one.
func blamed(t *testing.T, text, message string, b []byte, offset int, err error) string {
	t.Helper()
	c := parsed(t, text)
	blame := c.Blame(named(t, c, message), b, offset, err)
	require.ErrorIs(t, blame, err)
	var e *FieldError
	require.ErrorAs(t, blame, &e)
	require.Equal(t, message, e.Message)
	return e.Field
}

func TestDecodingIsBlamedOnTheFieldWhoseBytesAreWrong(t *testing.T) {
	b := play()
	b[15] = 3 // Side, after which a reader stands if its caller judges the value
	require.Equal(t, "Side", blamed(t, chat, "Play", b, 15, wire.ErrEnum))
	require.Equal(t, "Side", blamed(t, chat, "Play", b, 16, wire.ErrEnum))
}

func TestEncodingIsBlamedOnTheFieldAfterWhatWasEncoded(t *testing.T) {
	w := wire.NewWriter(nil)
	w.Uint8(200)
	w.Bool(true)
	w.Bool(true)
	w.Float32(float32(math.NaN()))
	require.Equal(t, "Speed", blamed(t, chat, "Play", w.Bytes(), w.Len(), w.Err()))

	w = wire.NewWriter(nil)
	w.Uint8(10)
	w.Text(strings.Repeat("x", 201), 200)
	require.Equal(t, "Text", blamed(t, chat, "Say", w.Bytes(), w.Len(), w.Err()))
}

func TestAnItemIsBlamedAlthoughTheItemsAfterItAreNotThere(t *testing.T) {
	w := wire.NewWriter(play()[:40])
	w.Count(200, 255)
	w.Bool(true)
	w.Text("name", 16)
	w.Uint64(1)
	w.Blob([]byte("four"), 3)
	require.Equal(t, "At.Deep[1][0].Raw", blamed(t, chat, "Play", w.Bytes(), len(w.Bytes()), w.Err()))
}

func TestAnItemOfBitsIsBlamedAlthoughTheItemsAfterItAreNotThere(t *testing.T) {
	w := wire.NewBitWriter(nil)
	const text = "catalogue c protocol 1 codec bits hostids 0 clientids 2\nmessage 1 Say from client delivery ordered channel 0\n" +
		"  Bits list max=5\n    - uint bits=4\n"
	w.Bits(1, 1)
	w.Count(5, 5)
	w.Uint(9, 4)
	w.Uint(16, 4)
	require.Equal(t, "Bits[1]", blamed(t, text, "Say", w.Bytes(), w.Offset(), w.Err()))
	require.Equal(t, "Bits", blamed(t, text, "Say", []byte{1 | 6<<1, 0xFF}, 1, wire.ErrLimit), "decoded")
}

func TestZerosThatFillAByteAreNotTakenForValues(t *testing.T) {
	w := wire.NewBitWriter(nil)
	w.Bits(0, 4)
	w.Enum(5, 5)
	require.Equal(t, "Kind", blamed(t, arena, "Spawn", w.Bytes(), w.Offset(), w.Err()))

	w = wire.NewBitWriter(nil)
	w.Bits(0, 9)
	w.Degrees(90, 12)
	w.Radians(1, 9)
	w.Unit(1, 1, 1, 9)
	require.Equal(t, "Aim", blamed(t, arena, "Look", w.Bytes(), w.Offset(), w.Err()))
}

func TestZerosThatCompleteAMessageAreNotTakenForValues(t *testing.T) {
	const text = "catalogue c protocol 1 codec bits hostids 0 clientids 2\nmessage 1 Say from client delivery ordered channel 0\n  A bool\n  Last enum8 values=0..2\n"
	w := wire.NewBitWriter(nil)
	w.Bits(1, 1)
	w.Bool(true)
	w.Enum(3, 3)
	require.Equal(t, "Last", blamed(t, text, "Say", w.Bytes(), w.Offset(), w.Err()))
}

func TestWhatAValidateMethodRefusesIsWhatWasReadLast(t *testing.T) {
	refused := errors.New("a hit cannot be final")
	require.Equal(t, "At", blamed(t, chat, "Play", play(), 71, refused))
	require.Equal(t, "At.Deep[1][0]", blamed(t, chat, "Play", play(), 60, refused))
	require.Equal(t, "Speed", blamed(t, chat, "Play", play(), 7, refused))
}

func TestWhatAValidateMethodRefusesToEncodeComesNext(t *testing.T) {
	require.Equal(t, "At.X", blamed(t, chat, "Play", play()[:30], 30, errors.New("out of the map")))
}

func TestWithoutAnOffsetAllBytesWereWritten(t *testing.T) {
	require.Equal(t, "Speed", blamed(t, chat, "Play", []byte{200, 1, 1}, -1, wire.ErrNotFinite))
	require.Equal(t, "Turn", blamed(t, arena, "Look", make([]byte, 7), -1, wire.ErrRotation), "it begins at bit 51")
}
