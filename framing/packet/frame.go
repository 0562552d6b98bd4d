package packet

import (
	"fmt"
	"math"
	"unicode/utf8"

	"github.com/gannet-net/gannet/framing"
	"github.com/gannet-net/gannet/wire"
)

// Frame is one frame of a packet. The field of its kind holds what it says; the others hold whatever they held before. A Heartbeat says
// nothing more.
type Frame struct {
	Kind framing.Kind

	Unreliable Unreliable
	Reliable   Reliable
	Ack        Ack
	Disconnect Disconnect
	Credit     Credit
	Clock      Clock
	Xor        Xor
	Parity     Parity
	Path       Path // of a PathChallenge or a PathResponse
	Ticket     Ticket
}

// Unreliable is a message that is sent once, or a fragment of one, PROTOCOL.md 10.1.
type Unreliable struct {
	Channel uint8 // 0..MaxChannel

	Sequenced bool   // dropped if a newer one of the channel was delivered
	Seq       uint16 // of the message if Sequenced, else 0

	Message uint16 // id of the message of which this is a fragment, else 0
	Index   uint16 // of the fragment, below Count
	Count   uint16 // of fragments, 2..MaxCount; 0 for a whole message

	Payload []byte // parsed: not nil, possibly empty
}

// Reliable is a message that is sent until it is acknowledged, or a fragment of one, PROTOCOL.md 10.2.
type Reliable struct {
	Stream Stream
	Seq    uint16 // of the fragment in its stream

	First bool // the message begins here
	Last  bool // the message ends here

	Payload []byte // parsed: not nil; empty only if First and Last
}

// Form is how an Ack says which packets below the largest were received, PROTOCOL.md 10.3.
type Form uint8

const (
	// Bare says nothing about them.
	Bare Form = iota
	// Bitmap32 has a bit for each of the 32 packets below the largest.
	Bitmap32
	// Bitmap64 has a bit for each of the 64 packets below the largest.
	Bitmap64
	// Ranges tells the lengths of runs and gaps.
	Ranges
)

// Ack names packets that were received, PROTOCOL.md 10.3.
type Ack struct {
	Form    Form
	Largest uint16 // low 16 bits of the largest packet number received
	Delay   uint8  // time since it came in, in DelayUnit
	Bitmap  uint64 // Bitmap32, Bitmap64: bit i stands for the packet largest - 1 - i
	Runs    Runs   // Ranges, else nil
}

// Units and limits of Ack.Delay, in nanoseconds.
const (
	// DelayUnit is what one means in Ack.Delay.
	DelayUnit = 250_000
	// MaxDelay is the Ack.Delay that stands for itself and all that is longer, and gives no sample of the round trip.
	MaxDelay = 255
)

// Disconnect ends the session, PROTOCOL.md 10.4.
type Disconnect struct {
	Code uint16
	Text []byte // 0..MaxText bytes of UTF-8, as the peer wrote them
}

// Credit says how much the other side may send reliably, PROTOCOL.md 10.4 and 13.
type Credit struct {
	All    bool   // for the session; else for Stream, up to Seq
	Stream Stream // 0 if All
	Seq    uint16 // the first sequence that may not be sent; 0 if All
	Bytes  uint32 // payload bytes that may be sent since the start, modulo 2^32
}

// Clock is the sender's clock, in nanoseconds, when it sent the packet, PROTOCOL.md 10.4.
type Clock struct{ Time int64 }

// Xor is the parity of messages of one stream that were sent before, each of one fragment, with consecutive sequences: who has all of them
// but one can tell that one, PROTOCOL.md 10.5.
type Xor struct {
	Stream  Stream // not Sequenced
	Seq     uint16 // of the first message
	Count   uint8  // of messages, 2..MaxCovered
	Lengths uint8  // XOR of their lengths
	Parity  []byte // XOR of the messages, as if zeros stood behind the shorter ones: 1..MaxParity bytes
}

// Path is what a PathChallenge asks to have back, and what a PathResponse gives back, PROTOCOL.md 23.
type Path struct{ Random [8]byte }

// Ticket is the token by which a client comes back, and its psk, PROTOCOL.md 23.
type Ticket struct {
	PSK    [32]byte
	Ticket []byte // 1..MaxTicket bytes
}

// Parity is one of several parities of the fragments of a message: as many of both as there are fragments give all of these, PROTOCOL.md 10.6.
type Parity struct {
	Stream Stream // of a reliable message, else 0
	Seq    uint16 // of the first fragment of a reliable message, or of a sequenced lossy one; else 0

	Lossy     bool
	Channel   uint8  // of a lossy message, 0..MaxChannel, else 0
	Sequenced bool   // a lossy message that is
	Message   uint16 // id of a lossy message, else 0

	Count uint8  // of fragments, 2..MaxSharded
	Index uint8  // of the parity, below MaxParities
	Last  uint16 // bytes of the last fragment, 1..len(Bytes)
	Bytes []byte // as many as each other fragment has
}

