package sim

// Drop is a way in which a datagram is lost. Every datagram that is not delivered counts in exactly one.
type Drop uint8

const (
	delivered Drop = iota

	DropFilter   // Conditions.Drop said so
	DropMask     // Conditions.Mask
	DropLoss     // Conditions.Loss
	DropBurst    // Conditions.Burst
	DropOutage   // Conditions.Outage
	DropCut      // the direction was cut
	DropMTU      // larger than Conditions.MTU
	DropQueue    // the bottleneck's queue was full
	DropPolice   // faster than the policer allows
	DropNAT      // no mapping at the NAT box, or not from this sender
	DropNoRoute  // nobody has the destination address
	DropHostDown // the node was killed or suspended
	DropNoSocket // no socket at the port
	DropBuffer   // the socket's receive buffer was full

	NumDrops // how many values Drop has, 0 included
)

var dropNames = [NumDrops]string{"delivered", "filter", "mask", "loss", "burst", "outage", "cut", "mtu", "queue", "police",
	"nat", "no-route", "host-down", "no-socket", "buffer"}

// String gives the name of d, such as "no-socket".
func (d Drop) String() string {
	if d < NumDrops {
		return dropNames[d]
	}
	return "unknown"
}
