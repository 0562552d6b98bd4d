package derby

import (
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/gannet-net/gannet/msgs"
)

// HostConfig says how a lobby is run. Every zero field takes its default. Functions are called from Pump and RunFrame of the router, or from the method of Host that
// caused the call, and may use the Host.
type HostConfig struct {
	// Version is that of the build, for people to read who are refused because of another protocol.
	Version string
	// Self is the player at the host, who gets number 0. Without one nobody plays there, as on a dedicated server.
	Self *PlayerInfo
	// MaxPlayers is how many there may be, Self among them: 1 to 255, 16 by default. The roster must also fit into one message of each connection.
	MaxPlayers int
	// MaxDecoys is how many decoys a pitch may have: 1 to 255, 16 by default. Others are dropped.
	MaxDecoys int

	// Admit, if not nil, may refuse a client with a reason for people to read; "" admits it. Of a name nothing is known but that it is UTF-8 of at most 64 bytes.
	Admit func(*Hello) (refusal string)
	// Roster is called when it has changed, after everybody was told. The slice is valid until the next change.
	Roster func([]PlayerInfo)
	// Game gets the game's messages: those of clients that the host acts on, and its own copy of each that it sends by a method of Host.
	Game func(GameMessage)
	// IntroOver is called when everybody has read the intro, and ShopOver when everybody is done in the shop.
	IntroOver, ShopOver func()

	// Clock gives nanoseconds, and has to be the clock of the connections. Only Ping needs it.
	Clock func() int64
	// Logger gets what an operator should know. The default discards it.
	Logger *slog.Logger
}

// Host is a lobby at its host: it admits players, knows the roster, relays, and keeps the rules of the run that the messages need. It belongs to the goroutine of its router.
type Host struct {
	config HostConfig
	router *msgs.Router

	players []*player // admitted, in that order
	roster  []PlayerInfo
	all     msgs.Target // who is admitted
	stats   Stats
	closed  bool

	run     *StartRun   // nil: no run
	round   *RoundStart // nil: no inning is played
	turn    *TurnStart  // nil: no turn of this round has begun
	batter  *player     // nil: nobody is at the plate, as between innings
	intro   gate
	shop    gate
	watcher spectator
}

// NewHost makes a lobby, with Self in it. The error says what is wrong with c.
func NewHost(c HostConfig) (*Host, error) {
	if err := c.complete(); err != nil {
		return nil, err
	}
	h := &Host{config: c}
	var err error
	h.router, err = msgs.NewRouter(msgs.Config{
		Side: msgs.Host, Catalogues: []msgs.Mount{{Catalogue: &Catalogue}}, Handlers: h.handlers(), Logger: c.Logger,
		Joined: func(p *msgs.Peer) { p.Data = &player{peer: p} },
		Left:   func(p *msgs.Peer, _ error) { h.remove(playerOf(p)) },
	})
	if err != nil {
		return nil, err
	}
	if c.Self != nil {
		h.players = []*player{{info: c.Self.clone(), admitted: true}}
		h.players[0].info.ID, h.players[0].info.Connected = 0, true
	}
	h.regroup()
	return h, nil
}

func (c *HostConfig) complete() error {
	setDefault(&c.MaxPlayers, 16)
	setDefault(&c.MaxDecoys, 16)
	switch {
	case c.MaxPlayers < 1 || c.MaxPlayers > 255:
		return fmt.Errorf("derby: MaxPlayers is %d: set it to 1 to 255, or leave it out for 16", c.MaxPlayers)
	case c.MaxDecoys < 1 || c.MaxDecoys > 255:
		return fmt.Errorf("derby: MaxDecoys is %d: set it to 1 to 255, or leave it out for 16", c.MaxDecoys)
	case c.Self != nil:
		if _, err := (&Roster{Players: []PlayerInfo{*c.Self}}).Append(nil); err != nil {
			return fmt.Errorf("derby: Self: %w", err)
		}
	}
	return nil
}

func setDefault(n *int, value int) {
	if *n == 0 {
		*n = value
	}
}

// tell calls a function of the game with v, if there is one.
func tell[T any](f func(T), v T) {
	if f != nil {
		f(v)
	}
}

// handlers are all that the host acts on.
func (h *Host) handlers() []msgs.Handler {
	return append(linkTest(func(p *msgs.Peer) *link { return &playerOf(p).link }),
		msgs.OnRaw((*Hello)(nil).Descriptor(), h.hello),
		msgs.On(h.setBatter),
		msgs.On(h.leave),
		msgs.OnFrame(h.playFeed),
		msgs.OnFrame(h.turnEnd),
		msgs.OnFrame(h.shopReady),
		msgs.OnFrame(h.introDone),
		msgs.OnFrame(h.atBatBegin),
		msgs.OnFrame(func(in *msgs.In, m *AtBatPose) { h.atBat(in, m) }),
		msgs.OnFrame(h.atBatPitch),
		msgs.OnFrame(func(in *msgs.In, m *AtBatSwing) { h.atBat(in, m) }),
		msgs.OnFrame(func(in *msgs.In, m *AtBatResult) { h.atBat(in, m) }),
	)
}

// Router is what events of connections go to. Its peers are the connections, admitted or not.
func (h *Host) Router() *msgs.Router { return h.router }

// Stats returns the counters since the lobby was made.
func (h *Host) Stats() Stats { return h.stats }

// ToAll is every player who is admitted, but for the one at the host.
func (h *Host) ToAll() msgs.Target { return h.all }

// To is one player. To send to one who is not there, or to the one at the host, is an error.
func (h *Host) To(id PlayerID) msgs.Target {
	if p := h.player(id); p != nil {
		return p.peer
	}
	return (*msgs.Peer)(nil)
}

// ToAllExcept is every player who is admitted but one, as ToAll. What a player sent is relayed to it. The target is valid until the roster changes.
func (h *Host) ToAllExcept(id PlayerID) msgs.Target {
	if p := h.player(id); p != nil {
		return p.others
	}
	return h.all
}

// Ping asks the connection of a player for the round trip.
func (h *Host) Ping(id PlayerID) error {
	p := h.player(id)
	if p == nil {
		return fmt.Errorf("derby: there is no player %d", id)
	}
	return p.link.ping(p.peer, h.config.Clock)
}

// RoundTrip is what the newest answer to a Ping has shown, and false before the first.
func (h *Host) RoundTrip(id PlayerID) (time.Duration, bool) {
	p := h.player(id)
	if p == nil {
		return 0, false
	}
	return p.link.roundTrip, p.link.measured
}

// Kick tells a player why it has to go, and ends its session.
func (h *Host) Kick(id PlayerID, reason string) error {
	p := h.player(id)
	if p == nil || p.peer == nil {
		return fmt.Errorf("derby: there is no player %d to kick", id)
	}
	err := Refuse{Reason: reason}.Send(p.peer)
	return errors.Join(err, h.dismiss(p))
}

// Close says to everybody that the host leaves, and closes their connections, which still delivers that. The lobby is over: it admits nobody any more, and the roster stays as it was.
func (h *Host) Close() error {
	h.closed = true
	errs := []error{Leave{}.Send(h.router.All())}
	for p := range h.router.Peers() {
		errs = append(errs, p.Conn().Close())
	}
	return errors.Join(errs...)
}
