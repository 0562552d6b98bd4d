package framing

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// golden is one frame in words, as a struct and as bytes.
type golden struct {
	words string
	frame Frame
	bytes []byte
}

var goldens = []golden{
	{
		`Connect "HRD-LOCAL-1"`,
		Frame{Kind: KindConnect, Text: []byte("HRD-LOCAL-1")},
		[]byte{
			0x01, // kind
			0x0B, // length, low byte
			0x00, // length, high byte
			'H',  // version
			'R',
			'D',
			'-',
			'L',
			'O',
			'C',
			'A',
			'L',
			'-',
			'1',
		},
	},
	{
		`Connect "!"`,
		Frame{Kind: KindConnect, Text: []byte("!")},
		[]byte{
			0x01, // kind
			0x01, // length, low byte
			0x00, // length, high byte
			0x21, // version: the first character allowed
		},
	},
	{
		`Connect "` + strings.Repeat("~", 32) + `"`,
		Frame{Kind: KindConnect, Text: repeat(32, 0x7E)},
		append([]byte{
			0x01, // kind
			0x20, // length, low byte
			0x00, // length, high byte
		}, repeat(32, 0x7E)...), // version: the last character allowed, as often as allowed
	},
	{
		"Accept id 1",
		Frame{Kind: KindAccept, PeerID: 1},
		[]byte{
			0x02, // kind
			0x01, // peer id
		},
	},
	{
		"Accept id 250",
		Frame{Kind: KindAccept, PeerID: 250},
		[]byte{
			0x02, // kind
			0xFA, // peer id
		},
	},
	{
		"Accept id 0", // the host's own: the client's state refuses it, the framing does not
		Frame{Kind: KindAccept, PeerID: 0},
		[]byte{
			0x02, // kind
			0x00, // peer id
		},
	},
	{
		`Refuse "full"`,
		Frame{Kind: KindRefuse, Text: []byte("full")},
		[]byte{
			0x03, // kind
			0x04, // length, low byte
			0x00, // length, high byte
			'f',  // reason
			'u',
			'l',
			'l',
		},
	},
	{
		`Refuse ""`,
		Frame{Kind: KindRefuse, Text: []byte{}},
		[]byte{
			0x03, // kind
			0x00, // length, low byte
			0x00, // length, high byte
		},
	},
	{
		`Refuse "né\x1b"`,
		Frame{Kind: KindRefuse, Text: []byte("né\x1b")},
		[]byte{
			0x03, // kind
			0x04, // length, low byte: bytes, not characters
			0x00, // length, high byte
			'n',  // reason
			0xC3, // 'é', first byte
			0xA9, // 'é', last byte
			0x1B, // escape, which whoever shows the reason has to remove
		},
	},
	{
		`Refuse "` + strings.Repeat("r", 1197) + `"`,
		Frame{Kind: KindRefuse, Text: repeat(1197, 'r')},
		append([]byte{
			0x03, // kind
			0xAD, // length, low byte
			0x04, // length, high byte
		}, repeat(1197, 'r')...), // reason
	},
	{
		"Unreliable, 0 bytes",
		Frame{Kind: KindUnreliable, Payload: []byte{}},
		[]byte{
			0x04, // kind
		},
	},
	{
		"Unreliable, 2 bytes",
		Frame{Kind: KindUnreliable, Payload: []byte("hi")},
		[]byte{
			0x04, // kind
			'h',  // message
			'i',
		},
	},
	{
		"Unreliable, 1199 bytes",
		Frame{Kind: KindUnreliable, Payload: repeat(1199, 'u')},
		append([]byte{
			0x04, // kind
		}, repeat(1199, 'u')...), // message
	},
	{
		"Reliable seq 0, 0 bytes",
		Frame{Kind: KindReliable, Seq: 0, Payload: []byte{}},
		[]byte{
			0x05, // kind
			0x00, // sequence, bits 0..7
			0x00, // sequence, bits 8..15
			0x00, // sequence, bits 16..23
			0x00, // sequence, bits 24..31
		},
	},
	{
		"Reliable seq 16909060, 2 bytes",
		Frame{Kind: KindReliable, Seq: 0x01020304, Payload: []byte("hi")},
		[]byte{
			0x05, // kind
			0x04, // sequence, bits 0..7
			0x03, // sequence, bits 8..15
			0x02, // sequence, bits 16..23
			0x01, // sequence, bits 24..31
			'h',  // message
			'i',
		},
	},
	{
		"Reliable seq 2147483647, 1 bytes",
		Frame{Kind: KindReliable, Seq: 2147483647, Payload: []byte("z")},
		[]byte{
			0x05, // kind
			0xFF, // sequence, bits 0..7
			0xFF, // sequence, bits 8..15
			0xFF, // sequence, bits 16..23
			0x7F, // sequence, bits 24..31
			'z',  // message
		},
	},
	{
		"Reliable seq -2147483648, 1195 bytes",
		Frame{Kind: KindReliable, Seq: -2147483648, Payload: repeat(1195, 'r')},
		append([]byte{
			0x05, // kind
			0x00, // sequence, bits 0..7
			0x00, // sequence, bits 8..15
			0x00, // sequence, bits 16..23
			0x80, // sequence, bits 24..31
		}, repeat(1195, 'r')...), // message
	},
	{
		"Ack seq 258",
		Frame{Kind: KindAck, Seq: 258},
		[]byte{
			0x06, // kind
			0x02, // sequence, bits 0..7
			0x01, // sequence, bits 8..15
			0x00, // sequence, bits 16..23
			0x00, // sequence, bits 24..31
		},
	},
	{
		"Ack seq -1",
		Frame{Kind: KindAck, Seq: -1},
		[]byte{
			0x06, // kind
			0xFF, // sequence, bits 0..7
			0xFF, // sequence, bits 8..15
			0xFF, // sequence, bits 16..23
			0xFF, // sequence, bits 24..31
		},
	},
	{
		"Heartbeat",
		Frame{Kind: KindHeartbeat},
		[]byte{
			0x07, // kind
		},
	},
	{
		"Disconnect",
		Frame{Kind: KindDisconnect},
		[]byte{
			0x08, // kind
		},
	},
}

