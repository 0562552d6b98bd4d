package system

import (
	"cmp"
	"errors"
	"slices"

	"github.com/gannet-net/gannet/msgs"
	"github.com/gannet-net/gannet/transport"
)

// clientStage is what the client does when it comes to a stage, and the message that it waits for. begin reports whether the stage is over at once.
type clientStage struct {
	begin func() bool
	waits string // for the message of that name
}

// stageTable is the client's half of the machine.
func (c *Client) stageTable() [numStages]clientStage {
	wait := func() bool { return false }
	return [numStages]clientStage{
		StageAuthenticate: {func() bool { return c.Send(c.config.Character) == nil }, ""},
		StageFiles:        {wait, "DownloadWorkshopFiles"},
		StageReady:        {c.askForPlace, ""},
		StageQueue:        {func() bool { return true }, ""},
		StageVerify:       {wait, "Verify"},
		StageAccept:       {wait, "Accepted"},
		StagePlaying:      {wait, ""},
	}
}

// proceed takes the client to its next stage, and through those that are over at once.
func (c *Client) proceed() {
	for over := true; over; over = c.stages[c.stage].begin() {
		c.stage = StagePlaying
		if c.step < len(c.config.Flow) {
			c.stage = c.config.Flow[c.step]
		}
		c.step++
	}
}

// inTurn reports whether the client is in the stage that waits for a message.
func (c *Client) inTurn(in *msgs.In) bool {
	if c.stages[c.stage].waits == in.Entry.Name {
		return true
	}
	c.stats.OutOfTurn++
	return false
}

// Stage is how far the client has come.
func (c *Client) Stage() Stage { return c.stage }

// Playing reports whether the client is in the game.
func (c *Client) Playing() bool { return c.conn != nil && c.stage == StagePlaying }

func (c *Client) askForPlace() bool {
	return c.Send(ReadyToConnect{Version: c.config.Character.Version, Name: c.config.Character.Name}) == nil
}

// connected begins a session.
func (c *Client) connected(peer *msgs.Peer) {
	now := c.config.Clock()
	c.conn, c.ending, c.announced, c.step = peer.Conn(), nil, nil, 0
	c.heard, c.pings, c.download = now, newPings(now), download{}
	c.id, c.admin, c.players = 0, false, map[uint16]*PlayerConnected{}
	c.proceed()
}

// disconnected ends it.
func (c *Client) disconnected(_ *msgs.Peer, err error) {
	end := Ending{Cause: EndLost}
	if known := cmp.Or(c.ending, c.announced); known != nil {
		end = *known
	} else if gone, ok := errors.AsType[*transport.DisconnectError](err); ok && gone.Cause == transport.TimedOut {
		end.Cause = EndTimeout
	} else if ok && gone.Cause == transport.ClosedLocally {
		end.Cause = EndLeft
	}
	if end.Err == nil {
		end.Err = err
	}
	c.download.close()
	c.conn, c.ending, c.announced, c.stage = nil, nil, nil, 0
	if c.config.Ended != nil {
		c.config.Ended(end)
	}
}

func (c *Client) verify(in *msgs.In, _ *Verify) {
	if c.inTurn(in) {
		c.proceed()
	}
}

// accepted begins the game.
func (c *Client) accepted(in *msgs.In, m *Accepted) {
	if !c.inTurn(in) {
		return
	}
	c.id, c.admin = m.Player, m.Admin
	c.proceed()
	if c.config.Accepted != nil {
		c.config.Accepted(m)
	}
	c.reportAssets()
}

// reportAssets tells the server what this side has loaded.
func (c *Client) reportAssets() {
	const most = 22 // in a message
	rest := c.config.Assets
	for len(rest) > 0 {
		n := min(len(rest), most)
		_ = c.Send(ValidateAssets{Assets: rest[:n], Last: n == len(rest)})
		rest = rest[n:]
	}
}

func (c *Client) rejected(_ *msgs.In, m *Rejected) {
	c.ends(Ending{Cause: EndRejected, Reason: m.Reason, Text: m.Text})
}

func (c *Client) banned(_ *msgs.In, m *Banned) {
	c.ends(Ending{Cause: EndBanned, Text: m.Text, Seconds: m.Seconds})
}

func (c *Client) kicked(_ *msgs.In, m *Kicked) {
	c.ends(Ending{Cause: EndKicked, Reason: m.Reason, Text: m.Text})
}

func (c *Client) queuePositionChanged(_ *msgs.In, m *QueuePositionChanged) {
	if c.stage == StagePlaying {
		c.stats.OutOfTurn++
		return
	}
	if c.config.Queued != nil {
		c.config.Queued(int(m.Position))
	}
}

// Players are the others in the game, by their numbers.
func (c *Client) Players() []*PlayerConnected {
	list := make([]*PlayerConnected, 0, len(c.players))
	for _, p := range c.players {
		list = append(list, p)
	}
	slices.SortFunc(list, func(a, b *PlayerConnected) int { return int(a.Player) - int(b.Player) })
	return list
}
