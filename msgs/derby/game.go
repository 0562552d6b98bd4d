package derby

import "github.com/gannet-net/gannet/msgs"

// GameMessage is a message of a run or an at-bat, for the game. It is lent until the function that gets it returns.
type GameMessage struct {
	From PlayerID // who sent it, at the host; at clients 0, as all comes from the host
	// Message is a pointer to one of the types of run.go and spectate.go.
	Message msgs.Message
	// At is when it happened, in seconds of the clock of this side's connections, for the messages of spectate.go that have a time. It is when
	// it came for all others, and 0 for the host's own copies.
	At float64
}

// Stats counts what a correct program could have sent and the lobby does not take. What is malformed, or in the wrong direction, is in the Stats of the router.
type Stats struct {
	Refused    uint64 // Hellos that were answered with Refuse
	Forged     uint64 // messages with the number of another player in them: PlayFeed was corrected, AtBatBegin dropped
	OutOfTurn  uint64 // of an at-bat, while no inning is played or somebody else bats; TurnEnd likewise
	OutOfPhase uint64 // ShopReady and IntroDone of players for whom nobody waits
	TooMany    uint64 // pitches with more decoys than MaxDecoys
	TooLarge   uint64 // SetBatter, and the roster would not fit into a message
	TooSlow    uint64 // players whose session was ended because a reliable message could not be queued for them
	Stale      uint64 // poses that came after a newer one, or outside an at-bat
}

const seconds = 1e-9 // of a nanosecond

// tell calls a function of the game with v, if there is one.
func tell[T any](f func(T), v T) {
	if f != nil {
		f(v)
	}
}

// onFrame makes a handler of a function that takes messages of several types.
func onFrame[T any, P interface {
	*T
	msgs.Message
}](f func(*msgs.In, msgs.Message)) msgs.Handler {
	return msgs.OnFrame(func(in *msgs.In, m P) { f(in, m) })
}
