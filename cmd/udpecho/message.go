package main

import (
	"bytes"
	"encoding/binary"
)

// numberSize is what the number takes at the start of each message: the least that a message may be long.
const numberSize = 4

// appendMessage appends message number of a stream: the number, then bytes that only this message of this stream has.
func appendMessage(b []byte, stream, number uint32, size int) []byte {
	end := len(b) + size
	b = binary.LittleEndian.AppendUint32(b, number)
	state := uint64(stream)<<32 | uint64(number)
	for len(b) < end {
		state += 0x9e3779b97f4a7c15
		b = binary.LittleEndian.AppendUint64(b, scramble(state))
	}
	return b[:end]
}

// scramble spreads each bit of x over all bits (the finalizer of splitmix64).
func scramble(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// numberOf reads the number of a message; false if it is too short to have one.
func numberOf(message []byte) (uint32, bool) {
	if len(message) < numberSize {
		return 0, false
	}
	return binary.LittleEndian.Uint32(message), true
}

// isMessage reports whether the bytes are message number of the stream, unchanged.
func isMessage(message []byte, stream, number uint32, size int, scratch *[]byte) bool {
	*scratch = appendMessage((*scratch)[:0], stream, number, size)
	return bytes.Equal(message, *scratch)
}
