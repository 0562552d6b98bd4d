package framing

import (
	"bytes"
	"encoding/binary"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// headMax is how many bytes of a datagram are mutated one by one: the largest Connect and more. What follows is payload.
const headMax = 40

// seeds returns the corpus that fuzzing starts from: the frames of the golden table and their mutants, each once.
func seeds() [][]byte {
	var all [][]byte
	known := map[string]bool{}
	for _, g := range goldens {
		for _, d := range append(mutants(g.bytes), g.bytes) {
			if !known[string(d)] {
				known[string(d)] = true
				all = append(all, d)
			}
		}
	}
	return all
}

// mutants returns valid datagrams with one thing wrong, or at an edge, in each.
func mutants(d []byte) [][]byte {
	return slices.Concat(truncations(d), bitFlips(d), otherFields(d), [][]byte{append(bytes.Clone(d), 0)})
}

func truncations(d []byte) [][]byte {
	var all [][]byte
	for n := range min(len(d), headMax) {
		all = append(all, d[:n])
	}
	return append(all, d[:len(d)-1])
}

func bitFlips(d []byte) [][]byte {
	var all [][]byte
	for bit := range 8 * min(len(d), headMax) {
		m := bytes.Clone(d)
		m[bit/8] ^= 1 << (bit % 8)
		all = append(all, m)
	}
	return all
}

// otherFields returns d with each field at the edges of what it can say.
func otherFields(d []byte) [][]byte {
	all := [][]byte{with8(d, 0, d[0]+1)}
	switch Kind(d[0]) {
	case KindConnect, KindRefuse:
		left := len(d) - textHeader
		for _, n := range []int{0, 1, left - 1, left, left + 1, MaxVersion, MaxVersion + 1, math.MaxUint16} {
			all = append(all, with16(d, kindSize, uint16(n)))
		}
	case KindAccept:
		for _, id := range []uint8{0, 1, MaxPeerID, MaxPeerID + 1, math.MaxUint8} {
			all = append(all, with8(d, kindSize, id))
		}
	case KindReliable, KindAck:
		for _, seq := range []int32{-1025, -1024, -1, 0, 1, 1023, 1024, 1025, math.MaxInt32, math.MinInt32} {
			all = append(all, with32(d, kindSize, uint32(seq)))
		}
	}
	return all
}

func with8(d []byte, at int, v uint8) []byte {
	m := bytes.Clone(d)
	m[at] = v
	return m
}

func with16(d []byte, at int, v uint16) []byte {
	m := bytes.Clone(d)
	binary.LittleEndian.PutUint16(m[at:], v)
	return m
}

func with32(d []byte, at int, v uint32) []byte {
	m := bytes.Clone(d)
	binary.LittleEndian.PutUint32(m[at:], v)
	return m
}

func TestSeedsMeetEveryDropOfFraming(t *testing.T) {
	have := map[Drop]bool{}
	for _, d := range seeds() {
		for _, at := range roles {
			_, drop := Parse(d, at)
			have[drop] = true
		}
	}
	for drop := Accepted; drop <= DropText; drop++ {
		require.True(t, have[drop], "%v", drop)
	}
}

func TestSeedsHaveSoundAndBrokenDatagramsOfEveryKind(t *testing.T) {
	sound, broken := map[Kind]bool{}, map[Kind]bool{}
	for _, d := range seeds() {
		if len(d) == 0 {
			continue
		}
		k := Kind(d[0])
		for _, at := range receivers(k) {
			_, drop := Parse(d, at)
			sound[k] = sound[k] || drop == Accepted
			broken[k] = broken[k] || drop > DropDirection || drop == DropOversize
		}
	}
	for _, row := range readKinds(t) {
		require.True(t, sound[row.kind], "%v", row.kind)
		require.True(t, broken[row.kind], "%v", row.kind)
	}
}
