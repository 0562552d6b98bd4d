package wire

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// junk is what stands in memory that nobody has written yet.
const junk = 0xDD

// junkBuffer returns a slice of the given length and capacity, filled with junk to its capacity.
func junkBuffer(length, capacity int) []byte {
	return bytes.Repeat([]byte{junk}, capacity)[:length]
}

func TestAppendGrowsASliceOfAnySize(t *testing.T) {
	for _, g := range goldens {
		t.Run(g.name, func(t *testing.T) {
			for start := range 40 {
				for spare := range len(g.bytes) + 2 {
					b := junkBuffer(start, start+spare)
					want := append(junkBuffer(start, start), g.bytes...)
					if got := g.append(b); !bytes.Equal(want, got) {
						require.Equal(t, want, got, "%d bytes before, room for %d", start, spare)
					}
				}
			}
		})
	}
}

func TestAppendUsesTheRoomThatThereIs(t *testing.T) {
	for _, g := range goldens {
		t.Run(g.name, func(t *testing.T) {
			b := junkBuffer(3, 3+len(g.bytes)+4)
			got := g.append(b)

			require.Same(t, &b[0], &got[0])
			require.Equal(t, junkBuffer(3, 3), got[:3], "what was there before")
			require.Equal(t, g.bytes, got[3:])
			require.Equal(t, junkBuffer(4, 4), got[len(got):cap(got)], "what stands behind")
		})
	}
}

func TestStringUpToTheRangeOfItsLengthComesBackWhole(t *testing.T) {
	for _, n := range []int{0, 1, 255, 256, 32767, 32768, 65534, 65535} {
		s := strings.Repeat("s", n)
		b, err := AppendString([]byte("before"), s)
		require.NoError(t, err)

		r := NewReader(b[len("before"):])
		require.Equal(t, s, string(r.String()))
		require.Zero(t, r.Len())
		require.NoError(t, r.Err())
	}
}

func TestStringAboveTheRangeOfItsLengthIsAnErrorAndWritesNothing(t *testing.T) {
	for name, s := range map[string]string{
		"65536 bytes":            strings.Repeat("s", 65536),
		"65537 bytes":            strings.Repeat("s", 65537),
		"200000 bytes":           strings.Repeat("s", 200000),
		"40000 runes of 3 bytes": strings.Repeat("€", 40000),
	} {
		t.Run(name, func(t *testing.T) {
			b := junkBuffer(4, 300000)
			got, err := AppendString(b, s)

			require.ErrorIs(t, err, ErrTooLong)
			require.Len(t, got, 4)
			require.Same(t, &b[0], &got[0])
			require.True(t, bytes.Equal(junkBuffer(300000, 300000), got[:cap(got)]), "nothing may be written")
		})
	}
}

func TestAppendAllocatesNothingWhereThereIsRoom(t *testing.T) {
	b := make([]byte, 0, 64)
	require.Zero(t, testing.AllocsPerRun(100, func() {
		b = AppendUint8(b[:0], 1)
		b = AppendUint16(b, 2)
		b = AppendUint32(b, 3)
		b = AppendInt32(b, -4)
		b = AppendUint64(b, 5)
		b, _ = AppendString(b, "six")
	}))
	require.Len(t, b, 1+2+4+4+8+2+3)
}
