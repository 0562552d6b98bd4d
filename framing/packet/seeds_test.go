package packet

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"
)

// headMax is how many bytes of a packet are mutated one by one. What follows is payload.
const headMax = 24

// seeds returns the packets of the golden table, their mutants and all pairs of them, each once.
func seeds() [][]byte {
	var all [][]byte
	known := map[string]bool{}
	add := func(d []byte) {
		if !known[string(d)] {
			known[string(d)] = true
			all = append(all, d)
		}
	}
	for _, g := range goldens {
		add(g.bytes)
		for _, d := range mutants(g.bytes) {
			add(d)
		}
		for _, next := range goldens {
			if frames := append(bytesOf(g), next.frames...); rebuild(frames, MaxPacket) {
				add(build(frames...))
			}
		}
	}
	return all
}

// bytesOf returns the frames of g in a slice of their own, or none where another packet could not follow.
func bytesOf(g golden) []Frame {
	last := g.frames[len(g.frames)-1]
	if last.Kind == KindReliable && !last.Reliable.Last {
		return nil // the rest of its message would have to follow
	}
	return append([]Frame(nil), g.frames...)
}

// mutants returns d with one thing wrong, or at an edge, in each.
func mutants(d []byte) [][]byte {
	all := [][]byte{append(bytes.Clone(d), 0), d[:len(d)-1]}
	for n := range min(len(d), headMax) {
		all = append(all, d[:n])
		for bit := range 8 {
			all = append(all, with(d, n, d[n]^1<<bit))
		}
		for _, v := range []byte{0x00, 0x01, 0x7F, 0x80, 0xFF, d[n] + 1, d[n] - 1} {
			all = append(all, with(d, n, v))
		}
	}
	return all
}

func with(d []byte, at int, v byte) []byte {
	m := bytes.Clone(d)
	m[at] = v
	return m
}

func TestSeedsAreJudged(t *testing.T) {
	faults := map[Fault]bool{}
	for _, d := range seeds() {
		requireSound(t, d)
		faults[Check(d)] = true
	}
	for _, fault := range []Fault{Valid, FaultEmpty, FaultOversize, FaultFrames, FaultKind, FaultFlags, FaultShort, FaultVarint, FaultLast, FaultExt,
		FaultMode, FaultChannel, FaultFollows, FaultFragment, FaultRanges, FaultTextLong, FaultText, FaultXor, FaultParity, FaultTicket} {
		require.True(t, faults[fault], "%v", fault)
	}
}
