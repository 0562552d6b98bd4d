package packet

import "github.com/gannet-net/gannet/wire"

// A varint is one byte below 128, else two, the low seven bits with bit 7 set first. See PROTOCOL.md 10.
const (
	maxVarint  = 1<<14 - 1
	oneByte    = 1 << 7 // what does not fit one byte
	moreBit    = 0x80
	varintBits = 7
)

func varintSize(n int) int {
	if n < oneByte {
		return 1
	}
	return 2
}

// appendVarint appends n, 0 to maxVarint, to b.
func appendVarint(b []byte, n int) []byte {
	if n < oneByte {
		return append(b, byte(n))
	}
	return append(b, byte(n)|moreBit, byte(n>>varintBits))
}

func readVarint(r *wire.Reader) (int, Fault) {
	low := r.Uint8()
	if low < oneByte {
		return int(low), shortness(r)
	}
	high := r.Uint8()
	switch {
	case r.Err() != nil:
		return 0, FaultShort
	case high == 0, high >= moreBit:
		return 0, FaultVarint
	}
	return int(low&^moreBit) | int(high)<<varintBits, Valid
}

// shortness says whether all that was read from r was there.
func shortness(r *wire.Reader) Fault {
	if r.Err() != nil {
		return FaultShort
	}
	return Valid
}
