package msgstest

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"unicode/utf8"

	"github.com/gannet-net/gannet/msgs"
	"github.com/gannet-net/gannet/msgs/layout"
	"github.com/gannet-net/gannet/wire"
)

// roster is a catalogue in the shape of generated code.
var roster = catalogueOf(`catalogue roster protocol ROSTER-1 codec bytes
states lobby
message 7 Roster from host delivery ordered channel 0 states lobby
  Round uint8 min=1 max=9
  Open bool
  Note text max=16 if=Open
  Speed float32
  Team enum8 values=1..2,4
  Low uint16
  High uint16
  Names list max=8
    - text max=16
  Marks list max=60000
    - uint64
  Raw blob max=32
`)

// catalogueOf returns the catalogue of a description.
func catalogueOf(description string) *msgs.Catalogue {
	l, err := layout.Parse(description)
	if err != nil {
		panic(err)
	}
	c := &msgs.Catalogue{Name: l.Name, Protocol: l.Protocol, Codec: l.Codec, HostIDs: l.HostIDs, ClientIDs: l.ClientIDs, States: l.States,
		Fingerprint: layout.Fingerprint(description), Description: description}
	for i := range l.Messages {
		c.Entries = append(c.Entries, entryOf(l, &l.Messages[i]))
	}
	return c
}

// flaw is a mistake that a Roster makes.
type flaw interface{ flaw() string }

type (
	none              struct{}
	anyBool           struct{}
	anyFloat          struct{}
	anyEnum           struct{}
	anyRange          struct{}
	anyText           struct{}
	anyLength         struct{}
	claims            struct{}
	forgets           struct{}
	swaps             struct{}
	unread            struct{}
	keepsItems        struct{}
	keepsNote         struct{}
	keepsBytes        struct{}
	panics            struct{}
	refuses           struct{}
	nameless          struct{}
	sendsNaN          struct{}
	sendsLong         struct{}
	sendsUndeclared   struct{}
	placeless         struct{}
	returnsPart       struct{}
	allocates         struct{}
	dropsPrefix       struct{}
	unreadIsMalformed struct{}
)

func (none) flaw() string              { return "none" }
func (anyBool) flaw() string           { return "anyBool" }
func (anyFloat) flaw() string          { return "anyFloat" }
func (anyEnum) flaw() string           { return "anyEnum" }
func (anyRange) flaw() string          { return "anyRange" }
func (anyText) flaw() string           { return "anyText" }
func (anyLength) flaw() string         { return "anyLength" }
func (claims) flaw() string            { return "claims" }
func (forgets) flaw() string           { return "forgets" }
func (swaps) flaw() string             { return "swaps" }
func (unread) flaw() string            { return "unread" }
func (keepsItems) flaw() string        { return "keepsItems" }
func (keepsNote) flaw() string         { return "keepsNote" }
func (keepsBytes) flaw() string        { return "keepsBytes" }
func (panics) flaw() string            { return "panics" }
func (refuses) flaw() string           { return "refuses" }
func (nameless) flaw() string          { return "nameless" }
func (sendsNaN) flaw() string          { return "sendsNaN" }
func (sendsLong) flaw() string         { return "sendsLong" }
func (sendsUndeclared) flaw() string   { return "sendsUndeclared" }
func (placeless) flaw() string         { return "placeless" }
func (returnsPart) flaw() string       { return "returnsPart" }
func (allocates) flaw() string         { return "allocates" }
func (dropsPrefix) flaw() string       { return "dropsPrefix" }
func (unreadIsMalformed) flaw() string { return "unreadIsMalformed" }

// Roster makes the mistake of F, and is correct otherwise.
type Roster[F flaw] struct {
	Round     uint8
	Open      bool
	Note      string
	Speed     float32
	Team      uint8
	Low, High uint16
	Names     []string
	Marks     []uint64
	Raw       []byte
}

func has[F flaw](name string) bool {
	var f F
	return f.flaw() == name
}

func sampleOf[F flaw]() *Roster[F] {
	return &Roster[F]{Round: 3, Open: true, Note: "Zoë", Speed: 1.5, Team: 2, Low: 1, High: 2, Names: []string{"a", "bcd"}, Marks: []uint64{1, 1 << 40},
		Raw: []byte{1, 2, 3}}
}

func samplesOf[F flaw]() []msgs.Message {
	few := sampleOf[F]()
	few.Names, few.Marks, few.Open, few.Note = nil, nil, false, ""
	return []msgs.Message{sampleOf[F](), few}
}

func (*Roster[F]) Descriptor() msgs.Descriptor {
	return msgs.Descriptor{Catalogue: roster, Entry: &roster.Entries[0]}
}

var scratch []byte