// Header returns how many bytes stand before the parity, without a length.
func (f Parity) Header() int {
	if f.Sequenced {
		return ParityHeader + sequenceSize
	}
	return ParityHeader
}

// Header returns how many bytes stand before the payload, without a length.
func (f Unreliable) Header() int {
	if !f.isExtended() {
		return UnreliableHeader
	}
	n := kindSize + extSize
	if f.Sequenced {
		n += sequenceSize
	}
	if f.Count != 0 {
		n += fragmentSize
	}
	return n
}

func (f Unreliable) isExtended() bool { return f.Channel != 0 || f.Sequenced || f.Count != 0 }

// Header returns how many bytes stand before the payload, without a length, if the frame before does not lead to this one.
func (f Reliable) Header() int {
	if f.Stream.Channel() == 0 {
		return kindSize + howSize + sequenceSize
	}
	return MaxReliableHeader
}

// Size returns how many bytes f takes.
func (f Ack) Size() int {
	const bare = kindSize + numberSize + delaySize
	switch f.Form {
	case Bitmap32:
		return bare + 4
	case Bitmap64:
		return bare + 8
	case Ranges:
		return bare + len(f.Runs)
	}
	return bare
}

// Size returns how many bytes f takes.
func (f Credit) Size() int {
	if f.All {
		return kindSize + bytesSize
	}
	return kindSize + streamSize + sequenceSize + bytesSize
}

// fault is the rule that f breaks by itself. A parsed frame cannot break those of which the fields do not go on the wire.
func (f *Unreliable) fault() Fault {
	switch {
	case f.Channel > MaxChannel:
		return FaultChannel
	case !f.Sequenced && f.Seq != 0:
		return FaultFlags
	case f.Count == 0:
		if f.Message != 0 || f.Index != 0 {
			return FaultFragment
		}
		return Valid
	case f.Count < 2, f.Count > MaxCount, f.Index >= f.Count, len(f.Payload) == 0:
		return FaultFragment
	case f.smallestMessage() > MaxLossy:
		return FaultMessageSize
	}
	return Valid
}

// smallestMessage is the size of the smallest message that f can be a fragment of: all fragments but the last have one size, and
// the last has at most as many bytes and at least one.
func (f *Unreliable) smallestMessage() int {
	size, others := len(f.Payload), int(f.Count)-1
	if f.Index < f.Count-1 {
		return size*others + 1
	}
	return size * int(f.Count)
}

// fault is the rule that f breaks by itself.
func (f *Reliable) fault() Fault {
	switch {
	case f.Stream >= NumStreams:
		return FaultMode
	case len(f.Payload) == 0 && !(f.First && f.Last):
		return FaultFragment
	}
	return Valid
}

// fault is the rule that f breaks by itself. What the Runs of a parsed frame hold was checked when they were read.
func (f *Ack) fault() Fault {
	switch {
	case f.Form > Ranges:
		return FaultFlags
	case f.Form == Ranges:
		left := wire.NewReader(f.Runs)
		if _, fault := readRuns(&left); fault != Valid {
			return fault
		}
		if left.Len() > 0 {
			return FaultRanges
		}
	case len(f.Runs) > 0:
		return FaultRanges
	case f.Form == Bare && f.Bitmap != 0, f.Form == Bitmap32 && f.Bitmap > math.MaxUint32:
		return FaultFlags
	}
	return Valid
}

// fault is the rule that f breaks by itself.
func (f *Disconnect) fault() Fault {
	switch {
	case len(f.Text) > MaxText:
		return FaultTextLong
	case !utf8.Valid(f.Text):
		return FaultText
	}
	return Valid
}

// fault is the rule that f breaks by itself.
func (f *Credit) fault() Fault {
	switch {
	case f.Stream >= NumStreams:
		return FaultMode
	case f.All && (f.Stream != 0 || f.Seq != 0):
		return FaultFlags
	}
	return Valid
}

// fault is the rule that f breaks by itself.
func (f *Xor) fault() Fault {
	switch {
	case f.Stream >= NumStreams:
		return FaultMode
	case f.Count < 2, f.Count > MaxCovered, f.Stream.Mode() == Sequenced, len(f.Parity) == 0, len(f.Parity) > MaxParity:
		return FaultXor
	}
	return Valid
}

// fault is the rule that f breaks by itself.
func (f *Ticket) fault() Fault {
	if len(f.Ticket) == 0 || len(f.Ticket) > MaxTicket {
		return FaultTicket
	}
	return Valid
}