var roles = []Role{Client, Host}

// receivers returns the roles that take frames of kind k.
func receivers(k Kind) []Role {
	switch k {
	case KindConnect:
		return []Role{Host}
	case KindAccept, KindRefuse:
		return []Role{Client}
	}
	return roles
}

func repeat(n int, c byte) []byte { return bytes.Repeat([]byte{c}, n) }

// appendFrame appends f by the function of its kind.
func appendFrame(b []byte, f Frame) []byte {
	switch f.Kind {
	case KindConnect:
		return AppendConnect(b, string(f.Text))
	case KindAccept:
		return AppendAccept(b, f.PeerID)
	case KindRefuse:
		return AppendRefuse(b, string(f.Text))
	case KindUnreliable:
		return AppendUnreliable(b, f.Payload)
	case KindReliable:
		return AppendReliable(b, f.Seq, f.Payload)
	case KindAck:
		return AppendAck(b, f.Seq)
	case KindHeartbeat:
		return AppendHeartbeat(b)
	case KindDisconnect:
		return AppendDisconnect(b)
	}
	panic("no such kind: " + f.Kind.String())
}

// title is the name of g's subtest.
func (g golden) title() string { return g.words[:min(len(g.words), 40)] }

func TestFramesHaveTheBytesOfTheTable(t *testing.T) {
	for _, g := range goldens {
		t.Run(g.title(), func(t *testing.T) {
			require.Equal(t, g.bytes, appendFrame(nil, g.frame))
		})
	}
}

func TestBytesOfTheTableParseAsTheirFrames(t *testing.T) {
	for _, g := range goldens {
		for _, at := range receivers(g.frame.Kind) {
			t.Run(g.title()+" at the "+at.String(), func(t *testing.T) {
				f, drop := Parse(g.bytes, at)
				require.Equal(t, Accepted, drop)
				require.Equal(t, g.frame, f)
			})
		}
	}
}

func TestFramesReadAsTheWordsOfTheTable(t *testing.T) {
	for _, g := range goldens {
		require.Equal(t, g.words, g.frame.String())
	}
	require.Equal(t, "Kind(0)", Frame{}.String())
}

func TestTheTableHasEveryKind(t *testing.T) {
	have := map[Kind]bool{}
	for _, g := range goldens {
		have[g.frame.Kind] = true
	}
	for k, info := range kinds {
		taken := info.atHost == Accepted || info.atClient == Accepted
		require.Equal(t, taken, have[Kind(k)], "%v", Kind(k))
	}
}
