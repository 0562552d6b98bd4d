// Package aligned has the two messages of the comparison on the byte-aligned codec.
//
//net:catalogue protocol=BENCH-1 nofuzz
package aligned

//go:generate go tool netgen

// Vec2 and Vec3 are plain floats.
type (
	Vec2 struct{ X, Y float32 }
	Vec3 struct{ X, Y, Z float32 }
)

// Pose is how a player stands: 40 bytes of fields.
//
//net:message id=1 from=client delivery=unreliable
type Pose struct {
	T         float32
	Aim       Vec2
	Hands     Vec3
	Direction Vec3
	Twist     float32
}

// Result is what came of a turn: 100 bytes of fields with the name and the hits that Sample has.
//
//net:message id=2 from=host
type Result struct {
	At        float64
	Player    uint8
	Name      string `net:"max=32"`
	Outcome   uint8
	Score     int32
	Streak    uint16
	Green     bool
	Speed     float32
	Launch    float32
	Spray     float32
	Zone      uint8
	Aim       Vec2
	Ball      Vec3
	Contact   bool
	Direction Vec3     `net:"if=Contact"`
	Distance  float32  `net:"if=Contact"`
	Hits      []uint16 `net:"max=16"`
}
