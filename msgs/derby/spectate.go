package derby

import "time"

// PoseInterval is how often a batter sends AtBatPose.
const PoseInterval = time.Second / 30

// AtBatBegin shows spectators a batter at the plate.
//
// All times in the messages of an at-bat are seconds of the batter's clock, and GameMessage.At what they are on that of who sees it.
//
//net:message id=40 from=both states=run
type AtBatBegin struct {
	Batter       PlayerID
	BatUpgradeID ItemID
	Outs         uint8
	RingRadius   float32
	TeamScore    int32
}

// AtBatPose is where the bat is: 41 bytes, each PoseInterval.
//
//net:message id=41 from=both states=run delivery=unreliable
type AtBatPose struct {
	T         float32
	Aim       Vec2
	Hands     Vec3
	Direction Vec3
	Twist     float32
}

// AtBatPitch is a ball on its way to the plate.
//
//net:message id=42 from=both states=run
type AtBatPitch struct {
	At            float32
	PitchTypeID   ItemID
	Release       Vec3
	PlateLocation Vec3
	SpeedMph      float32
	ReleaseTime   float32
	FlightTime    float32
	Wobble        float32
	IsInZone      bool
	Effect        uint8
	BossEffect    uint8
	ArcAngle      float32
	Decoys        []Vec3 `net:"max=255"` // HostConfig.MaxDecoys may allow fewer
}

// AtBatSwing is the moment of a swing.
//
//net:message id=43 from=both states=run
type AtBatSwing struct {
	PressTime float32
}

// AtBatResult is what became of a pitch. The fields after MadeContact are there only if the bat met the ball.
//
//net:message id=44 from=both states=run
type AtBatResult struct {
	At              float32
	Outcome         uint8
	TimingOffset    float32
	TimingQuality   float32
	ContactQuality  float32
	Quality         float32
	IsGreen         bool
	GreenStreak     uint8 // see ClampStreak
	ExitVelocityMph float32
	LaunchAngleDeg  float32
	SprayAngleDeg   float32
	Zone            uint8
	HitAim          Vec2
	CurveAccel      float32
	GravityScale    float32

	MadeContact  bool
	ContactTime  float32 `net:"if=MadeContact"`
	BallPosition Vec3    `net:"if=MadeContact"`
	BatDirection Vec3    `net:"if=MadeContact"`
	Score        int32   `net:"if=MadeContact"`
	IsHomeRun    bool    `net:"if=MadeContact"`
	IsFair       bool    `net:"if=MadeContact"`
	DistanceFt   float32 `net:"if=MadeContact"`
}

// ClampStreak is a streak of any length as GreenStreak has it: 0 to 255.
func ClampStreak(n int) uint8 { return uint8(max(0, min(n, 255))) }
