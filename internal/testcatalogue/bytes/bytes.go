// Package bytes is a catalogue that uses all that codec=bytes has, so that generated code can be tried on it. No game speaks it.
//
//net:catalogue protocol=TEST-BYTES-1 codec=bytes states=lobby,playing,over reserved=17-29,39 nofuzz
package bytes

import "errors"

//go:generate go tool netgen

// Kind is an enum without gaps that begins at 0.
//
//net:enum
type Kind uint8

// The kinds.
const (
	Walker Kind = iota
	Flyer
	Swimmer
)

// Fault is a signed enum with gaps.
//
//net:enum
type Fault int16

// The faults. Unlucky is a second name of the same value.
const (
	Crash   Fault = -300
	Fine    Fault = 0
	Late    Fault = 7
	Unlucky       = Late
)

// Flags is an enum of 64 bits.
//
//net:enum
type Flags uint64

// The flags.
const (
	Low  Flags = 1
	High Flags = 1 << 40
)

// Tiny is an enum of 8 bits that has one value.
//
//net:enum
type Tiny int32

// Only is the one value of Tiny.
const Only Tiny = 3

// PlayerID is an integer with a name of its own and no constants.
type PlayerID uint8

// Name is a string with a limit of its own.
//
//net:max=20
type Name string

// ErrBlank is what Validate returns for a name of blanks.
var ErrBlank = errors.New("a name needs a letter")

// Validate refuses names that start with a blank.
func (n Name) Validate() error {
	if n != "" && n[0] == ' ' {
		return ErrBlank
	}
	return nil
}

// Vector is three floats as they are.
type Vector struct{ X, Y, Z float32 }

// Player is a struct in lists.
type Player struct {
	ID    PlayerID
	Name  Name
	Kind  Kind
	Ready bool
	Inbox []Letter `net:"max=3"`

	cached int `net:"-"`
}

// Cache keeps n in a field that is not sent.
func (p *Player) Cache(n int) { p.cached = n }

// Letter is a struct in a list in a struct in a list.
type Letter struct {
	From PlayerID
	Text string `net:"max=12"`
}

// ErrEmptyRange is what Validate returns for a span that ends before it begins.
var ErrEmptyRange = errors.New("the span ends before it begins")

// Span is a struct that checks itself.
type Span struct {
	From, To int32
}

// Validate refuses spans that end before they begin.
func (s *Span) Validate() error {
	if s.To < s.From {
		return ErrEmptyRange
	}
	return nil
}

// Scalars has a field of each number.
//
//net:message id=1 from=both delivery=unordered
type Scalars struct {
	Bool bool
	U8   uint8
	U16  uint16
	U32  uint32
	U64  uint64
	I8   int8
	I16  int16
	I32  int32
	I64  int64
	F32  float32
	F64  float64
}

// Bounds has integers with bounds.
//
//net:message id=2 from=client delivery=reliable-sequenced channel=3 ttl=1500ms urgent
type Bounds struct {
	Level   uint8    `net:"min=1,max=50"`
	Offset  int16    `net:"min=-5,max=5"`
	Percent uint16   `net:"max=100"`
	Big     uint64   `net:"min=10,max=1000000000000"`
	Owner   PlayerID `net:"max=7"`
	Floor   int64    `net:"min=0"`
}

// Enums has enums alone, in arrays and in lists.
//
//net:message id=3 from=host states=playing,over
type Enums struct {
	Kind   Kind
	Fault  Fault
	Flags  Flags
	Only   Tiny
	Grid   [2][3]Kind
	Faults []Fault `net:"max=4"`
}

// Texts has strings and bytes.
//
//net:message id=4 from=both
type Texts struct {
	Text    string
	Short   string `net:"max=5"`
	Name    Name
	Blob    []byte
	Key     []byte   `net:"max=8"`
	Lines   []string `net:"max=3"`
	Hash    [4]byte
	Strange []PlayerID `net:"max=300"`
}

// Roster has structs in structs.
//
//net:message id=5 from=host states=lobby
type Roster struct {
	Leader  Player
	Players []Player `net:"max=8"`
	Corners [2]Vector
	Span    Span
	Scores  [12]uint16
}

// Result has a tail that is there only sometimes. It has about 100 bytes with it.
//
//net:message id=6 from=host delivery=unordered channel=1
type Result struct {
	Round  uint32
	Won    bool
	Hit    bool
	Points int32   `net:"if=Hit"`
	Where  Vector  `net:"if=Hit"`
	By     Name    `net:"if=Hit"`
	Kinds  []Kind  `net:"if=Hit,max=16"`
	Spread [4]int8 `net:"if=Hit"`
	Why    Fault   `net:"if=Hit"`
	Last   bool
	Note   string `net:"if=Last,max=30"`
	Twice  bool   `net:"if=Last"`
	Extra  uint64 `net:"if=Twice"`
}

// Pose is where a player is and what the hands do: 41 bytes, many times a second.
//
//net:message id=41 from=client delivery=unreliable states=playing
type Pose struct {
	T         float32
	AimX      float32
	AimY      float32
	Hands     Vector
	Direction Vector
	Twist     float32
}

// Sealed carries bytes that are somebody else's to read, to the end of the message.
//
//net:message id=7 from=client delivery=sequenced channel=2
type Sealed struct {
	To   PlayerID
	Rest []byte `net:"rest"`
}

// Snapshot can be lost and is larger than a packet.
//
//net:message id=8 from=host delivery=unreliable large
type Snapshot struct {
	Tick  uint32
	Cells []uint16 `net:"max=1000"`
}

// Ready has no fields.
//
//net:message id=9 from=both
type Ready struct{}

// Window checks itself, and notes that it did in a field that is not sent.
//
//net:message id=10 from=both
type Window struct {
	Span Span
	Name string `net:"max=4"`

	seen bool `net:"-"`
}

// Validate refuses a window without a name that begins below 0.
func (w *Window) Validate() error {
	w.seen = true
	if w.Span.From < 0 && w.Name == "" {
		return ErrBlank
	}
	return nil
}
