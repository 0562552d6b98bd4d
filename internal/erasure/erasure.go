// Package erasure makes parities of fragments, and fragments of parities (PROTOCOL.md 10.6): a Reed-Solomon code over bytes, whose matrix is
// that of Cauchy with each column divided by its first element, so that the first parity is the XOR of all fragments.
package erasure

import "github.com/klauspost/reedsolomon"

const (
	// MaxFragments is how many fragments a parity may be of.
	MaxFragments = 64
	// MaxParities is how many parities there are.
	MaxParities = 8
)

var field reedsolomon.LowLevel

// Add adds fragment number j to a parity of the given index, in place, as if zeros stood behind a fragment that is shorter. Adding it twice takes
// it out again.
func Add(parity []byte, index int, fragment []byte, j int) {
	field.GalMulSliceXor(coefficient(index, j), fragment, parity)
}

// Solve turns parities into fragments, in place: parities[i] is of the given index, and all fragments that are not missing were taken out of
// it. It becomes fragment missing[i]. There are as many of each, at most MaxParities, each once.
func Solve(parities [][]byte, indexes, missing []int) {
	var m [MaxParities][MaxParities]byte
	n := len(missing)
	for row := range n {
		for column := range n {
			m[row][column] = coefficient(indexes[row], missing[column])
		}
	}
	for c := range n { // every square part of a Cauchy matrix can be inverted, so the diagonal is never 0
		scale(m[c][:n], parities[c], reedsolomon.Inv(m[c][c]))
		for row := range n {
			if factor := m[row][c]; row != c && factor != 0 {
				field.GalMulSliceXor(factor, m[c][:n], m[row][:n])
				field.GalMulSliceXor(factor, parities[c], parities[row])
			}
		}
	}
}

func scale(row, parity []byte, factor byte) {
	field.GalMulSlice(factor, row, row)
	field.GalMulSlice(factor, parity, parity)
}

// coefficient is that of fragment j in a parity.
func coefficient(index, j int) byte {
	return product(byte(MaxFragments^j), reedsolomon.Inv(byte((MaxFragments+index)^j)))
}

// product multiplies modulo x^8 + x^4 + x^3 + x^2 + 1.
func product(a, b byte) (p byte) {
	for ; b > 0; b >>= 1 {
		if b&1 != 0 {
			p ^= a
		}
		high := a & 0x80
		if a <<= 1; high != 0 {
			a ^= 0x1D
		}
	}
	return p
}
