package packet

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// golden is one packet in words, as frames and as bytes.
type golden struct {
	words  string
	frames []Frame
	bytes  []byte
}

var goldens = []golden{
	{
		"Unreliable channel 0, 0 bytes",
		[]Frame{{Kind: KindUnreliable, Unreliable: Unreliable{Payload: []byte{}}}},
		[]byte{
			0x04, // kind
		},
	},
	{
		"Unreliable channel 0, 2 bytes",
		[]Frame{{Kind: KindUnreliable, Unreliable: Unreliable{Payload: []byte("hi")}}},
		[]byte{
			0x04, // kind
			'h',  // message
			'i',
		},
	},
	{
		"Unreliable channel 0, 1174 bytes",
		[]Frame{{Kind: KindUnreliable, Unreliable: Unreliable{Payload: repeat(1174, 'u')}}},
		append([]byte{
			0x04, // kind
		}, repeat(1174, 'u')...), // message
	},
	{
		"Unreliable channel 63, 1 bytes",
		[]Frame{{Kind: KindUnreliable, Unreliable: Unreliable{Channel: 63, Payload: []byte("z")}}},
		[]byte{
			0x44, // kind, EXT
			0x3F, // channel
			'z',  // message
		},
	},
	{
		"Unreliable channel 0 seq 258, 0 bytes",
		[]Frame{{Kind: KindUnreliable, Unreliable: Unreliable{Sequenced: true, Seq: 258, Payload: []byte{}}}},
		[]byte{
			0x44, // kind, EXT
			0x40, // channel, SEQUENCED
			0x02, // sequence, low byte
			0x01, // sequence, high byte
		},
	},
	{
		"Unreliable channel 0 fragment 0/2 of message 772, 3 bytes",
		[]Frame{{Kind: KindUnreliable, Unreliable: Unreliable{Message: 772, Count: 2, Payload: []byte("one")}}},
		[]byte{
			0x44, // kind, EXT
			0x80, // channel, FRAGMENT
			0x04, // message id, low byte
			0x03, // message id, high byte
			0x00, // index, low byte
			0x00, // index, high byte
			0x02, // count, low byte
			0x00, // count, high byte
			'o',  // message
			'n',
			'e',
		},
	},
	{
		"Unreliable channel 3 seq 65535 fragment 1023/1024 of message 65534, 1 bytes",
		[]Frame{{Kind: KindUnreliable, Unreliable: Unreliable{
			Channel: 3, Sequenced: true, Seq: 65535, Message: 65534, Index: 1023, Count: 1024, Payload: []byte("z"),
		}}},
		[]byte{
			0x44, // kind, EXT
			0xC3, // channel, SEQUENCED, FRAGMENT
			0xFF, // sequence, low byte
			0xFF, // sequence, high byte
			0xFE, // message id, low byte
			0xFF, // message id, high byte
			0xFF, // index, low byte
			0x03, // index, high byte
			0x00, // count, low byte
			0x04, // count, high byte
			'z',  // message
		},
	},
	{
		"Unreliable channel 0, 0 bytes; Unreliable channel 0, 0 bytes",
		[]Frame{
			{Kind: KindUnreliable, Unreliable: Unreliable{Payload: []byte{}}},
			{Kind: KindUnreliable, Unreliable: Unreliable{Payload: []byte{}}},
		},
		[]byte{
			0x24, // kind, LEN
			0x00, // length

			0x04, // kind
		},
	},
	{
		"Unreliable channel 5 seq 1, 1 bytes; Unreliable channel 5 seq 2, 1 bytes",
		[]Frame{
			{Kind: KindUnreliable, Unreliable: Unreliable{Channel: 5, Sequenced: true, Seq: 1, Payload: []byte("a")}},
			{Kind: KindUnreliable, Unreliable: Unreliable{Channel: 5, Sequenced: true, Seq: 2, Payload: []byte("b")}},
		},
		[]byte{
			0x64, // kind, LEN, EXT
			0x45, // channel, SEQUENCED
			0x01, // sequence, low byte
			0x00, // sequence, high byte
			0x01, // length
			'a',  // message

			0x44, // kind, EXT
			0x45, // channel, SEQUENCED
			0x02, // sequence, low byte
			0x00, // sequence, high byte
			'b',  // message
		},
	},
	{
		"Unreliable channel 0, 127 bytes; Heartbeat",
		[]Frame{{Kind: KindUnreliable, Unreliable: Unreliable{Payload: repeat(127, 'u')}}, {Kind: KindHeartbeat}},
		slices.Concat([]byte{
			0x24, // kind, LEN
			0x7F, // length: the last of one byte
		}, repeat(127, 'u'), []byte{ // message
			0x07, // kind
		}),
	},
	{
		"Unreliable channel 0, 128 bytes; Heartbeat",
		[]Frame{{Kind: KindUnreliable, Unreliable: Unreliable{Payload: repeat(128, 'u')}}, {Kind: KindHeartbeat}},
		slices.Concat([]byte{
			0x24, // kind, LEN
			0x80, // length, bits 0..6: the first of two bytes
			0x01, // length, bits 7..13
		}, repeat(128, 'u'), []byte{ // message
			0x07, // kind
		}),
	},
	{
		"Unreliable channel 0, 1171 bytes; Heartbeat",
		[]Frame{{Kind: KindUnreliable, Unreliable: Unreliable{Payload: repeat(1171, 'u')}}, {Kind: KindHeartbeat}},
		slices.Concat([]byte{
			0x24, // kind, LEN
			0x93, // length, bits 0..6
			0x09, // length, bits 7..13
		}, repeat(1171, 'u'), []byte{ // message
			0x07, // kind
		}),
	},
	{
		"Reliable channel 0 ordered seq 258 first last, 2 bytes",
		[]Frame{{Kind: KindReliable, Reliable: Reliable{Seq: 258, First: true, Last: true, Payload: []byte("hi")}}},
		[]byte{
			0x05, // kind
			0x18, // ordered, FIRST, LAST
			0x02, // sequence, low byte
			0x01, // sequence, high byte
			'h',  // message
			'i',
		},
	},
	{
		"Reliable channel 0 unordered seq 0 first last, 0 bytes",
		[]Frame{{Kind: KindReliable, Reliable: Reliable{Stream: StreamOf(0, Unordered), First: true, Last: true, Payload: []byte{}}}},
		[]byte{
			0x05, // kind
			0x19, // unordered, FIRST, LAST
			0x00, // sequence, low byte
			0x00, // sequence, high byte
		},
	},
	{
		"Reliable channel 63 sequenced seq 65535 first, 1170 bytes",
		[]Frame{{Kind: KindReliable, Reliable: Reliable{Stream: StreamOf(63, Sequenced), Seq: 65535, First: true, Payload: repeat(1170, 'r')}}},
		append([]byte{
			0x05, // kind
			0x0E, // sequenced, CHANNEL, FIRST
			0x3F, // channel
			0xFF, // sequence, low byte
			0xFF, // sequence, high byte
		}, repeat(1170, 'r')...), // message
	},
	{
		"Reliable channel 1 ordered seq 7, 1 bytes",
		[]Frame{{Kind: KindReliable, Reliable: Reliable{Stream: StreamOf(1, Ordered), Seq: 7, Payload: []byte("m")}}},
		[]byte{
			0x05, // kind
			0x04, // ordered, CHANNEL
			0x01, // channel
			0x07, // sequence, low byte
			0x00, // sequence, high byte
			'm',  // message
		},
	},
	{
		"Reliable channel 2 unordered seq 65534 first, 1 bytes; " +
			"Reliable channel 2 unordered seq 65535, 1 bytes; " +
			"Reliable channel 2 unordered seq 0 last, 1 bytes; " +
			"Reliable channel 2 unordered seq 1 first last, 0 bytes",
		[]Frame{
			{Kind: KindReliable, Reliable: Reliable{Stream: StreamOf(2, Unordered), Seq: 65534, First: true, Payload: []byte("a")}},
			{Kind: KindReliable, Reliable: Reliable{Stream: StreamOf(2, Unordered), Seq: 65535, Payload: []byte("b")}},
			{Kind: KindReliable, Reliable: Reliable{Stream: StreamOf(2, Unordered), Seq: 0, Last: true, Payload: []byte("c")}},
			{Kind: KindReliable, Reliable: Reliable{Stream: StreamOf(2, Unordered), Seq: 1, First: true, Last: true, Payload: []byte{}}},
		},
		[]byte{
			0x25, // kind, LEN
			0x0D, // unordered, CHANNEL, FIRST
			0x02, // channel
			0xFE, // sequence, low byte
			0xFF, // sequence, high byte
			0x01, // length
			'a',  // message

			0x25, // kind, LEN
			0x20, // FOLLOWS
			0x01, // length
			'b',  // message

			0x25, // kind, LEN
			0x30, // LAST, FOLLOWS: the sequence wraps
			0x01, // length
			'c',  // message

			0x05, // kind
			0x38, // FIRST, LAST, FOLLOWS
		},
	},
	{
		"Reliable channel 0 ordered seq 5 first last, 1 bytes; " +
			"Reliable channel 0 unordered seq 6 first last, 1 bytes; " +
			"Reliable channel 0 unordered seq 8 first last, 1 bytes; " +
			"Reliable channel 0 unordered seq 8 first last, 1 bytes; " +
			"Reliable channel 4 unordered seq 9 first last, 1 bytes",
		[]Frame{
			{Kind: KindReliable, Reliable: Reliable{Seq: 5, First: true, Last: true, Payload: []byte("a")}},
			{Kind: KindReliable, Reliable: Reliable{Stream: StreamOf(0, Unordered), Seq: 6, First: true, Last: true, Payload: []byte("b")}},
			{Kind: KindReliable, Reliable: Reliable{Stream: StreamOf(0, Unordered), Seq: 8, First: true, Last: true, Payload: []byte("c")}},
			{Kind: KindReliable, Reliable: Reliable{Stream: StreamOf(0, Unordered), Seq: 8, First: true, Last: true, Payload: []byte("c")}},
			{Kind: KindReliable, Reliable: Reliable{Stream: StreamOf(4, Unordered), Seq: 9, First: true, Last: true, Payload: []byte("d")}},
		},
		[]byte{
			0x25, // kind, LEN
			0x18, // ordered, FIRST, LAST
			0x05, // sequence, low byte
			0x00, // sequence, high byte
			0x01, // length
			'a',  // message

			0x25, // kind, LEN
			0x19, // unordered, FIRST, LAST: of another mode, so it does not follow
			0x06, // sequence, low byte
			0x00, // sequence, high byte
			0x01, // length
			'b',  // message

			0x25, // kind, LEN
			0x19, // unordered, FIRST, LAST: one was left out
			0x08, // sequence, low byte
			0x00, // sequence, high byte
			0x01, // length
			'c',  // message

			0x25, // kind, LEN
			0x19, // unordered, FIRST, LAST: a copy does not follow
			0x08, // sequence, low byte
			0x00, // sequence, high byte
			0x01, // length
			'c',  // message

			0x05, // kind
			0x1D, // unordered, CHANNEL, FIRST, LAST: of another channel
			0x04, // channel
			0x09, // sequence, low byte
			0x00, // sequence, high byte
			'd',  // message
		},
	},
	{
		"Ack 772 delay 255",
		[]Frame{{Kind: KindAck, Ack: Ack{Largest: 772, Delay: 255}}},
		[]byte{
			0x06, // kind, bare
			0x04, // largest, low byte
			0x03, // largest, high byte
			0xFF, // delay
		},
	},
	{
		"Ack 0 delay 0 bitmap 80402001",
		[]Frame{{Kind: KindAck, Ack: Ack{Form: Bitmap32, Bitmap: 0x8040_2001}}},
		[]byte{
			0x46, // kind, bitmap of 32
			0x00, // largest, low byte
			0x00, // largest, high byte
			0x00, // delay
			0x01, // bitmap, bits 0..7
			0x20, // bitmap, bits 8..15
			0x40, // bitmap, bits 16..23
			0x80, // bitmap, bits 24..31
		},
	},
	{
		"Ack 65535 delay 4 bitmap 8070605040302010",
		[]Frame{{Kind: KindAck, Ack: Ack{Form: Bitmap64, Largest: 65535, Delay: 4, Bitmap: 0x8070_6050_4030_2010}}},
		[]byte{
			0x86, // kind, bitmap of 64
			0xFF, // largest, low byte
			0xFF, // largest, high byte
			0x04, // delay
			0x10, // bitmap, bits 0..7
			0x20, // bitmap, bits 8..15
			0x30, // bitmap, bits 16..23
			0x40, // bitmap, bits 24..31
			0x50, // bitmap, bits 32..39
			0x60, // bitmap, bits 40..47
			0x70, // bitmap, bits 48..55
			0x80, // bitmap, bits 56..63
		},
	},
	{
		"Ack 1 delay 0 runs 1; Heartbeat",
		[]Frame{{Kind: KindAck, Ack: Ack{Form: Ranges, Largest: 1, Runs: runs(Run{0, 1})}}, {Kind: KindHeartbeat}},
		[]byte{
			0xC6, // kind, ranges
			0x01, // largest, low byte
			0x00, // largest, high byte
			0x00, // delay
			0x01, // count
			0x00, // received, minus one

			0x07, // kind
		},
	},
	{
		"Ack 4096 delay 1 runs 200 -1+2 -128+129 -16384+16384",
		[]Frame{{Kind: KindAck, Ack: Ack{
			Form: Ranges, Largest: 4096, Delay: 1, Runs: runs(Run{0, 200}, Run{1, 2}, Run{128, 129}, Run{16384, 16384}),
		}}},
		[]byte{
			0xC6, // kind, ranges
			0x00, // largest, low byte
			0x10, // largest, high byte
			0x01, // delay
			0x04, // count
			0xC7, // received, minus one, bits 0..6
			0x01, // received, minus one, bits 7..13
			0x00, // missing, minus one
			0x01, // received, minus one
			0x7F, // missing, minus one
			0x80, // received, minus one, bits 0..6
			0x01, // received, minus one, bits 7..13
			0xFF, // missing, minus one, bits 0..6
			0x7F, // missing, minus one, bits 7..13
			0xFF, // received, minus one, bits 0..6
			0x7F, // received, minus one, bits 7..13
		},
	},
	{
		"Heartbeat",
		[]Frame{{Kind: KindHeartbeat}},
		[]byte{
			0x07, // kind
		},
	},
	{
		`Disconnect code 258 ""`,
		[]Frame{{Kind: KindDisconnect, Disconnect: Disconnect{Code: 258, Text: []byte{}}}},
		[]byte{
			0x08, // kind
			0x02, // code, low byte
			0x01, // code, high byte
		},
	},
	{
		`Disconnect code 3 "né\x1b"; Heartbeat`,
		[]Frame{{Kind: KindDisconnect, Disconnect: Disconnect{Code: 3, Text: []byte("né\x1b")}}, {Kind: KindHeartbeat}},
		[]byte{
			0x28, // kind, LEN
			0x03, // code, low byte
			0x00, // code, high byte
			0x04, // length: bytes, not characters
			'n',  // text
			0xC3, // 'é', first byte
			0xA9, // 'é', last byte
			0x1B, // escape, which whoever shows the text has to remove

			0x07, // kind
		},
	},
	{
		`Disconnect code 65535 "` + strings.Repeat("t", 256) + `"`,
		[]Frame{{Kind: KindDisconnect, Disconnect: Disconnect{Code: 65535, Text: repeat(256, 't')}}},
		append([]byte{
			0x08, // kind
			0xFF, // code, low byte
			0xFF, // code, high byte
		}, repeat(256, 't')...), // text
	},
	{
		"Credit channel 5 unordered up to seq 1024, 67305985 bytes",
		[]Frame{{Kind: KindCredit, Credit: Credit{Stream: StreamOf(5, Unordered), Seq: 1024, Bytes: 0x0403_0201}}},
		[]byte{
			0x10, // kind
			0x45, // channel, mode
			0x00, // sequence, low byte
			0x04, // sequence, high byte
			0x01, // bytes, bits 0..7
			0x02, // bytes, bits 8..15
			0x03, // bytes, bits 16..23
			0x04, // bytes, bits 24..31
		},
	},
	{
		"Credit channel 63 sequenced up to seq 0, 0 bytes; Credit all, 4294967295 bytes",
		[]Frame{
			{Kind: KindCredit, Credit: Credit{Stream: StreamOf(63, Sequenced)}},
			{Kind: KindCredit, Credit: Credit{All: true, Bytes: 4294967295}},
		},
		[]byte{
			0x10, // kind
			0xBF, // channel, mode: the largest stream
			0x00, // sequence, low byte
			0x00, // sequence, high byte
			0x00, // bytes, bits 0..7
			0x00, // bytes, bits 8..15
			0x00, // bytes, bits 16..23
			0x00, // bytes, bits 24..31

			0x50, // kind, ALL
			0xFF, // bytes, bits 0..7
			0xFF, // bytes, bits 8..15
			0xFF, // bytes, bits 16..23
			0xFF, // bytes, bits 24..31
		},
	},
	{
		"Clock -9149337499367964159",
		[]Frame{{Kind: KindClock, Clock: Clock{Time: -9149337499367964159}}},
		[]byte{
			0x11, // kind
			0x01, // time, bits 0..7
			0x02, // time, bits 8..15
			0x03, // time, bits 16..23
			0x04, // time, bits 24..31
			0x05, // time, bits 32..39
			0x06, // time, bits 40..47
			0x07, // time, bits 48..55
			0x81, // time, bits 56..63
		},
	},
	{
		"Parity 1 of channel 5 unordered seq 258, 10 fragments, 3 bytes, the last 2",
		[]Frame{{Kind: KindParity, Parity: Parity{Stream: StreamOf(5, Unordered), Seq: 258, Count: 10, Index: 1, Last: 2, Bytes: []byte{7, 8, 9}}}},
		[]byte{
			0x13, // kind
			0x45, // channel, mode
			0x02, // sequence, low byte
			0x01, // sequence, high byte
			0x0A, // count
			0x01, // index
			0x02, // bytes of the last fragment, low byte
			0x00, // bytes of the last fragment, high byte
			0x07, // parity
			0x08,
			0x09,
		},
	},
	{
		"Parity 7 of channel 63 message 9, 64 fragments, 1 bytes, the last 1; Parity 0 of channel 1 seq 3 message 2, 2 fragments, 1155 bytes, the last 260",
		[]Frame{
			{Kind: KindParity, Parity: Parity{Lossy: true, Channel: 63, Message: 9, Count: 64, Index: 7, Last: 1, Bytes: []byte{5}}},
			{Kind: KindParity, Parity: Parity{Lossy: true, Channel: 1, Sequenced: true, Seq: 3, Message: 2, Count: 2, Last: 260, Bytes: repeat(1155, 'p')}},
		},
		slices.Concat([]byte{
			0x73, // kind, LEN, LOSSY
			0x3F, // channel
			0x09, // message id, low byte
			0x00, // message id, high byte
			0x40, // count
			0x07, // index
			0x01, // bytes of the last fragment, low byte
			0x00, // bytes of the last fragment, high byte
			0x01, // length
			0x05, // parity

			0x53, // kind, LOSSY
			0x41, // channel, SEQUENCED
			0x02, // message id, low byte
			0x00, // message id, high byte
			0x03, // sequence, low byte
			0x00, // sequence, high byte
			0x02, // count
			0x00, // index
			0x04, // bytes of the last fragment, low byte
			0x01, // bytes of the last fragment, high byte
		}, repeat(1155, 'p')), // parity
	},
	{
		"Xor channel 5 unordered seq 258 to 259, 3 bytes",
		[]Frame{{Kind: KindXor, Xor: Xor{Stream: StreamOf(5, Unordered), Seq: 258, Count: 2, Lengths: 6, Parity: []byte{7, 8, 9}}}},
		[]byte{
			0x52, // kind, count less one
			0x45, // channel, mode
			0x02, // sequence, low byte
			0x01, // sequence, high byte
			0x06, // lengths
			0x07, // parity
			0x08,
			0x09,
		},
	},
	{
		"Xor channel 0 ordered seq 65535 to 2, 255 bytes; Xor channel 63 ordered seq 0 to 2, 1 bytes",
		[]Frame{
			{Kind: KindXor, Xor: Xor{Seq: 65535, Count: 4, Parity: repeat(255, 'x')}},
			{Kind: KindXor, Xor: Xor{Stream: StreamOf(63, Ordered), Count: 3, Lengths: 255, Parity: []byte{0}}},
		},
		slices.Concat([]byte{
			0xF2, // kind, LEN, count less one
			0x00, // channel, mode
			0xFF, // sequence, low byte
			0xFF, // sequence, high byte
			0x00, // lengths
			0xFF, // length, low seven bits
			0x01, // length, high bits
		}, repeat(255, 'x'), []byte{ // parity
			0x92, // kind, count less one
			0x3F, // channel, mode
			0x00, // sequence, low byte
			0x00, // sequence, high byte
			0xFF, // lengths
			0x00, // parity
		}),
	},
	{
		"Reliable channel 0 ordered seq 9 first last, 2 bytes; Xor channel 0 ordered seq 7 to 8, 2 bytes; Unreliable channel 0, 1 bytes",
		[]Frame{
			{Kind: KindReliable, Reliable: Reliable{Seq: 9, First: true, Last: true, Payload: []byte("hi")}},
			{Kind: KindXor, Xor: Xor{Seq: 7, Count: 2, Lengths: 1, Parity: []byte{1, 2}}},
			{Kind: KindUnreliable, Unreliable: Unreliable{Payload: []byte("u")}},
		},
		[]byte{
			0x25, // kind, LEN
			0x18, // ordered, FIRST, LAST
			0x09, // sequence, low byte
			0x00, // sequence, high byte
			0x02, // length
			'h',  // message
			'i',

			0x72, // kind, LEN, count less one
			0x00, // channel, mode
			0x07, // sequence, low byte
			0x00, // sequence, high byte
			0x01, // lengths
			0x02, // length
			0x01, // parity
			0x02,

			0x04, // kind
			'u',  // message
		},
	},
	{
		"PathChallenge 0102030405060708; PathResponse f1f2f3f4f5f6f7f8; PathResponse 0000000000000000",
		[]Frame{
			{Kind: KindPathChallenge, Path: Path{Random: [8]byte{1, 2, 3, 4, 5, 6, 7, 8}}},
			{Kind: KindPathResponse, Path: Path{Random: [8]byte{0xF1, 0xF2, 0xF3, 0xF4, 0xF5, 0xF6, 0xF7, 0xF8}}},
			{Kind: KindPathResponse},
		},
		slices.Concat([]byte{
			0x18,                                           // kind
			0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08, // random

			0x19,                                           // kind
			0xF1, 0xF2, 0xF3, 0xF4, 0xF5, 0xF6, 0xF7, 0xF8, // random

			0x19, // kind
		}, repeat(8, 0)), // random
	},
	{
		"Ticket, 2 bytes; Ticket, 161 bytes; Ticket, 512 bytes",
		[]Frame{
			{Kind: KindTicket, Ticket: Ticket{PSK: [32]byte{0: 0xA0, 31: 0xA1}, Ticket: []byte("hi")}},
			{Kind: KindTicket, Ticket: Ticket{PSK: [32]byte(repeat(32, 'k')), Ticket: repeat(161, 't')}},
			{Kind: KindTicket, Ticket: Ticket{PSK: [32]byte(repeat(32, 'K')), Ticket: repeat(512, 'T')}},
		},
		slices.Concat([]byte{
			0x3A, // kind, LEN
			0xA0, // psk
		}, repeat(30, 0), []byte{
			0xA1,
			0x02, // length
			'h',  // ticket
			'i',

			0x3A, // kind, LEN
		}, repeat(32, 'k'), []byte{ // psk
			0xA1, // length, low seven bits
			0x01, // length, high bits
		}, repeat(161, 't'), []byte{ // ticket
			0x1A, // kind
		}, repeat(32, 'K'), repeat(512, 'T')), // psk, ticket
	},
	{
		"Ack 258 delay 2 bitmap ffffffff; " +
			"Clock 1; " +
			"Reliable channel 7 ordered seq 40 first last, 2 bytes; " +
			"Heartbeat; " +
			"Reliable channel 7 ordered seq 41 first last, 3 bytes; " +
			"Unreliable channel 0, 4 bytes",
		[]Frame{
			{Kind: KindAck, Ack: Ack{Form: Bitmap32, Largest: 258, Delay: 2, Bitmap: 0xFFFF_FFFF}},
			{Kind: KindClock, Clock: Clock{Time: 1}},
			{Kind: KindReliable, Reliable: Reliable{Stream: StreamOf(7, Ordered), Seq: 40, First: true, Last: true, Payload: []byte("hi")}},
			{Kind: KindHeartbeat},
			{Kind: KindReliable, Reliable: Reliable{Stream: StreamOf(7, Ordered), Seq: 41, First: true, Last: true, Payload: []byte("all")}},
			{Kind: KindUnreliable, Unreliable: Unreliable{Payload: []byte("here")}},
		},
		[]byte{
			0x46, // kind, bitmap of 32
			0x02, // largest, low byte
			0x01, // largest, high byte
			0x02, // delay
			0xFF, // bitmap, bits 0..7
			0xFF, // bitmap, bits 8..15
			0xFF, // bitmap, bits 16..23
			0xFF, // bitmap, bits 24..31

			0x11, // kind
			0x01, // time, bits 0..7
			0x00, // time, bits 8..15
			0x00, // time, bits 16..23
			0x00, // time, bits 24..31
			0x00, // time, bits 32..39
			0x00, // time, bits 40..47
			0x00, // time, bits 48..55
			0x00, // time, bits 56..63

			0x25, // kind, LEN
			0x1C, // ordered, CHANNEL, FIRST, LAST
			0x07, // channel
			0x28, // sequence, low byte
			0x00, // sequence, high byte
			0x02, // length
			'h',  // message
			'i',

			0x07, // kind

			0x25, // kind, LEN
			0x38, // FIRST, LAST, FOLLOWS: what stands between is not Reliable
			0x03, // length
			'a',  // message
			'l',
			'l',

			0x04, // kind
			'h',  // message
			'e',
			'r',
			'e',
		},
	},
	{
		strings.Repeat("Heartbeat; ", 127) + "Heartbeat",
		slices.Repeat([]Frame{{Kind: KindHeartbeat}}, 128),
		repeat(128, 0x07), // as many frames as allowed
	},
}

