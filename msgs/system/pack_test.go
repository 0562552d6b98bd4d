package system_test

import (
	"math/big"
	"slices"
)

// field is a value of some bits.
type field struct {
	value uint64
	bits  int
}

// pack packs fields, the lowest bit of each first, by another way than the package does: as one large number.
func pack(fields ...field) []byte {
	sum, at := new(big.Int), 0
	for _, f := range fields {
		v := new(big.Int).SetUint64(f.value)
		sum.Add(sum, v.Lsh(v, uint(at)))
		at += f.bits
	}
	b := make([]byte, (at+7)/8)
	sum.FillBytes(b)
	slices.Reverse(b)
	return b
}

// toByte appends zeros up to the next byte border.
func toByte(fields []field) []field {
	at := 0
	for _, f := range fields {
		at += f.bits
	}
	return append(fields, field{0, (8 - at%8) % 8})
}
