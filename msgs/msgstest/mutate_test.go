package msgstest

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/msgs/layout"
)

// variants returns what is made of a message of codec with these fields: the bytes of each mutant by its name.
func variants(t *testing.T, codec, fields string, source ...byte) map[string]string {
	t.Helper()
	l, err := layout.Parse("catalogue c protocol 1 codec " + codec + "\nmessage 1 Say from client delivery ordered channel 0\n" + fields)
	require.NoError(t, err)
	require.NoError(t, l.Walk(&l.Messages[0], source, nil))
	all := map[string]string{}
	for _, m := range mutants(l, &l.Messages[0], source) {
		all[m.name] = fmt.Sprintf("% X", m.bytes)
	}
	return all
}

func TestMutantsOfBytesAreWhatDecodersGetWrong(t *testing.T) {
	for _, row := range []struct {
		fields string
		source []byte
		want   map[string]string
	}{
		{"", []byte{1}, map[string]string{"the first 0 bytes": "", "1 more bytes": "01 01"}},
		{"  A bool\n", []byte{1, 0}, map[string]string{"the first 1 bytes": "01", "A: 1": "01 01", "A: 2": "01 02", "A: 255": "01 FF"}},
		{"  A float32\n", []byte{1, 0, 0, 0, 0}, map[string]string{"A: 2143289344": "01 00 00 C0 7F", "A: 2139095040": "01 00 00 80 7F",
			"A: 4286578688": "01 00 00 80 FF"}},
		{"  A float64\n", []byte{1, 0, 0, 0, 0, 0, 0, 0, 0}, map[string]string{"A: NaN": "01 01 00 00 00 00 00 F8 7F", "A: +Inf": "01 00 00 00 00 00 00 F0 7F",
			"A: -Inf": "01 00 00 00 00 00 00 F0 FF"}},
		{"  A enum16 values=2,5\n", []byte{1, 2, 0}, map[string]string{"A: 1": "01 01 00", "A: 3": "01 03 00", "A: 6": "01 06 00", "A: 65535": "01 FF FF"}},
		{"  A enum8 values=-1\n", []byte{1, 0xFF}, map[string]string{"A: 254": "01 FE", "A: 0": "01 00"}},
		{"  A int8 min=-2 max=2\n", []byte{1, 1}, map[string]string{"A: a bound": "01 03"}},
		{"  A list max=3\n    - uint16\n  B uint8\n", []byte{1, 1, 5, 0, 9}, map[string]string{"A: its number: 0": "01 00 05 00 09", "A: its number: 2": "01 02 05 00 09",
			"A: its number: 3": "01 03 05 00 09", "A: its number: 4": "01 04 05 00 09", "A: its number: 255": "01 FF 05 00 09"}},
		{"  A text max=9\n  B uint8\n", []byte{1, 4, 0, 'a', 'b', 'c', 'd', 7}, map[string]string{
			"A: its number: 0": "01 00 00 61 62 63 64 07", "A: its number: 5": "01 05 00 61 62 63 64 07", "A: its number: 6": "01 06 00 61 62 63 64 07",
			"A: its number: 9": "01 09 00 61 62 63 64 07", "A: its number: 10": "01 0A 00 61 62 63 64 07", "A: its number: 65535": "01 FF FF 61 62 63 64 07",
			"A: bytes FF at 3": "01 04 00 FF 62 63 64 07", "A: bytes FF at 6": "01 04 00 61 62 63 FF 07", "A: bytes C0 80 at 3": "01 04 00 C0 80 63 64 07",
			"A: bytes ED A0 80 at 4": "01 04 00 61 ED A0 80 07", "A: bytes E2 82 at 5": "01 04 00 61 62 E2 82 07"}},
	} {
		all := variants(t, "bytes", row.fields, row.source...)
		for name, b := range row.want {
			require.Equal(t, b, all[name], "%s%s", row.fields, name)
		}
	}
}

func TestMutantsOfBitsAreWhatDecodersGetWrong(t *testing.T) {
	for _, row := range []struct {
		fields string
		source []byte
		want   map[string]string
	}{
		{"  A bool\n", []byte{1}, map[string]string{"A: 1": "03", "a bit of the padding at the end": "81"}},
		{"  A enum8 values=0..4\n", []byte{1}, map[string]string{"A: 5": "0B", "A: 7": "0F"}},
		{"  A text lenbits=3 max=4\n", []byte{1, 'a'}, map[string]string{"A: whether it is empty": "03 61", "A: its number: 3": "0D 61", "A: its number: 4": "11 61",
			"A: its number: 7": "1D 61", "A: a bit of its padding": "81 61", "A: bytes FF at 1": "01 FF"}},
		{"  A blob max=4\n", []byte{1 | 1<<1, 'a'}, map[string]string{"A: its number: 5": "0B 61", "A: a bit of its padding": "83 61"}},
		{"  A float64\n", []byte{1, 0, 0, 0, 0, 0, 0, 0, 0}, map[string]string{"A: -Inf": "01 00 E0 FF 01 00 00 00 00"}},
		{"  A int bits=3 min=-1 max=1\n", []byte{1 | 4<<1}, map[string]string{"A: a bound": "0D"}},
		{"  A snorm bits=3\n", []byte{1}, map[string]string{"A: all bits 1": "0F", "A: a bit": "09"}},
	} {
		all := variants(t, "bits hostids 0 clientids 2", row.fields, row.source...)
		for name, b := range row.want {
			require.Equal(t, b, all[name], "%s%s", row.fields, name)
		}
	}
}

func TestOfManyItemsAFewAreMutated(t *testing.T) {
	few := variants(t, "bytes", "  A list max=300\n    - bool\n", append([]byte{1, 20, 0}, make([]byte, 20)...)...)
	require.Contains(t, few, "A[7]: 2")
	require.NotContains(t, few, "A[8]: 2")
}
