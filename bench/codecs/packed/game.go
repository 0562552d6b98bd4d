// Package packed has the two messages of the comparison on the bit-packed codec, with as many bits as a game needs.
//
//net:catalogue protocol=BENCH-1 codec=bits nofuzz
package packed

//go:generate go tool netgen

type (
	// Vec2 is a point on the screen.
	Vec2 struct {
		X float32 `net:"fixed,int=3,frac=9"`
		Y float32 `net:"fixed,int=3,frac=9"`
	}
	// Vec3 is a point in a field of 1,024 m, to 8 mm.
	//
	//net:fixed int=10 frac=7
	Vec3 struct{ X, Y, Z float32 }
	// Direction has length 1.
	//
	//net:unit bits=10
	Direction struct{ X, Y, Z float32 }
)

// Pose is how a player stands.
//
//net:message id=0 from=client delivery=unreliable
type Pose struct {
	T         float32
	Aim       Vec2
	Hands     Vec3
	Direction Direction
	Twist     float32 `net:"radians,bits=10"`
}

// Result is what came of a turn.
//
//net:message id=0 from=host
type Result struct {
	At        float64
	Player    uint8
	Name      string `net:"max=32,lenbits=5"`
	Outcome   uint8  `net:"bits=3"`
	Score     int32  `net:"bits=20"`
	Streak    uint16 `net:"bits=8"`
	Green     bool
	Speed     float32 `net:"ufixed,int=8,frac=5"`
	Launch    float32 `net:"fixed,int=8,frac=5"`
	Spray     float32 `net:"fixed,int=8,frac=5"`
	Zone      uint8   `net:"bits=4"`
	Aim       Vec2
	Ball      Vec3
	Contact   bool
	Direction Direction `net:"if=Contact"`
	Distance  float32   `net:"ufixed,int=10,frac=3,if=Contact"`
	Hits      []uint16  `net:"max=16"`
}
