package system

import (
	"time"

	"github.com/gannet-net/gannet/msgs"
)

func (c *Client) pingRequest(_ *msgs.In, m *HostPingRequest) {
	c.sendPing(ClientPingResponse{Sent: m.Sent})
}

func (c *Client) pingResponse(_ *msgs.In, m *HostPingResponse) {
	if !c.pings.answer(c.config.Clock(), m.Sent) {
		c.stats.Strays++
	}
}

// RTT is the round trip of the newest ping that was answered.
func (c *Client) RTT() time.Duration { return c.pings.quality.RTT }

// Quality says how good the connection is.
func (c *Client) Quality() Quality { return c.pings.at(c.config.Clock(), c.config.PingEvery) }

// shutdown shows the player that the server is about to end.
func (c *Client) shutdown(_ *msgs.In, m *Shutdown) {
	c.announced = &Ending{Cause: EndShutdown, Text: m.Text}
	c.log.Info("Server shutting down", "seconds", int(m.Seconds), "text", m.Text)
	if c.config.ShuttingDown != nil {
		c.config.ShuttingDown(m)
	}
}

// ID is the number of this player, 0 before it was accepted.
func (c *Client) ID() uint16 { return c.id }

// Admin reports whether this player has the rights of an admin.
func (c *Client) Admin() bool { return c.admin }

// Game is the configuration by which both sides compute.
func (c *Client) Game() *ReplicateConfig { return &c.game }

// replicateConfig takes the configuration of the server in place of the own one.
func (c *Client) replicateConfig(_ *msgs.In, m *ReplicateConfig) {
	c.game = *m
	c.game.Events.CompactorSpeed = append([]float32(nil), m.Events.CompactorSpeed...)
	c.game.Loot.Chance = append([]float32(nil), m.Loot.Chance...)
	c.log.Info("Received server config")
	if c.config.Configured != nil {
		c.config.Configured(&c.game)
	}
}

func (c *Client) playerConnected(_ *msgs.In, m *PlayerConnected) {
	if c.stage != StagePlaying {
		c.stats.OutOfTurn++
		return
	}
	player := *m
	c.players[m.Player] = &player
	if c.config.PlayerJoined != nil {
		c.config.PlayerJoined(&player)
	}
}

func (c *Client) playerDisconnected(_ *msgs.In, m *PlayerDisconnected) {
	if c.players[m.Player] == nil {
		c.stats.OutOfTurn++
		return
	}
	delete(c.players, m.Player)
	if c.config.PlayerLeft != nil {
		c.config.PlayerLeft(m.Player)
	}
}

func (c *Client) admined(_ *msgs.In, m *Admined) { c.setAdmin(m.Player, true) }

func (c *Client) unadmined(_ *msgs.In, m *Unadmined) { c.setAdmin(m.Player, false) }

func (c *Client) setAdmin(player uint16, admin bool) {
	other := c.players[player]
	switch {
	case c.stage == StagePlaying && player == c.id:
		c.admin = admin
	case other != nil:
		other.Admin = admin
	default:
		c.stats.OutOfTurn++
		return
	}
	if c.config.AdminChanged != nil {
		c.config.AdminChanged(player, admin)
	}
}

// invokeMethod calls a method for the server.
func (c *Client) invokeMethod(in *msgs.In) {
	call := c.call.take(nil, in, hostIDBits)
	i := c.methods.find(call.Args)
	if i < 0 {
		call.lent = false
		c.stats.NoMethod++
		c.log.dropped(in.Peer, msgs.DropMalformed, in.Raw)
		return
	}
	m := &c.methods.list[i]
	call.run(m, c.config.Profiler)
	c.log.finished(call, m.Name)
}

// legacy hands bytes to the legacy reader.
func (c *Client) legacy(reliable bool, packet []byte) {
	offset, size, ok := legacyBytes(packet)
	if !ok {
		c.stats.Padding++
		return
	}
	c.config.Legacy(reliable, packet, offset, size)
}

func (c *Client) antiCheat(_ *msgs.In, m *HostThirdPartyAntiCheat) { c.config.AntiCheat(m.Data) }
