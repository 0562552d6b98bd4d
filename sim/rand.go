package sim

import (
	"crypto/sha256"
	"encoding/binary"
	"math/bits"
	"math/rand/v2"
)

// stream names one source of randomness of a link. Each impairment has its own, and takes from it for every datagram
// whatever became of the datagram, so that switching one impairment on shifts no draw of another.
type stream uint8

const (
	streamJitter stream = iota
	streamLoss
	streamBurst
	streamDuplicate
	streamReorder
	streamCorrupt
	streamTruncate
	streamExtend
	numStreams
)

// streamNames are part of the seeds: renaming one changes every run.
var streamNames = [numStreams]string{"jitter", "loss", "burst", "duplicate", "reorder", "corrupt", "truncate", "extend"}

// Seed derives 32 bytes for a source of randomness of the caller's own, such as a host's or a player's, from the
// network's seed and names for it. Equal names give equal bytes; it takes nothing from the simulator's own streams.
func (nw *Network) Seed(names ...string) [32]byte {
	b := binary.LittleEndian.AppendUint64(nil, nw.seed)
	for _, name := range names {
		b = binary.LittleEndian.AppendUint32(b, uint32(len(name)))
		b = append(b, name...)
	}
	return sha256.Sum256(b)
}

// draw takes the next 64 bits of one of the link's streams.
func (l *link) draw(s stream) uint64 {
	r := l.streams[s]
	if r == nil {
		r = rand.NewChaCha8(l.nw.Seed("sim.link", l.from.name, l.to.name, streamNames[s]))
		l.streams[s] = r
	}
	return r.Uint64()
}

// below maps a draw to 0..n-1. The bias is below n/2^64.
func below(draw, n uint64) uint64 {
	hi, _ := bits.Mul64(draw, n)
	return hi
}

// exponential draws from the exponential distribution with the given mean by von Neumann's method: only comparisons of
// uniform draws, so that it is exact without a float.
func exponential(r *rand.ChaCha8, mean int64) int64 {
	for whole := int64(0); ; whole++ {
		first := r.Uint64()
		if descends(r, first)%2 == 1 {
			return whole*mean + int64(below(first, uint64(mean)))
		}
	}
}

// descends counts the draws of a run that begins with first and falls: 1 if the next one is not smaller.
func descends(r *rand.ChaCha8, first uint64) int {
	n := 1
	for last := first; ; n++ {
		next := r.Uint64()
		if next >= last {
			return n
		}
		last = next
	}
}
