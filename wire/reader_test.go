package wire

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestFieldsAreReadInTheOrderInWhichTheyWereAppended(t *testing.T) {
	b := AppendUint8(nil, 7)
	b = AppendInt32(b, -70)
	b, err := AppendString(b, "seven")
	require.NoError(t, err)
	b = AppendUint16(b, 700)
	b = AppendUint64(b, 7000)
	b = AppendUint32(b, 70000)
	b = append(b, "the rest"...)

	r := NewReader(b)
	require.Equal(t, len(b), r.Len())
	require.Equal(t, uint8(7), r.Uint8())
	require.Equal(t, int32(-70), r.Int32())
	require.Equal(t, "seven", string(r.String()))
	require.Equal(t, uint16(700), r.Uint16())
	require.Equal(t, uint64(7000), r.Uint64())
	require.Equal(t, uint32(70000), r.Uint32())
	require.Equal(t, len("the rest"), r.Len())
	require.Equal(t, "the rest", string(r.Rest()))
	require.Zero(t, r.Len())
	require.NoError(t, r.Err())
}

func TestAFailedReaderGivesNothingAnyMore(t *testing.T) {
	r := NewReader([]byte{1, 2, 3, 4, 5, 6, 7})
	require.Zero(t, r.Uint64(), "7 bytes are no uint64")

	require.ErrorIs(t, r.Err(), ErrShort)
	require.Zero(t, r.Len())
	require.Zero(t, r.Uint8())
	require.Zero(t, r.Uint16())
	require.Zero(t, r.Uint32())
	require.Zero(t, r.Int32())
	require.Zero(t, r.Uint64())
	require.Nil(t, r.String())
	require.Nil(t, r.Rest())
	require.ErrorIs(t, r.Err(), ErrShort, "the error stays")
}

func TestAStringThatClaimsMoreThanIsLeftFails(t *testing.T) {
	for _, b := range [][]byte{
		{0x01, 0x00},
		{0x04, 0x00, 'a', 'b', 'c'},
		{0xFF, 0xFF, 'a', 'b', 'c', 'd', 'e'},
	} {
		r := NewReader(b)
		require.Nil(t, r.String(), "% X", b)
		require.ErrorIs(t, r.Err(), ErrShort, "% X", b)
	}
}

func TestAnEmptyStringIsNotAFailedOne(t *testing.T) {
	r := NewReader([]byte{0x00, 0x00})
	require.NotNil(t, r.String())
	require.NoError(t, r.Err())
}

func TestTheRestMayBeEmpty(t *testing.T) {
	r := NewReader([]byte{9})
	r.Uint8()
	require.Empty(t, r.Rest())
	require.Empty(t, r.Rest())
	require.NoError(t, r.Err())
}

func TestTheZeroReaderReadsNoBytes(t *testing.T) {
	var r Reader
	require.Zero(t, r.Len())
	require.NoError(t, r.Err())
	require.Zero(t, r.Uint8())
	require.ErrorIs(t, r.Err(), ErrShort)
}

func TestStringsAndTheRestAreViewsOfTheInput(t *testing.T) {
	b := []byte{0x02, 0x00, 'o', 'k', 'r', 'e', 's', 't'}
	r := NewReader(b)
	s, rest := r.String(), r.Rest()

	require.Same(t, &b[2], &s[0])
	require.Same(t, &b[4], &rest[0])
}

func TestAppendingToAViewLeavesTheInputAlone(t *testing.T) {
	buffer := []byte{0x02, 0x00, 'o', 'k', 'r', 'e', 's', 't', junk}
	r := NewReader(buffer[:8])

	_ = append(r.String(), "!!"...)
	_ = append(r.Rest(), '!')
	require.Equal(t, []byte{0x02, 0x00, 'o', 'k', 'r', 'e', 's', 't', junk}, buffer)
}

func TestACopyOfAReaderIsALookAhead(t *testing.T) {
	r := NewReader([]byte{5, 6})
	ahead := r
	require.Equal(t, uint8(5), ahead.Uint8())
	require.Equal(t, uint8(5), r.Uint8())
	require.Equal(t, uint8(6), r.Uint8())
}

func TestReadingAllocatesNothing(t *testing.T) {
	b := []byte{1, 2, 2, 3, 3, 3, 3, 2, 0, 'o', 'k', 9, 9}
	var sum int
	require.Zero(t, testing.AllocsPerRun(100, func() {
		r := NewReader(b)
		sum += int(r.Uint8()) + int(r.Uint16()) + int(r.Uint32()) + len(r.String()) + len(r.Rest())
		if r.Uint64() != 0 || r.Err() == nil {
			panic("nothing can be left")
		}
	}))
	require.NotZero(t, sum)
}
