package framing

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// junk is what stands in memory that nobody has written yet.
const junk = 0xDD

func TestAppendWritesEachByteOfTheFrameAndNoOther(t *testing.T) {
	for _, g := range goldens {
		t.Run(g.title(), func(t *testing.T) {
			b := repeat(3+len(g.bytes)+4, junk)
			got := appendFrame(b[:3], g.frame)

			require.Same(t, &b[0], &got[0], "there was room")
			require.Equal(t, repeat(3, junk), got[:3], "what was there before")
			require.Equal(t, g.bytes, got[3:])
			require.Equal(t, repeat(4, junk), b[len(got):], "what stands behind")
		})
	}
}

func TestAppendGrowsASliceOfAnySize(t *testing.T) {
	for _, g := range goldens {
		t.Run(g.title(), func(t *testing.T) {
			for start := range 20 {
				for spare := range min(len(g.bytes), 20) {
					b := repeat(start+spare, junk)[:start]
					want := append(repeat(start, junk), g.bytes...)
					require.True(t, bytes.Equal(want, appendFrame(b, g.frame)), "%d bytes before, room for %d", start, spare)
				}
			}
		})
	}
}

func TestValidDatagramsHaveOneEncoding(t *testing.T) {
	for _, row := range readMalformed(t) {
		if f, drop := Parse(row.datagram, row.at); drop == Accepted {
			require.Equal(t, row.datagram, appendFrame(nil, f), row.name)
		}
	}
}

func TestAppendRefusesToMakeWhatParseWouldDrop(t *testing.T) {
	for name, mistake := range map[string]func(){
		"unreliable payload of 1200 bytes":   func() { AppendUnreliable(nil, repeat(1200, 'u')) },
		"reliable payload of 1196 bytes":     func() { AppendReliable(nil, 0, repeat(1196, 'r')) },
		"version of 0 bytes":                 func() { AppendConnect(nil, "") },
		"version of 33 bytes":                func() { AppendConnect(nil, strings.Repeat("v", 33)) },
		"version with a space":               func() { AppendConnect(nil, "HRD LOCAL 1") },
		"reason of 1198 bytes":               func() { AppendRefuse(nil, strings.Repeat("r", 1198)) },
		"reason above the range of a length": func() { AppendRefuse(nil, strings.Repeat("r", 65537)) },
		"reason that is not UTF-8":           func() { AppendRefuse(nil, "full\xff") },
	} {
		t.Run(name, func(t *testing.T) {
			defer func() { require.Contains(t, recover(), "BUG: framing: ") }()
			mistake()
		})
	}
}

func TestAppendAllocatesNothingWhereThereIsRoom(t *testing.T) {
	b := make([]byte, 0, MaxDatagram)
	payload := repeat(1000, 'p')
	require.Zero(t, testing.AllocsPerRun(100, func() {
		b = AppendConnect(b[:0], BaseVersion)
		b = AppendAccept(b[:0], 1)
		b = AppendRefuse(b[:0], "full")
		b = AppendUnreliable(b[:0], payload)
		b = AppendReliable(b[:0], 1, payload)
		b = AppendAck(b[:0], 1)
		b = AppendHeartbeat(b[:0])
		b = AppendDisconnect(b[:0])
	}))
	require.Equal(t, []byte{0x08}, b)
}
