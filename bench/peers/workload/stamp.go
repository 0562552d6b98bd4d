package workload

import (
	"encoding/binary"

	"github.com/gannet-net/gannet/bench/peers/measure"
)

// stampSize is what of a message tells when it was sent and which one it is.
const stampSize = 16

func stamp(message []byte, sent int64, number uint64) {
	binary.LittleEndian.PutUint64(message, uint64(sent))
	binary.LittleEndian.PutUint64(message[8:], number)
}

func stamped(message []byte) (sent int64, number uint64) {
	return int64(binary.LittleEndian.Uint64(message)), binary.LittleEndian.Uint64(message[8:])
}

// age is how long ago a message was sent.
func age(message []byte) int64 {
	sent, _ := stamped(message)
	return measure.Now() - sent
}
