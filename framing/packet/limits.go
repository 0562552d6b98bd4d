package packet

// Sizes in bytes, and counts. See PROTOCOL.md 10 to 14 and 23.
const (
	// MaxPacket is the largest packet that is sent or accepted. With SealOverhead it fills a datagram.
	MaxPacket = 1175
	// SealOverhead is what sealing a packet adds to it.
	SealOverhead = 25

	// MaxFrames is how many frames a packet may hold.
	MaxFrames = 128
	// MaxCount is how many fragments a message may have.
	MaxCount = 1024
	// MaxLossy is the largest message of an unreliable mode. It binds the fragments of one; whole messages end at MaxPacket.
	MaxLossy = 64 << 10
	// MaxChannel is the largest channel.
	MaxChannel = 63
	// MaxText is the longest text of a Disconnect.
	MaxText = 256
	// MaxXors is how many Xors a packet may hold.
	MaxXors = 4
	// MaxCovered is how many messages an Xor may cover, and MaxParity how large the largest of them may be.
	MaxCovered = 4
	MaxParity  = 255
	// MaxTicket is the longest ticket: as long as what an Auth has room for.
	MaxTicket = 512
	// MaxSharded is how many fragments a message may have of which there are parities, and MaxParities how many of those.
	MaxSharded  = 64
	MaxParities = 8
	// MaxRuns is how many runs the ranges of an Ack may have.
	MaxRuns = 64
	// MaxRun is how many packets a run, or the gap before it, may have.
	MaxRun = maxVarint + 1
)

// Sizes in bytes of frames, and of what stands before a payload. Where a frame is not the last of its packet, the length of its
// payload adds a byte below 128 and two from there on.
const (
	// UnreliableHeader is what stands before the payload of an Unreliable of channel 0 that is neither sequenced nor a fragment.
	UnreliableHeader = kindSize
	// MaxUnreliableHeader is what stands before the payload of a sequenced fragment, the largest header of an Unreliable.
	MaxUnreliableHeader = kindSize + extSize + sequenceSize + fragmentSize
	// FollowingHeader is what stands before the payload of a Reliable that goes on from the one before, the smallest header.
	FollowingHeader = kindSize + howSize
	// MaxReliableHeader is what stands before the payload of a Reliable of another channel than 0, the largest header.
	MaxReliableHeader = kindSize + howSize + channelSize + sequenceSize
	// UsualAckSize is an Ack with a bitmap of 32.
	UsualAckSize = kindSize + numberSize + delaySize + 4
	// XorHeader is what stands before the parity of an Xor.
	XorHeader = kindSize + streamSize + sequenceSize + lengthsSize
	// ParityHeader is what stands before the bytes of a Parity, but for two more if its message is sequenced and lossy.
	ParityHeader = kindSize + streamSize + sequenceSize + 2*indexSize + lastSize
	// DisconnectHeader is what stands before the text of a Disconnect.
	DisconnectHeader = kindSize + codeSize

	// TicketHeader is what stands before the ticket of a Ticket.
	TicketHeader = kindSize + keySize

	// HeartbeatSize is a Heartbeat.
	HeartbeatSize = kindSize
	// ClockSize is a Clock.
	ClockSize = kindSize + timeSize
	// PathSize is a PathChallenge or a PathResponse.
	PathSize = kindSize + randomSize
	// MaxRunsSize is the largest Runs: a buffer of that many bytes has room for every one.
	MaxRunsSize = 1 + 2*(2*MaxRuns-1)
)

const (
	kindSize     = 1
	extSize      = 1
	howSize      = 1
	channelSize  = 1
	sequenceSize = 2
	fragmentSize = 6
	numberSize   = 2
	delaySize    = 1
	codeSize     = 2
	streamSize   = 1
	bytesSize    = 4
	timeSize     = 8
	lengthsSize  = 1
	indexSize    = 1
	lastSize     = 2
	randomSize   = 8
	keySize      = 32
)
