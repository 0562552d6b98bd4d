package loopback

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestBuffersAreAsLargeAsAsked(t *testing.T) {
	p := pool{limit: 1 << 20}
	for _, row := range []struct{ size, capacity int }{
		{0, 64}, {1, 64}, {64, 64}, {65, 128}, {1000, 1024}, {1024, 1024}, {1025, 2048}, {maxReliable, maxReliable},
	} {
		b := p.get(row.size)
		require.Len(t, b, row.size)
		require.Equal(t, row.capacity, cap(b), "capacity for %d bytes", row.size)
	}
}

func TestBuffersComeBack(t *testing.T) {
	p := pool{limit: 1 << 20}
	first := p.get(100)
	p.put(first)
	require.Equal(t, 128, p.kept)
	again := p.get(128)
	require.Same(t, &first[0], &again[0])
	require.Zero(t, p.kept)
}

func TestPoolKeepsNoMoreThanItsLimit(t *testing.T) {
	p := pool{limit: 256}
	for range 3 {
		p.put(make([]byte, 0, 128))
	}
	require.Equal(t, 256, p.kept)
}

func TestPoisonOverwritesTheWholeBuffer(t *testing.T) {
	p := pool{limit: 1 << 20, poison: true}
	b := p.get(100)
	p.put(b)
	require.Equal(t, bytes.Repeat([]byte{poison}, 128), b[:128])
}
