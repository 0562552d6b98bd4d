package system

import (
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/gannet-net/gannet/msgs"
)

// ClientConfig says how a Client works. Clock must be given, and Store if the server has files; every other zero field takes its default.
type ClientConfig struct {
	// Clock gives the time in nanoseconds of a monotonic clock.
	Clock func() int64
	// Logger, Logs, Checks and Profiler are those of ServerConfig.
	Logger   *slog.Logger
	Logs     Logs
	Checks   bool
	Profiler Profiler

	// Flow is that of the server; PromptFlow is the default.
	Flow Flow
	// Character is what the client says of itself, its version and ticket among it.
	Character Authenticate
	// Store keeps the files of the server. MaxDownload is how many bytes of files a server may ask for (1 GiB).
	Store       Store
	MaxDownload uint64
	// Progress is told of each piece of a download.
	Progress func(Progress)
	// Assets are reported to the server once it has accepted the client.
	Assets []Asset

	// PingEvery is the time between two pings (1 s), Timeout the silence of the server that ends the session (30 s). ReliablePings is as for servers.
	PingEvery, Timeout time.Duration
	ReliablePings      bool

	// Methods are what the server may call. ServerMethods is how many methods the server has.
	Methods       []Method
	ServerMethods int
	// Calls leaves InvokeMethod to package rpc, as ServerConfig.Calls does.
	Calls bool
	// Legacy gets legacy bytes: they are packet[offset:][:size]. The packet is lent.
	Legacy func(reliable bool, packet []byte, offset, size int)
	// AntiCheat gets what the server sends to a guard against cheats. Without it such messages are dropped.
	AntiCheat func(data []byte)

	// What the server tells. Messages are lent.
	Accepted     func(*Accepted)        // the client is in the game, and makes its player
	Configured   func(*ReplicateConfig) // by which both sides compute from now on
	PlayerJoined func(*PlayerConnected)
	PlayerLeft   func(player uint16)
	AdminChanged func(player uint16, admin bool)
	Queued       func(place int) // 1 for who is next
	ShuttingDown func(*Shutdown) // for the player to see
	Ended        func(Ending)    // last of all, once for each session, and for a dial that failed

	// Traffic gives the totals of the transport, for Client.Traffic.
	Traffic func() Traffic

	// Catalogues and Handlers are further ones, of the game.
	Catalogues []msgs.Mount
	Handlers   []msgs.Handler
}

func (c ClientConfig) withDefaults() (ClientConfig, error) {
	if c.Flow == nil {
		c.Flow = PromptFlow
	}
	if c.MaxDownload == 0 {
		c.MaxDownload = 1 << 30
	}
	orTime(&c.PingEvery, PingEvery)
	orTime(&c.Timeout, Timeout)
	wrong := []error{c.Flow.check(), checkMethods(c.Methods)}
	if c.Clock == nil {
		wrong = append(wrong, errors.New("Clock: must be given"))
	}
	if c.Calls && (len(c.Methods) > 0 || c.ServerMethods > 0) {
		wrong = append(wrong, errors.New("Calls: package rpc has its own methods, so leave Methods and ServerMethods out"))
	}
	if c.PingEvery < 0 || c.Timeout < 0 {
		wrong = append(wrong, errors.New("a time is negative"))
	}
	return c, errors.Join(wrong...)
}

// EndCause is how a session ended.
type EndCause uint8

// The causes.
const (
	EndLost     EndCause = iota // the connection was lost, or could not be made: see Ending.Err
	EndLeft                     // this side left
	EndRejected                 // the server did not let the client in
	EndBanned
	EndKicked
	EndShutdown
	EndTimeout // the server was silent
	EndFiles   // the files could not be had: see Ending.Err
)

var endNames = [...]string{"lost", "left", "rejected", "banned", "kicked", "shutdown", "timeout", "files"}

// String gives the name of c.
func (c EndCause) String() string {
	if int(c) < len(endNames) {
		return endNames[c]
	}
	return fmt.Sprintf("EndCause(%d)", uint8(c))
}

// Ending is why a session ended.
type Ending struct {
	Cause   EndCause
	Reason  Reason // of EndRejected and EndKicked
	Text    string // what the server said
	Seconds uint32 // of EndBanned: how long it lasts; 0 is for ever
	Err     error  // of the transport, or of what failed here
}
