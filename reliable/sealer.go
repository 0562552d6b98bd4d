package reliable

import "github.com/gannet-net/gannet/framing"

// Sealer protects packets (PROTOCOL.md 10). An endpoint with a Sealer speaks the packet wire; whoever made the Sealer has made the
// handshake. It belongs to one endpoint.
type Sealer interface {
	// Overhead is what Seal adds to a packet, in bytes.
	Overhead() int
	// Seal appends the datagram that carries a packet of the given number.
	Seal(dst, packet []byte, number int64) []byte
	// Open appends the packet of a datagram to dst and gives its number. highest is the highest number opened before, -1 if none.
	Open(dst, datagram []byte, highest int64) (packet []byte, number int64, drop framing.Drop)
}
