// Package msgpack has the two messages of the comparison for tinylib/msgp, as arrays: the shorter of its two forms.
package msgpack

//go:generate go tool msgp -tests=false

//msgp:tuple Vec2 Vec3 Pose Result

// Vec2 and Vec3 are plain floats.
type (
	Vec2 struct{ X, Y float32 }
	Vec3 struct{ X, Y, Z float32 }
)

// Pose is how a player stands.
type Pose struct {
	T         float32
	Aim       Vec2
	Hands     Vec3
	Direction Vec3
	Twist     float32
}

// Result is what came of a turn.
type Result struct {
	At        float64
	Player    uint8
	Name      string
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
	Direction Vec3
	Distance  float32
	Hits      []uint16
}
