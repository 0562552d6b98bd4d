package derby

// RoundStart begins an inning.
//
//net:message id=30 from=host states=run
type RoundStart struct {
	Inning uint8 // index, from 0
	Pool   uint8 // outs that all batters share
}

// TurnStart sends the next batter to the plate.
//
//net:message id=31 from=host states=run
type TurnStart struct {
	Batter    PlayerID
	TurnIndex uint16
	TeamScore int32
	OutsLeft  uint8
	Pool      uint8
}

// PlayFeed is a line for the feed of all players.
//
//net:message id=32 from=both states=run
type PlayFeed struct {
	Batter     PlayerID // the host writes the true sender into it
	Headline   string
	R, G, B    uint8
	TeamScore  int32
	HomeRun    bool
	WasOut     bool
	DistanceFt float32
}

// TurnEnd tells the host that a batter is done.
//
//net:message id=33 from=client states=run
type TurnEnd struct {
	ScoreGained int32
	HomeRuns    uint8   // read and ignored
	LongestFt   float32 // read and ignored
}

// RoundEnd ends an inning.
//
//net:message id=34 from=host states=run
type RoundEnd struct {
	Cleared   bool
	TeamScore int32
	OutsLeft  uint8
}

// ShopReady tells the host that a player is done in the shop.
//
//net:message id=35 from=client states=run
type ShopReady struct{}

// ReadyState is who is done in the shop.
//
//net:message id=36 from=host states=run
type ReadyState struct {
	Ready []PlayerID `net:"max=255"`
}

// IntroDone tells the host that a player has read the intro, skipped it, or does not want to see any.
//
//net:message id=37 from=client states=run
type IntroDone struct{}

// IntroProgress is who has not done so yet.
//
//net:message id=38 from=host states=run
type IntroProgress struct {
	Done, Total uint8
	Waiting     []PlayerID `net:"max=255"`
}