// fault is the rule that f breaks by itself.
func (f *Parity) fault() Fault {
	switch {
	case f.Stream >= NumStreams:
		return FaultMode
	case f.Channel > MaxChannel:
		return FaultChannel
	case f.Lossy && f.Stream != 0, !f.Lossy && (f.Sequenced || f.Channel != 0 || f.Message != 0), f.Lossy && !f.Sequenced && f.Seq != 0:
		return FaultFlags
	case f.Count < 2, f.Count > MaxSharded, f.Index >= MaxParities, f.Last == 0, int(f.Last) > len(f.Bytes):
		return FaultParity
	case f.Lossy && len(f.Bytes)*int(f.Count-1)+int(f.Last) > MaxLossy:
		return FaultMessageSize
	}
	return Valid
}

// String gives f in words, for people: payloads by their size.
func (f Frame) String() string {
	switch f.Kind {
	case KindUnreliable:
		return f.Unreliable.String()
	case KindReliable:
		return f.Reliable.String()
	case KindAck:
		return f.Ack.String()
	case KindDisconnect:
		return f.Disconnect.String()
	case KindCredit:
		return f.Credit.String()
	case KindClock:
		return f.Clock.String()
	case KindXor:
		return f.Xor.String()
	case KindParity:
		return f.Parity.String()
	case KindPathChallenge, KindPathResponse:
		return fmt.Sprintf("%s %x", kinds[f.Kind].name, f.Path.Random)
	case KindTicket:
		return f.Ticket.String()
	}
	return f.Kind.String()
}

// String gives f in words, such as "Unreliable channel 3 seq 7 fragment 1/5 of message 9, 41 bytes".
func (f Unreliable) String() string {
	s := fmt.Sprintf("Unreliable channel %d", f.Channel)
	if f.Sequenced {
		s += fmt.Sprintf(" seq %d", f.Seq)
	}
	if f.Count != 0 {
		s += fmt.Sprintf(" fragment %d/%d of message %d", f.Index, f.Count, f.Message)
	}
	return fmt.Sprintf("%s, %d bytes", s, len(f.Payload))
}

// String gives f in words, such as "Reliable channel 3 ordered seq 7 first last, 41 bytes".
func (f Reliable) String() string {
	s := fmt.Sprintf("Reliable %v seq %d", f.Stream, f.Seq)
	if f.First {
		s += " first"
	}
	if f.Last {
		s += " last"
	}
	return fmt.Sprintf("%s, %d bytes", s, len(f.Payload))
}

// String gives f in words, such as "Ack 258 delay 4 runs 3 -1+2": 3 received, 1 missing, 2 received.
func (f Ack) String() string {
	s := fmt.Sprintf("Ack %d delay %d", f.Largest, f.Delay)
	switch f.Form {
	case Bitmap32:
		return fmt.Sprintf("%s bitmap %08x", s, f.Bitmap)
	case Bitmap64:
		return fmt.Sprintf("%s bitmap %016x", s, f.Bitmap)
	case Ranges:
		s += " runs"
		for run := range f.Runs.All() {
			if run.Missing > 0 {
				s += fmt.Sprintf(" -%d+%d", run.Missing, run.Received)
			} else {
				s += fmt.Sprintf(" %d", run.Received)
			}
		}
	}
	return s
}

// String gives f in words, such as `Disconnect code 2 "full"`.
func (f Disconnect) String() string { return fmt.Sprintf("Disconnect code %d %q", f.Code, f.Text) }

// String gives f in words, such as "Credit channel 3 ordered up to seq 1024, 65536 bytes".
func (f Credit) String() string {
	if f.All {
		return fmt.Sprintf("Credit all, %d bytes", f.Bytes)
	}
	return fmt.Sprintf("Credit %v up to seq %d, %d bytes", f.Stream, f.Seq, f.Bytes)
}

// String gives f in words.
func (f Clock) String() string { return fmt.Sprintf("Clock %d", f.Time) }

// String gives f in words, such as "Xor channel 3 ordered seq 7 to 9, 41 bytes".
func (f Xor) String() string {
	return fmt.Sprintf("Xor %v seq %d to %d, %d bytes", f.Stream, f.Seq, f.Seq+uint16(f.Count)-1, len(f.Parity))
}

// String gives the size of the ticket and not its psk, which is a secret.
func (f Ticket) String() string { return fmt.Sprintf("Ticket, %d bytes", len(f.Ticket)) }

// String gives f in words, such as "Parity 1 of channel 3 ordered seq 7, 10 fragments, 1100 bytes, the last 1000".
func (f Parity) String() string {
	of := fmt.Sprintf("%v seq %d", f.Stream, f.Seq)
	if f.Lossy {
		of = fmt.Sprintf("channel %d", f.Channel)
		if f.Sequenced {
			of += fmt.Sprintf(" seq %d", f.Seq)
		}
		of += fmt.Sprintf(" message %d", f.Message)
	}
	return fmt.Sprintf("Parity %d of %s, %d fragments, %d bytes, the last %d", f.Index, of, f.Count, len(f.Bytes), f.Last)
}
