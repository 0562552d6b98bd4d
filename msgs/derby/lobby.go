package derby

// Hello asks to be admitted. It is the first message of a client.
//
//net:message id=10 from=client states=joining
type Hello struct {
	Protocol string `net:"max=64"` // Catalogue.Protocol of the client
	Version  string `net:"max=64"` // of its build, for people to read
	Player   PlayerInfo
}

// Welcome admits a client, and tells it its number.
//
//net:message id=11 from=host states=joining
type Welcome struct {
	Player PlayerID
}

// Refuse ends the session of a client, before or after it was admitted.
//
//net:message id=12 from=host
type Refuse struct {
	Reason string // for people to read
}

// Roster is everybody who is there, in the order in which they were admitted.
//
//net:message id=13 from=host states=lobby,run
type Roster struct {
	Players []PlayerInfo `net:"max=255"`
}

// SetBatter chooses another batter, and what it wears.
//
//net:message id=14 from=client states=lobby,run
type SetBatter struct {
	BatterID  ItemID
	Cosmetics []ItemID `net:"max=64"`
}

// StartRun begins a run.
//
//net:message id=15 from=host states=lobby,run
type StartRun struct {
	Seed       int32
	Order      []PlayerID `net:"max=255"` // who bats, and in which order
	ParkID     ItemID
	Difficulty uint8
}

// Leave says that its sender is about to go.
//
//net:message id=16 from=both
type Leave struct{}
