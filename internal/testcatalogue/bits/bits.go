// Package bits is a catalogue that uses all that codec=bits has, so that generated code can be tried on it. No game speaks it.
//
//net:catalogue protocol=TEST-BITS-2 codec=bits states=lobby,playing hostids=40 clientids=33 nofuzz
package bits

//go:generate go tool netgen

// Latch is an enum that takes 2 bits.
//
//net:enum
type Latch uint8

// The latches.
const (
	Open Latch = iota
	Closed
	Locked
)

// One is an enum that takes no bit.
//
//net:enum
type One uint8

// Single is the one value of One.
const Single One = 0

// Door is an enum of 64 bits that takes 1.
//
//net:enum
type Door uint64

// The doors.
const (
	Left Door = iota
	Right
)

// Place is a position in 3 x 22 bits.
//
//net:fixed int=13 frac=9
type Place struct{ X, Y, Z float32 }

// Heading is a direction without height.
//
//net:yawunit bits=12
type Heading struct{ X, Y, Z float32 }

// Motion is a velocity without height.
//
//net:yawvec bits=12
type Motion struct{ X, Y, Z float32 }

// Normal is a unit vector.
//
//net:unit bits=10
type Normal struct{ X, Y, Z float64 }

// Turn is a rotation.
//
//net:quat bits=10
type Turn struct{ X, Y, Z, W float32 }

// Stand is a rotation that is most often one about Y.
//
//net:yawquat yaw=9 bits=10
type Stand struct{ X, Y, Z, W float64 }

// Paint is a colour.
//
//net:rgb
type Paint struct{ R, G, B uint8 }

// Glass is a colour that light goes through.
//
//net:rgba
type Glass struct{ R, G, B, A uint8 }

// Ident is the id of a thing for ever.
//
//net:guid
type Ident [16]byte

// Angle is in degrees.
//
//net:degrees bits=12
type Angle float32

// Share is a part of a whole.
//
//net:unorm bits=8
type Share float64

// Small is an integer of 5 bits.
//
//net:bits=5
type Small uint8

// Plain is a struct without a form of its own.
type Plain struct {
	Turned bool
	Angle  Angle `net:"if=Turned"`
	Latch  Latch
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

// Widths has integers of their own widths, with and without bounds.
//
//net:message id=2 from=client delivery=reliable-sequenced channel=3 ttl=2s
type Widths struct {
	One    uint8 `net:"bits=1"`
	Small  Small
	Level  uint16 `net:"bits=10,max=999"`
	Wide   uint32 `net:"bits=32"`
	Offset int16  `net:"bits=9"`
	Deep   int32  `net:"bits=20,min=-300000,max=300000"`
	Big    int64  `net:"min=-9,max=9"`
	Latch  Latch
	Single One
}

// Floats has floats in all forms.
//
//net:message id=3 from=host
type Floats struct {
	Up      float32 `net:"ufixed,int=0,frac=16"`
	Height  float64 `net:"ufixed,int=10,frac=20"`
	Depth   float32 `net:"fixed,int=8,frac=8"`
	Share   Share
	Lean    float32 `net:"snorm,bits=9"`
	Compass Angle
	Coarse  Angle   `net:"degrees,bits=5"`
	Phase   float64 `net:"radians,bits=16"`
}

// Vectors has all structs that travel as one value.
//
//net:message id=4 from=host states=playing
type Vectors struct {
	At     Place
	Coarse Place `net:"fixed,int=13,frac=2"`
	Look   Normal
	Ahead  Heading
	Speed  Motion
	Turn   Turn
	Stand  Stand
	Paint  Paint
	Glass  Glass
	ID     Ident
	Other  [16]byte `net:"guid"`
}

// Texts has what begins at byte borders.
//
//net:message id=5 from=both
type Texts struct {
	Flag  bool
	Text  string
	Short string `net:"lenbits=4"`
	Tight string `net:"lenbits=6,max=50"`
	Blob  []byte
	Key   []byte   `net:"max=8"`
	Lines []string `net:"max=3"`
	Raw   [3]byte
}

// Lists has lists and arrays.
//
//net:message id=6 from=host delivery=sequenced channel=2
type Lists struct {
	Path    []Place `net:"max=5"`
	Flags   []bool  `net:"max=40"`
	Levels  []uint8 `net:"max=10,bits=5"`
	Latches [3]Latch
	Rows    [2][2]Small
	Parts   []Plain `net:"max=4"`
	Part    Plain
}

// Pose is where a player is and what the hands do, many times a second.
//
//net:message id=32 from=client delivery=unreliable states=playing
type Pose struct {
	T         float32
	AimX      Angle
	AimY      Angle
	Hands     Place
	Direction Normal
	Twist     float32 `net:"snorm,bits=8"`
}

// Strike is the host's own message 32.
//
//net:message id=32 from=host delivery=unordered urgent
type Strike struct {
	Tick  uint32 `net:"bits=24"`
	Hit   bool
	Where Place  `net:"if=Hit"`
	Force Motion `net:"if=Hit"`
	Names []Name `net:"if=Hit,max=3"`
	Note  string `net:"if=Hit,lenbits=5"`
}

// Name is a string with a limit of its own.
//
//net:lenbits=4
type Name string

// Doors has an enum of which an int may hold only half.
//
//net:message id=7 from=client
type Doors struct {
	Door  Door
	Doors [2]Door
}

// Ready has no fields.
//
//net:message id=0 from=both
type Ready struct{}
