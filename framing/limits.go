package framing

// Sizes in bytes of the fields, and of what has no payload or stands before a text.
const (
	kindSize     = 1
	peerIDSize   = 1
	sequenceSize = 4
	lengthSize   = 2

	acceptSize = kindSize + peerIDSize
	ackSize    = kindSize + sequenceSize
	textHeader = kindSize + lengthSize
)

// Sizes in bytes, of UDP payloads and what they are made of. See PROTOCOL.md 1.
const (
	// MaxDatagram is the largest datagram that is sent or accepted.
	MaxDatagram = 1200

	// UnreliableHeader is what stands before the payload of an Unreliable.
	UnreliableHeader = kindSize
	// ReliableHeader is what stands before the payload of a Reliable.
	ReliableHeader = kindSize + sequenceSize

	// MaxUnreliable is the largest payload of an Unreliable.
	MaxUnreliable = MaxDatagram - UnreliableHeader
	// MaxReliable is the largest payload of a Reliable.
	MaxReliable = MaxDatagram - ReliableHeader

	// MaxVersion is the longest version string of a Connect.
	MaxVersion = 32

	// MaxRefuseReason is the longest reason that gannet sends in a Refuse: no answer to BaseVersion is larger than the request. A
	// Refuse that was received may hold a longer one, up to what fits a datagram.
	MaxRefuseReason = len(BaseVersion)

	maxRefuseText = MaxDatagram - textHeader
)

// MaxPeerID is the largest peer id that a host gives out. 0 is the host itself.
const MaxPeerID = 250