func (m *Roster[F]) Append(b []byte) ([]byte, error) {
	if has[F]("allocates") {
		scratch = make([]byte, 10)
	}
	start := b
	if has[F]("dropsPrefix") {
		b = nil
	}
	w := wire.NewWriter(b)
	w.Uint8(7)
	if m.Round < 1 || m.Round > 9 {
		w.Fail(wire.ErrRange)
	}
	w.Uint8(m.Round)
	w.Bool(m.Open)
	if m.Open {
		w.Text(m.Note, limit[F]("sendsLong", 16))
	}
	if has[F]("sendsNaN") {
		w.Uint32(math.Float32bits(m.Speed))
	} else {
		w.Float32(m.Speed)
	}
	if m.Team != 1 && m.Team != 2 && m.Team != 4 && !has[F]("sendsUndeclared") {
		w.Fail(wire.ErrEnum)
	}
	w.Uint8(m.Team)
	low, high := m.Low, m.High
	if has[F]("swaps") {
		low, high = high, low
	}
	w.Uint16(low)
	w.Uint16(high)
	m.appendLists(&w)
	if err := w.Err(); err != nil {
		if has[F]("returnsPart") {
			start = w.Bytes()
		}
		return start, m.sendError(w.Bytes()[len(start):], err)
	}
	return w.Bytes(), nil
}

// limit is the limit of the description, or none in a message with that flaw.
func limit[F flaw](without string, n int) int {
	if has[F](without) {
		return 60_000
	}
	return n
}

func (m *Roster[F]) appendLists(w *wire.Writer) {
	w.Count(len(m.Names), 8)
	for _, name := range m.Names {
		w.Text(name, 16)
	}
	w.Count(len(m.Marks), 60_000)
	for _, mark := range m.Marks {
		w.Uint64(mark)
	}
	w.Blob(m.Raw, 32)
}

func (m *Roster[F]) sendError(b []byte, err error) error {
	if has[F]("placeless") {
		return fmt.Errorf("message Roster: %w", err)
	}
	return msgs.Blame(m.Descriptor(), b, -1, err)
}

func (m *Roster[F]) Parse(b []byte) error {
	if has[F]("panics") {
		_ = b[20]
	}
	r := wire.NewReader(b)
	r.Uint8()
	m.parseNumbers(&r)
	m.parseLists(&r)
	left := r.Len()
	if err := r.Err(); err != nil {
		if has[F]("nameless") {
			return err
		}
		return msgs.Blame(m.Descriptor(), b, r.Offset(), err)
	}
	switch {
	case left > 0 && has[F]("unreadIsMalformed"):
		return msgs.Blame(m.Descriptor(), b, r.Offset(), wire.ErrLimit)
	case left > 0 && !has[F]("unread"):
		return msgs.Unread(m.Descriptor(), len(b), left)
	case has[F]("refuses") && m.Low == 0:
		return errors.New("Roster: the generated code does not like it")
	}
	return nil
}

func (m *Roster[F]) parseNumbers(r *wire.Reader) {
	m.Round = r.Uint8()
	if (m.Round < 1 || m.Round > 9) && !has[F]("anyRange") {
		r.Fail(wire.ErrRange)
	}
	if has[F]("anyBool") {
		m.Open = r.Uint8() != 0
	} else {
		m.Open = r.Bool()
	}
	if m.Open {
		if note := r.Text(limit[F]("anyLength", 16)); string(note) != m.Note {
			m.Note = string(note)
		}
	} else if !has[F]("keepsNote") {
		m.Note = ""
	}
	if has[F]("anyFloat") {
		m.Speed = math.Float32frombits(r.Uint32())
	} else {
		m.Speed = r.Float32()
	}
	m.Team = r.Uint8()
	if m.Team != 1 && m.Team != 2 && m.Team != 4 && !has[F]("anyEnum") {
		r.Fail(wire.ErrEnum)
	}
	m.Low, m.High = r.Uint16(), r.Uint16()
	if has[F]("forgets") {
		m.Low = 0
	}
	if has[F]("swaps") {
		m.Low, m.High = m.High, m.Low
	}
}

func (m *Roster[F]) parseLists(r *wire.Reader) {
	before := m.Names
	if !has[F]("keepsItems") {
		m.Names = m.Names[:0]
	}
	for range r.Count(8, 16) {
		name := r.Blob(16)
		if !utf8.Valid(name) && !has[F]("anyText") {
			r.Fail(wire.ErrText)
		}
		m.Names = appendName(m.Names, before, name)
	}
	if has[F]("claims") {
		n := int(r.Uint16())
		m.Marks = make([]uint64, min(n, 60_000))
		if n > 60_000 {
			r.Fail(wire.ErrLimit)
		}
	} else {
		n := r.Count(60_000, 64)
		m.Marks = slices.Grow(m.Marks[:0], n)[:n]
	}
	for i := range m.Marks {
		m.Marks[i] = r.Uint64()
	}
	raw := r.Blob(32)
	if has[F]("keepsBytes") {
		m.Raw = raw
		return
	}
	m.Raw = append(m.Raw[:0], raw...)
}

// appendName appends name, with the memory of the string that stood there before if it is the same.
func appendName(names, before []string, name []byte) []string {
	if i := len(names); i < len(before) && before[i] == string(name) {
		return append(names, before[i])
	}
	return append(names, string(name))
}

func (*Roster[F]) flawName() string {
	var f F
	return f.flaw()
}
