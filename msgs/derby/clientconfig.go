package derby

import (
	"errors"
	"log/slog"

	"github.com/gannet-net/gannet/msgs"
)

// ClientConfig says who joins, and what is to be told. Every zero field takes its default. Functions are called from Pump and RunFrame of the router, or from the method of
// Client that caused the call, and may use the Client.
type ClientConfig struct {
	// Version is that of the build, for people to read if the host refuses it.
	Version string
	// Self is the player. ID and Connected are ignored.
	Self PlayerInfo
	// MaxDecoys is how many decoys a pitch may have: 1 to 255, 16 by default. Others are dropped.
	MaxDecoys int

	// Welcomed is called when the host has admitted the client, with its number.
	Welcomed func(PlayerID)
	// Roster is called when it has changed. The slice is valid until the next change.
	Roster func([]PlayerInfo)
	// RunStarted is called when a run starts; its message is lent until the function returns.
	RunStarted func(*StartRun)
	// Game gets the game's messages.
	Game func(GameMessage)
	// Ended is called once when the session is over: with a *RefusedError, ErrHostLeft, or the error of the connection.
	Ended func(error)

	// Also is catalogues beside this one, such as those of calls: those of the host.
	Also []msgs.Mount

	// Clock gives nanoseconds, and has to be the clock of the connection. Only Ping needs it.
	Clock func() int64
	// Logger gets what an author should know. The default discards it.
	Logger *slog.Logger
}

// RefusedError is the end of a session that the host refused, or ended by a kick.
type RefusedError struct {
	Reason string // of the host, for people to read
}

func (e *RefusedError) Error() string { return "the host refused us: " + e.Reason }

// ErrHostLeft is the end of a session whose host has said goodbye.
var ErrHostLeft = errors.New("the host has left")
