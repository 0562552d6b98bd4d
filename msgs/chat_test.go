package msgs_test

import (
	"errors"

	"github.com/gannet-net/gannet/msgs"
	"github.com/gannet-net/gannet/msgs/layout"
	"github.com/gannet-net/gannet/transport"
	"github.com/gannet-net/gannet/wire"
)

// chat is a catalogue in the shape of generated code.
var chat = msgs.Catalogue{
	Name:     "chat",
	Protocol: "CHAT-1",
	Codec:    layout.Bytes,
	States:   []string{"lobby", "playing"},
	Entries: []msgs.Entry{
		{ID: 1, Name: "Say", From: msgs.Both, Delivery: transport.ReliableOrdered, MinSize: 4, MaxSize: 204},
		{ID: 2, Name: "Move", From: msgs.Client, Delivery: transport.Unreliable, MinSize: 9, MaxSize: 9},
		{ID: 3, Name: "World", From: msgs.Host, Delivery: transport.Unreliable, States: 2, MinSize: 6, MaxSize: 516},
		{ID: 4, Name: "Ready", From: msgs.Client, Delivery: transport.ReliableOrdered, MinSize: 1, MaxSize: 1},
		{ID: 5, Name: "Shoot", From: msgs.Client, Delivery: transport.ReliableOrdered, States: 2, MinSize: 2, MaxSize: 2},
		{ID: 7, Name: "Map", From: msgs.Host, Delivery: transport.ReliableUnordered, Channel: 1, MinSize: 1, MaxSize: 5001},
	},
	Description: `catalogue chat protocol CHAT-1 codec bytes
states lobby playing
message 1 Say from both delivery ordered channel 0
  From uint8
  Text text max=200
message 2 Move from client delivery unreliable channel 0
  X int32
  Y int32
message 3 World from host delivery unreliable channel 0 states playing
  Frame uint32
  Scores list max=255
    - uint16
message 4 Ready from client delivery ordered channel 0
message 5 Shoot from client delivery ordered channel 0 states playing
  At uint8
message 7 Map from host delivery unordered channel 1
  Tiles rest
`,
}

var (
	lobby   = msgs.State{Catalogue: &chat, Bit: 0}
	playing = msgs.State{Catalogue: &chat, Bit: 1}
)

// Say is what somebody says.
type Say struct {
	From uint8
	Text string
}

func (*Say) Descriptor() msgs.Descriptor {
	return msgs.Descriptor{Catalogue: &chat, Entry: &chat.Entries[0]}
}

func (m *Say) Validate() error {
	if m.Text == "forbidden" {
		return errors.New("Text is \u202eforbidden\n")
	}
	return nil
}

func (m *Say) Append(b []byte) ([]byte, error) {
	if err := m.Validate(); err != nil {
		return b, msgs.Invalid(m.Descriptor(), err)
	}
	if len(m.Text) > 200 {
		return b, msgs.Blame(m.Descriptor(), []byte{1, m.From}, -1, wire.ErrLimit)
	}
	return wire.AppendString(append(b, 1, m.From), m.Text)
}

func (m *Say) Parse(b []byte) error {
	r := wire.NewReader(b)
	r.Uint8()
	m.From = r.Uint8()
	if text := r.String(); string(text) != m.Text {
		m.Text = string(text)
	}
	if r.Err() != nil {
		return msgs.Blame(m.Descriptor(), b, r.Offset(), r.Err())
	}
	if err := m.Validate(); err != nil {
		return msgs.Invalid(m.Descriptor(), err)
	}
	return atEnd(m.Descriptor(), b, &r)
}

func (m Say) Send(to msgs.Target) error {
	b, err := (&m).Append(to.Buffer())
	return to.SendEncoded((&m).Descriptor(), b, err)
}

// Move is where a player goes.
type Move struct{ X, Y int32 }

func (*Move) Descriptor() msgs.Descriptor {
	return msgs.Descriptor{Catalogue: &chat, Entry: &chat.Entries[1]}
}

