package system

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"time"

	"github.com/gannet-net/gannet/msgs"
)

// Times that both sides have as defaults.
const (
	// Timeout is the silence that ends a session. Give it to the transport as well, whose own default may be shorter, together with
	// what the router of the server knows: udp.Config{Timeout: system.Timeout, Catalogue: server.Router().Catalogue()}.
	Timeout = 30 * time.Second
	// PingEvery is the time between two pings.
	PingEvery = time.Second
)

// ServerConfig says how a Server works. Clock must be given; every other zero field takes its default.
type ServerConfig struct {
	// Clock gives the time in nanoseconds of a monotonic clock.
	Clock func() int64
	// Logger gets what an operator should know, and what the switches in Logs ask for. The default discards it.
	Logger *slog.Logger
	Logs   Logs
	// Checks logs, when the server is made, which messages nobody handles.
	Checks bool
	// Profiler, if not nil, is told when handlers run. Without one that costs nothing.
	Profiler Profiler

	// Flow is the way into the game; PromptFlow is the default.
	Flow Flow
	// Version is that of the game. Clients of another are rejected.
	Version uint32
	// MaxPlayers have a place (24), MaxQueue wait for one (100; negative is none), and MaxJoining are on the way there (32).
	MaxPlayers, MaxQueue, MaxJoining int
	// JoinTimeout is how long a client on its way may do nothing that it is waited for (15 s).
	JoinTimeout time.Duration
	// QueueNotice is the time between two notices of a place in the queue (6 s). Who keeps its place gets none.
	QueueNotice time.Duration

	// Verify judges who a client says it is. It calls answer once, at once or later on the same goroutine. The message is lent until Verify returns. Nil believes everybody.
	Verify func(p *Player, m *Authenticate, answer func(Verdict))
	// Bans is asked about everybody who comes and authenticates. The default is a list in memory.
	Bans BanList
	// Files are what clients need, at most 255, and Open gives the bytes of one of them, as often as somebody asks for it. What it gives is closed after use if it
	// can be.
	Files []WorkshopFile
	Open  func(id uint64) io.ReaderAt
	// Assets are what every client must have loaded, within AssetTimeout (60 s) from when it was accepted. Without any nobody is asked.
	Assets       []Asset
	AssetTimeout time.Duration
	// Spawn gives the state in which a player begins. The server itself fills in Player, NetID, Block, Name, Look, Skillset, Admin and MaxPlayers.
	Spawn func(*Player) Accepted
	// Game is the configuration that clients get.
	Game ReplicateConfig

	// PingEvery is the time between two pings (1 s), and Timeout for how long a client may leave them unanswered (30 s).
	PingEvery, Timeout time.Duration
	// ReliablePings sends pings and their answers reliably. Then what is measured has the time for repairs in it.
	ReliablePings bool
	// MaxPing, if not 0, is the smoothed round trip above which players are kicked.
	MaxPing time.Duration
	// BadPackets is how many messages that cannot be a client may send: 10 within 2.5 s. Who sends more is thrown out, if its connection proves that it was itself.
	BadPackets msgs.Limit

	// Methods are what clients may call. ClientMethods is how many methods the clients have.
	Methods       []Method
	ClientMethods int
	// Calls leaves InvokeMethod to package rpc, which adds a handler of its own to Router: its Carrier is HostInvokeMethod and ClientInvokeMethod. Then there are no Methods. What that finds malformed is a bad packet.
	Calls bool
	// AntiCheat gets what clients send to a guard against cheats. Without it such messages are dropped.
	AntiCheat func(p *Player, data []byte)

	// Joined and Left tell of players: from when they are accepted until they leave, for any reason.
	Joined, Left func(*Player)
	// Traffic gives the totals of the transport, for Server.Traffic.
	Traffic func() Traffic

	// Catalogues and Handlers are further ones, of the game.
	Catalogues []msgs.Mount
	Handlers   []msgs.Handler
}

// Verdict is what a verifier found.
type Verdict struct {
	OK   bool
	Text string // for the client, if not OK
}

// withDefaults returns c with its zero fields filled in, or what is wrong with the others.
func (c ServerConfig) withDefaults() (ServerConfig, error) {
	if c.Flow == nil {
		c.Flow = PromptFlow
	}
	if c.Bans == nil && c.Clock != nil {
		c.Bans = NewBans(c.Clock)
	}
	if c.BadPackets == (msgs.Limit{}) {
		c.BadPackets = msgs.Limit{Count: 10, Within: 2500 * time.Millisecond}
	}
	orInt(&c.MaxPlayers, 24)
	orInt(&c.MaxQueue, 100)
	orInt(&c.MaxJoining, 32)
	orTime(&c.JoinTimeout, 15*time.Second)
	orTime(&c.QueueNotice, 6*time.Second)
	orTime(&c.AssetTimeout, time.Minute)
	orTime(&c.PingEvery, PingEvery)
	orTime(&c.Timeout, Timeout)
	return c, c.check()
}

func orInt(v *int, standard int) {
	if *v == 0 {
		*v = standard
	}
}

func orTime(v *time.Duration, standard time.Duration) {
	if *v == 0 {
		*v = standard
	}
}

func (c ServerConfig) check() error {
	wrong := []error{c.Flow.check()}
	if c.Clock == nil {
		wrong = append(wrong, errors.New("Clock: must be given"))
	}
	if c.Calls && (len(c.Methods) > 0 || c.ClientMethods > 0) {
		wrong = append(wrong, errors.New("Calls: package rpc has its own methods, so leave Methods and ClientMethods out"))
	}
	if len(c.Files) > 255 {
		wrong = append(wrong, fmt.Errorf("Files: %d are too many, at most 255 are possible", len(c.Files)))
	}
	if c.MaxPlayers > math.MaxUint16 {
		wrong = append(wrong, fmt.Errorf("MaxPlayers: %d are too many, at most 65535 are possible", c.MaxPlayers))
	}
	wrong = append(wrong, checkUnique("Files", c.Files, func(f WorkshopFile) any { return f.ID }), checkUnique("Assets", c.Assets, func(a Asset) any { return a.ID }))
	if len(c.Files) > 0 && c.Open == nil {
		wrong = append(wrong, errors.New("Open: must be given if there are Files"))
	}
	for _, d := range []time.Duration{c.JoinTimeout, c.QueueNotice, c.AssetTimeout, c.PingEvery, c.Timeout, c.MaxPing, c.BadPackets.Within} {
		if d < 0 {
			wrong = append(wrong, errors.New("a time is negative"))
		}
	}
	return errors.Join(append(wrong, checkMethods(c.Methods))...)
}

// checkUnique refuses two things of one id, of which clients could never have both.
func checkUnique[T any](field string, list []T, id func(T) any) error {
	seen := map[any]bool{}
	for i, v := range list {
		if seen[id(v)] {
			return fmt.Errorf("%s[%d]: its ID %v is there twice", field, i, id(v))
		}
		seen[id(v)] = true
	}
	return nil
}

func checkMethods(list []Method) error {
	for i, m := range list {
		if m.Handle == nil {
			return fmt.Errorf("Methods[%d]: %s has no Handle", i, m.Name)
		}
	}
	return nil
}
