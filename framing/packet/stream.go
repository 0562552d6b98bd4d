package packet

import "fmt"

// Mode is how the messages of a stream are delivered, PROTOCOL.md 12.
type Mode uint8

const (
	// Ordered messages are delivered in the order of their sequences, each once.
	Ordered Mode = iota
	// Unordered messages are delivered once, each as soon as it is there.
	Unordered
	// Sequenced messages are delivered once, unless a newer one was before.
	Sequenced
)

const numModes = 3

// String gives the name of m.
func (m Mode) String() string {
	switch m {
	case Ordered:
		return "ordered"
	case Unordered:
		return "unordered"
	case Sequenced:
		return "sequenced"
	}
	return fmt.Sprintf("Mode(%d)", uint8(m))
}

// Stream is a channel and a mode: what has sequences of its own, PROTOCOL.md 10.2. Its value is the byte that stands for it on the wire,
// bits 0 to 5 the channel and bits 6 to 7 the mode, so a stream may index an array of NumStreams.
type Stream uint8

// NumStreams is one more than the largest Stream.
const NumStreams = numModes * (MaxChannel + 1)

const (
	channelBits = 0x3F
	modeShift   = 6
)

// StreamOf returns the stream of a channel of 0 to MaxChannel and a mode.
func StreamOf(channel uint8, m Mode) Stream {
	if channel > MaxChannel || m >= numModes {
		panic(fmt.Sprintf("BUG: packet: no stream of channel %d, %v", channel, m))
	}
	return Stream(channel | uint8(m)<<modeShift)
}

// Channel returns the channel of s.
func (s Stream) Channel() uint8 { return uint8(s) & channelBits }

// Mode returns the mode of s.
func (s Stream) Mode() Mode { return Mode(s >> modeShift) }

// String gives s in words, such as "channel 3 ordered".
func (s Stream) String() string { return fmt.Sprintf("channel %d %v", s.Channel(), s.Mode()) }