// title is the name of g's subtest.
func (g golden) title() string { return g.words[:min(len(g.words), 40)] }

func runs(all ...Run) Runs {
	var r Runs
	for _, run := range all {
		r = r.Append(run)
	}
	return r
}

// words is how people read the frames of a packet.
func words(frames []Frame) string {
	var all []string
	for _, f := range frames {
		all = append(all, f.String())
	}
	return strings.Join(all, "; ")
}

func TestPacketsHaveTheBytesOfTheTable(t *testing.T) {
	for _, g := range goldens {
		t.Run(g.title(), func(t *testing.T) {
			require.Equal(t, g.bytes, build(g.frames...))
		})
	}
}

func TestBytesOfTheTableParseAsTheirFrames(t *testing.T) {
	for _, g := range goldens {
		t.Run(g.title(), func(t *testing.T) {
			frames, fault := parse(g.bytes)
			require.Equal(t, Valid, fault)
			require.Equal(t, g.frames, frames)
			require.Equal(t, Valid, Check(g.bytes))
		})
	}
}

func TestPacketsReadAsTheWordsOfTheTable(t *testing.T) {
	for _, g := range goldens {
		require.Equal(t, g.words, words(g.frames))
	}
	require.Equal(t, "Kind(0)", Frame{}.String())
}

func TestTheTableHasEveryKind(t *testing.T) {
	have := map[string]bool{}
	for _, g := range goldens {
		for _, f := range g.frames {
			have[kinds[f.Kind].name] = true
		}
	}
	for k, info := range kinds {
		require.True(t, info.name == "" || have[info.name], "kind %d", k)
	}
}
