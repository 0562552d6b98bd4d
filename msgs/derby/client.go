package derby

import (
	"errors"
	"fmt"

	"github.com/gannet-net/gannet/msgs"
)

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
		Side: msgs.Client, Catalogues: append([]msgs.Mount{{Catalogue: &Catalogue}}, c.Also...), Handlers: client.handlers(), Logger: c.Logger,
		Joined: client.joined,
		Left:   client.left,
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
		onFrame[RoundStart](c.game),
		onFrame[TurnStart](c.game),
		onFrame[PlayFeed](c.game),
		onFrame[RoundEnd](c.game),
		onFrame[ReadyState](c.game),
		onFrame[IntroProgress](c.game),
		onFrame[AtBatBegin](c.game),
		onFrame[AtBatPose](c.game),
		msgs.OnFrame(c.pitch),
		onFrame[AtBatSwing](c.game),
		onFrame[AtBatResult](c.game),
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

// left ends a session, or a dial that failed, which is the end of one that never began.
func (c *Client) left(host *msgs.Peer, err error) {
	if host.Conn() == nil {
		c.over = false
	}
	c.end(err)
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
	c.leaving = false
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

// Local is a time of the current batter's clock on that of the connection, such as AtBatResult.ContactTime, and false if nothing was heard of the batter.
func (c *Client) Local(t float32) (at float64, ok bool) { return c.watcher.convert(t) }
