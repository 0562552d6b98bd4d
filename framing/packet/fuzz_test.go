package packet

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// FuzzPacket gives any bytes to a Parser: they have a fault, or they are what their frames are built to. Neither allocates, panics or
// depends on what stands behind the packet.
func FuzzPacket(f *testing.F) {
	for _, g := range goldens {
		f.Add(g.bytes)
		for _, d := range mutants(g.bytes) {
			f.Add(d)
		}
	}
	for _, row := range readMalformed(f) {
		f.Add(row.packet)
	}
	m := newMaker(5)
	for range 100 {
		if frames, _ := m.frames(); len(frames) > 0 {
			f.Add(build(frames...))
		}
	}

	f.Fuzz(func(t *testing.T, d []byte) {
		requireSound(t, d)
		requireUsualOnly(t, d)

		zeros := append(d[:len(d):len(d)], make([]byte, 64)...)[:len(d)]
		junks := append(d[:len(d):len(d)], repeat(64, junk)...)[:len(d)]
		a, fault := parse(zeros)
		b, again := parse(junks)
		require.Equal(t, fault, again)
		require.Equal(t, a, b)
		require.Zero(t, testing.AllocsPerRun(10, func() { Check(d) }))
	})
}
