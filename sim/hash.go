package sim

import (
	"encoding/binary"
	"math/bits"
	"net/netip"
)

// Odd constants without a pattern: the fractions of the golden ratio and of the roots of 2, 3 and 5.
const (
	salt0 = 0x9e3779b97f4a7c15
	salt1 = 0x6a09e667f3bcc909
	salt2 = 0xbb67ae8584caa73b
	salt3 = 0x3c6ef372fe94f82b
)

// mix multiplies to 128 bits and folds the halves: one multiplication spreads every bit of both over the result.
func mix(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a, b)
	return hi ^ lo
}

// hashBytes hashes b; the same on every platform. It tells accidents apart, not attackers.
func hashBytes(b []byte) uint64 {
	h := mix(uint64(len(b))^salt0, salt1)
	if len(b) >= blockSize {
		h, b = hashBlocks(h, b)
	}
	for ; len(b) >= 8; b = b[8:] {
		h = mix(h^word(b), salt2)
	}
	var rest uint64
	for i, octet := range b {
		rest |= uint64(octet) << (8 * i)
	}
	return mix(h^rest, salt3)
}

const blockSize = 32

// hashBlocks takes a block at a time in four lanes, which the processor multiplies side by side, and gives what is left
// of b.
func hashBlocks(h uint64, b []byte) (uint64, []byte) {
	h0, h1, h2, h3 := h, h^salt1, h^salt2, h^salt3
	for ; len(b) >= blockSize; b = b[blockSize:] {
		p := (*[blockSize]byte)(b) // one check of the length instead of four
		h0 = mix(h0^word(p[0:8]), salt0)
		h1 = mix(h1^word(p[8:16]), salt1)
		h2 = mix(h2^word(p[16:24]), salt2)
		h3 = mix(h3^word(p[24:32]), salt3)
	}
	return mix(h0^bits.RotateLeft64(h2, 32), h1^bits.RotateLeft64(h3, 32)), b
}

func word(b []byte) uint64 { return binary.LittleEndian.Uint64(b) }

// hashFlow hashes source and destination.
func hashFlow(from, to netip.AddrPort) uint64 {
	return mix(hashAddr(from)^salt0, hashAddr(to)^salt1)
}

func hashAddr(a netip.AddrPort) uint64 {
	b := a.Addr().As16()
	return mix(word(b[:])^salt2, word(b[8:])^salt3^uint64(a.Port())<<48)
}
