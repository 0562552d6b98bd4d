package erasure

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/klauspost/reedsolomon"
	"github.com/stretchr/testify/require"
)

// message makes fragments of which the last is shorter, and all parities of them.
func message(random *rand.Rand, count, size int) (fragments, parities [][]byte) {
	for range count {
		fragments = append(fragments, noise(random, size))
	}
	last := &fragments[count-1]
	*last = (*last)[:1+random.IntN(size)]
	for index := range MaxParities {
		parity := make([]byte, size)
		for j, f := range fragments {
			Add(parity, index, f, j)
		}
		parities = append(parities, parity)
	}
	return fragments, parities
}

func noise(random *rand.Rand, n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(random.Uint32())
	}
	return b
}

func TestFirstParityIsTheXorOfTheFragments(t *testing.T) {
	parity := []byte{0, 0, 0}
	Add(parity, 0, []byte{1, 2, 3}, 0)
	Add(parity, 0, []byte{4, 4, 4}, 1)
	Add(parity, 0, []byte{8}, 63)
	require.Equal(t, []byte{1 ^ 4 ^ 8, 2 ^ 4, 3 ^ 4}, parity)
}

func TestAsManyParitiesAsFragmentsAreMissingGiveThem(t *testing.T) {
	random := rand.New(rand.NewChaCha8([32]byte{1}))
	for range 500 {
		count := 2 + random.IntN(MaxFragments-1)
		fragments, parities := message(random, count, 1+random.IntN(300))
		lost := 1 + random.IntN(min(count, MaxParities))
		missing, indexes := random.Perm(count)[:lost], random.Perm(MaxParities)[:lost]

		var rebuilt [][]byte
		for _, index := range indexes {
			p := slices.Clone(parities[index])
			for j, f := range fragments {
				if !slices.Contains(missing, j) {
					Add(p, index, f, j)
				}
			}
			rebuilt = append(rebuilt, p)
		}
		Solve(rebuilt, indexes, missing)
		for i, j := range missing {
			want := append(slices.Clone(fragments[j]), make([]byte, len(rebuilt[i])-len(fragments[j]))...)
			require.True(t, bytes.Equal(want, rebuilt[i]), "%d fragments, %v missing, parities %v", count, missing, indexes)
		}
	}
}

func TestParitiesAreThoseOfAnotherImplementation(t *testing.T) {
	random := rand.New(rand.NewChaCha8([32]byte{2}))
	const count = 10
	fragments, parities := message(random, count, 100)
	matrix := make([][]byte, MaxParities)
	for i := range matrix {
		for j := range count {
			matrix[i] = append(matrix[i], coefficient(i, j))
		}
	}
	encoder, err := reedsolomon.New(count, MaxParities, reedsolomon.WithCustomMatrix(matrix))
	require.NoError(t, err)
	shards := make([][]byte, count+MaxParities)
	for i := range shards {
		shards[i] = make([]byte, 100)
		if i < count {
			copy(shards[i], fragments[i])
		}
	}
	require.NoError(t, encoder.Encode(shards))
	require.Equal(t, shards[count:], parities)
}

// The numbers stand here so that another implementation of PROTOCOL.md 10.6 can be held against them.
func TestCoefficientsAreThoseOfTheProtocol(t *testing.T) {
	for j := range MaxFragments {
		require.Equal(t, byte(1), coefficient(0, j))
		for i := range MaxParities {
			require.Equal(t, byte(64^j), product(coefficient(i, j), byte((64+i)^j)))
		}
	}
	require.Equal(t, []byte{0x5E, 0x37, 0x3A}, []byte{coefficient(1, 0), coefficient(1, 1), coefficient(7, 63)})
}

func TestNothingIsAllocated(t *testing.T) {
	random := rand.New(rand.NewChaCha8([32]byte{3}))
	fragments, parities := message(random, 10, 1100)
	indexes, missing := []int{0, 1, 2}, []int{3, 5, 7}
	require.Zero(t, testing.AllocsPerRun(100, func() {
		Add(parities[3], 3, fragments[0], 0)
		Solve(parities[:3], indexes, missing)
	}))
}

func BenchmarkThreeParitiesOfTenFragments(b *testing.B) {
	fragments, parities := message(rand.New(rand.NewChaCha8([32]byte{4})), 10, 1100)
	b.SetBytes(11_000)
	for b.Loop() {
		for index := range 3 {
			for j, f := range fragments {
				Add(parities[index], index, f, j)
			}
		}
	}
}
