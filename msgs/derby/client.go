package derby

import (
	"errors"
	"fmt"
	"log/slog"
	"time"

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

// Client is a lobby at one of its clients. It belongs to the goroutine of its router.
type Client struct {
	config ClientConfig
	router *msgs.Router

	id      PlayerID
	over    bool
	leaving bool // Leave was called before the connection stood
	roster  []PlayerInfo
	link    link
	watcher spectator
	stats   Stats
}

// NewClient makes a client, which joins as soon as the router has routed the Connected event of its connection. The error says what is wrong with c.
func NewClient(c ClientConfig) (*Client, error) {
	setDefault(&c.MaxDecoys, 16)
	if c.MaxDecoys < 1 || c.MaxDecoys > 255 {
		return nil, fmt.Errorf("derby: MaxDecoys is %d: set it to 1 to 255, or leave it out for 16", c.MaxDecoys)
	}
	c.Self = c.Self.clone()
	client := &Client{config: c}
	hello := client.hello()
	if _, err := hello.Append(nil); err != nil {
		return nil, fmt.Errorf("derby: %w", err)
	}
	var err error
	client.router, err = msgs.NewRouter(msgs.Config{
		Side: msgs.Client, Catalogues: []msgs.Mount{{Catalogue: &Catalogue}}, Handlers: client.handlers(), Logger: c.Logger,
		Joined: client.joined,
		Left:   func(_ *msgs.Peer, err error) { client.end(err) },
	})
	return client, err
}

// handlers are all that a client acts on.
func (c *Client) handlers() []msgs.Handler {
	return append(linkTest(func(*msgs.Peer) *link { return &c.link }),
		msgs.On(c.welcome),
		msgs.On(c.refuse),
		msgs.On(c.setRoster),
		msgs.On(c.startRun),
		msgs.On(func(*msgs.In, *Leave) { c.close(ErrHostLeft) }),
		msgs.OnFrame(func(in *msgs.In, m *RoundStart) { c.game(in, m) }),
		msgs.OnFrame(func(in *msgs.In, m *TurnStart) { c.game(in, m) }),
		msgs.OnFrame(func(in *msgs.In, m *PlayFeed) { c.game(in, m) }),
		msgs.OnFrame(func(in *msgs.In, m *RoundEnd) { c.game(in, m) }),
		msgs.OnFrame(func(in *msgs.In, m *ReadyState) { c.game(in, m) }),
		msgs.OnFrame(func(in *msgs.In, m *IntroProgress) { c.game(in, m) }),
		msgs.OnFrame(func(in *msgs.In, m *AtBatBegin) { c.game(in, m) }),
		msgs.OnFrame(func(in *msgs.In, m *AtBatPose) { c.game(in, m) }),
		msgs.OnFrame(c.pitch),
		msgs.OnFrame(func(in *msgs.In, m *AtBatSwing) { c.game(in, m) }),
		msgs.OnFrame(func(in *msgs.In, m *AtBatResult) { c.game(in, m) }),
	)
}

func (c *Client) hello() Hello {
	return Hello{Protocol: Catalogue.Protocol, Version: c.config.Version, Player: c.config.Self}
}

// joined begins a session: nothing of one before it stays.
func (c *Client) joined(host *msgs.Peer) {
	c.id, c.over, c.roster, c.link, c.watcher = 0, false, nil, link{}, spectator{}
	if c.leaving {
		c.leaving = false
		_ = host.Conn().Close()
		return
	}
	_ = c.hello().Send(host)
}

func (c *Client) welcome(in *msgs.In, m *Welcome) {
	c.id = m.Player
	_ = in.Peer.Enter(StateLobby)
	tell(c.config.Welcomed, c.id)
}

func (c *Client) refuse(_ *msgs.In, m *Refuse) { c.close(&RefusedError{m.Reason}) }

func (c *Client) setRoster(_ *msgs.In, m *Roster) {
	c.roster = cloneAll(m.Players)
	tell(c.config.Roster, c.roster)
}

func (c *Client) startRun(in *msgs.In, m *StartRun) {
	_ = in.Peer.Enter(StateRun)
	tell(c.config.RunStarted, m)
}

func (c *Client) pitch(in *msgs.In, m *AtBatPitch) {
	if len(m.Decoys) > c.config.MaxDecoys {
		c.stats.TooMany++
		return
	}
	c.game(in, m)
}

// game shows what came from the host.
func (c *Client) game(in *msgs.In, m msgs.Message) {
	at, ok := c.watcher.see(m, float64(in.At)*seconds)
	if !ok {
		c.stats.Stale++
		return
	}
	tell(c.config.Game, GameMessage{Message: m, At: at})
}

// close ends the session because of what the host has said.
func (c *Client) close(why error) {
	_ = c.router.Host().Conn().Close()
	c.end(why)
}

func (c *Client) end(why error) {
	if !c.over {
		c.over = true
		tell(c.config.Ended, why)
	}
}

// Router is what events of the connection go to.
func (c *Client) Router() *msgs.Router { return c.router }

// Stats returns the counters since the client was made.
func (c *Client) Stats() Stats { return c.stats }

// ID is the client's number, 0 before it was welcomed.
func (c *Client) ID() PlayerID { return c.id }

// Roster is everybody who is there, as the host has said last. It is valid until the next change.
func (c *Client) Roster() []PlayerInfo { return c.roster }

// ToAll is the host, who relays to the others what they are to see.
func (c *Client) ToAll() msgs.Target { return c.router.All() }

// SetBatter chooses another batter and what it wears.
func (c *Client) SetBatter(batter ItemID, cosmetics ...ItemID) error {
	return SetBatter{batter, cosmetics}.Send(c.ToAll())
}

// Leave says goodbye and closes the connection, which still delivers that; one that is still being made is closed as soon as it stands. Ended is called when the
// connection says that it is over.
func (c *Client) Leave() error {
	host := c.router.Host()
	if host.Conn() == nil {
		c.leaving = true
		return nil
	}
	return errors.Join(Leave{}.Send(host), host.Conn().Close())
}

// Ping asks the host for the round trip.
func (c *Client) Ping() error { return c.link.ping(c.router.Host(), c.config.Clock) }

// RoundTrip is what the newest answer to a Ping has shown, and false before the first.
func (c *Client) RoundTrip() (time.Duration, bool) { return c.link.roundTrip, c.link.measured }

// Local is a time of the current batter's clock on that of the connection, such as AtBatResult.ContactTime, and false if nothing was heard of the batter.
func (c *Client) Local(t float32) (at float64, ok bool) { return c.watcher.convert(t) }