func (m *Move) Append(b []byte) ([]byte, error) {
	return wire.AppendInt32(wire.AppendInt32(append(b, 2), m.X), m.Y), nil
}

func (m *Move) Parse(b []byte) error {
	r := wire.NewReader(b)
	r.Uint8()
	m.X, m.Y = r.Int32(), r.Int32()
	return atEnd(m.Descriptor(), b, &r)
}

func (m Move) Send(to msgs.Target) error {
	b, err := (&m).Append(to.Buffer())
	return to.SendEncoded((&m).Descriptor(), b, err)
}

// World is the state of the world.
type World struct {
	Frame  uint32
	Scores []uint16
}

func (*World) Descriptor() msgs.Descriptor {
	return msgs.Descriptor{Catalogue: &chat, Entry: &chat.Entries[2]}
}

func (m *World) Append(b []byte) ([]byte, error) {
	b = append(wire.AppendUint32(append(b, 3), m.Frame), uint8(len(m.Scores)))
	for _, score := range m.Scores {
		b = wire.AppendUint16(b, score)
	}
	return b, nil
}

func (m *World) Parse(b []byte) error {
	r := wire.NewReader(b)
	r.Uint8()
	m.Frame = r.Uint32()
	n := int(r.Uint8())
	m.Scores = m.Scores[:0]
	for range n {
		m.Scores = append(m.Scores, r.Uint16())
	}
	return atEnd(m.Descriptor(), b, &r)
}

func (m World) Send(to msgs.Target) error {
	b, err := (&m).Append(to.Buffer())
	return to.SendEncoded((&m).Descriptor(), b, err)
}

// Ready says that a player is.
type Ready struct{}

func (*Ready) Descriptor() msgs.Descriptor {
	return msgs.Descriptor{Catalogue: &chat, Entry: &chat.Entries[3]}
}

func (m *Ready) Append(b []byte) ([]byte, error) { return append(b, 4), nil }

func (m *Ready) Parse(b []byte) error {
	r := wire.NewReader(b)
	r.Uint8()
	return atEnd(m.Descriptor(), b, &r)
}

func (m Ready) Send(to msgs.Target) error {
	b, err := (&m).Append(to.Buffer())
	return to.SendEncoded((&m).Descriptor(), b, err)
}

// Shoot is a shot at a player.
type Shoot struct{ At uint8 }

func (*Shoot) Descriptor() msgs.Descriptor {
	return msgs.Descriptor{Catalogue: &chat, Entry: &chat.Entries[4]}
}

func (m *Shoot) Append(b []byte) ([]byte, error) { return append(b, 5, m.At), nil }

func (m *Shoot) Parse(b []byte) error {
	r := wire.NewReader(b)
	r.Uint8()
	m.At = r.Uint8()
	return atEnd(m.Descriptor(), b, &r)
}

func (m Shoot) Send(to msgs.Target) error {
	b, err := (&m).Append(to.Buffer())
	return to.SendEncoded((&m).Descriptor(), b, err)
}

// Map is where all play.
type Map struct{ Tiles []byte }

func (*Map) Descriptor() msgs.Descriptor {
	return msgs.Descriptor{Catalogue: &chat, Entry: &chat.Entries[5]}
}

func (m *Map) Append(b []byte) ([]byte, error) { return append(append(b, 7), m.Tiles...), nil }

func (m *Map) Parse(b []byte) error {
	m.Tiles = append(m.Tiles[:0], b[1:]...)
	return nil
}

func (m Map) Send(to msgs.Target) error {
	b, err := (&m).Append(to.Buffer())
	return to.SendEncoded((&m).Descriptor(), b, err)
}

func atEnd(d msgs.Descriptor, b []byte, r *wire.Reader) error {
	if r.Err() != nil {
		return msgs.Blame(d, b, r.Offset(), r.Err())
	}
	if r.Len() > 0 {
		return msgs.Unread(d, len(b), r.Len())
	}
	return nil
}

// encoded is the bytes of a message.
func encoded(m msgs.Message) []byte {
	b, err := m.Append(nil)
	if err != nil {
		panic(err)
	}
	return b
}
