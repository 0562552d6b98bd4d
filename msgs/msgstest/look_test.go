package msgstest

import (
	"unicode/utf8"

	"github.com/gannet-net/gannet/msgs"
	"github.com/gannet-net/gannet/wire"
)

// arena is a catalogue of codec Bits in the shape of generated code.
var arena = catalogueOf(`catalogue arena protocol ARENA-1 codec bits hostids 0 clientids 9
message 8 Look from client delivery unreliable channel 0
  Kind enum8 values=0..4
  Turn quat bits=9
  Name text lenbits=5 max=20
  Slots list max=7
    - uint bits=4
  Level int bits=5 min=-3 max=3
`)

type (
	anyPadding   struct{}
	anyAlignment struct{}
	anyRotation  struct{}
)

func (anyPadding) flaw() string   { return "anyPadding" }
func (anyAlignment) flaw() string { return "anyAlignment" }
func (anyRotation) flaw() string  { return "anyRotation" }

// Look makes the mistake of F, and is correct otherwise.
type Look[F flaw] struct {
	Kind  uint8
	Turn  quat
	Name  string
	Slots []uint8
	Level int8
}

type quat struct{ X, Y, Z, W float64 }

func lookOf[F flaw]() *Look[F] {
	return &Look[F]{Kind: 4, Turn: quat{0.1, 0.7, -0.1, 0.7}, Name: "arch", Slots: []uint8{1, 15, 7}, Level: -3}
}

func (*Look[F]) Descriptor() msgs.Descriptor {
	return msgs.Descriptor{Catalogue: arena, Entry: &arena.Entries[0]}
}

func (m *Look[F]) Append(b []byte) ([]byte, error) {
	w := wire.NewBitWriter(b)
	w.Bits(8, 4)
	w.Enum(int(m.Kind), 5)
	w.Quat(m.Turn.X, m.Turn.Y, m.Turn.Z, m.Turn.W, 9)
	w.Text(m.Name, 20, 5)
	w.Count(len(m.Slots), 7)
	for _, slot := range m.Slots {
		w.Uint(uint32(slot), 4)
	}
	if m.Level < -3 || m.Level > 3 {
		w.Fail(wire.ErrRange)
	}
	w.Int(int32(m.Level), 5)
	if err := w.Err(); err != nil {
		return b, msgs.Blame(m.Descriptor(), w.Bytes()[len(b):], w.Offset(), err)
	}
	return w.Bytes(), nil
}

func (m *Look[F]) Parse(b []byte) error {
	r := wire.NewBitReader(b)
	r.Bits(4)
	if has[F]("anyEnum") {
		m.Kind = uint8(r.Bits(3))
	} else {
		m.Kind = uint8(r.Enum(5))
	}
	if has[F]("anyRotation") {
		r.Bits(29)
	} else {
		m.Turn.X, m.Turn.Y, m.Turn.Z, m.Turn.W = r.Quat(9)
	}
	if name := m.parseName(&r); string(name) != m.Name {
		m.Name = string(name)
	}
	m.Slots = m.Slots[:0]
	for range r.Count(7, 4) {
		m.Slots = append(m.Slots, uint8(r.Uint(4)))
	}
	if m.Level = int8(r.Int(5)); m.Level < -3 || m.Level > 3 {
		r.Fail(wire.ErrRange)
	}
	left := r.Len()
	if !has[F]("anyPadding") {
		left = r.Unread()
	}
	if err := r.Err(); err != nil {
		return msgs.Blame(m.Descriptor(), b, r.Offset(), err)
	}
	if left > 0 && !has[F]("unread") {
		return msgs.Unread(m.Descriptor(), len(b), left)
	}
	return nil
}

// parseName reads a Text by hand, if it is not to look at the padding before it.
func (m *Look[F]) parseName(r *wire.BitReader) []byte {
	if !has[F]("anyAlignment") {
		return r.Text(20, 5)
	}
	if r.Bool() {
		return nil
	}
	n := int(r.Bits(5)) + 1
	if n > 20 {
		r.Fail(wire.ErrLimit)
	}
	r.Bits(-r.Offset() & 7)
	name := r.Raw(n)
	if !utf8.Valid(name) {
		r.Fail(wire.ErrText)
	}
	return name
}
