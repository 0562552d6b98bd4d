package system

import (
	"log/slog"

	"github.com/gannet-net/gannet/msgs"
	"github.com/gannet-net/gannet/transport"
	"github.com/gannet-net/gannet/wire"
)

// Client is the client's side of a session. See the package comment for who drives it.
type Client struct {
	config  ClientConfig
	router  *msgs.Router
	log     logbook
	methods methods
	call    Call // what a method is lent
	stages  [numStages]clientStage
	meter   meter
	stats   ClientStats

	conn   transport.Conn // nil without a session
	step   int
	stage  Stage
	ending *Ending // what is known of the end, before it has come

	announced *Ending // the server's own, which counts if nothing else ends the session before

	heard    int64 // when the last packet came
	pings    pings
	download download

	id      uint16
	admin   bool
	game    ReplicateConfig
	players map[uint16]*PlayerConnected
}

// ClientStats counts what a Client did not handle.
type ClientStats struct {
	InvalidID uint64 // messages without an id that there is
	OutOfTurn uint64 // messages that did not belong to the stage
	Strays    uint64 // answers to no ping that was in flight
	NoMethod  uint64 // calls of a method that there is not
	Padding   uint64 // legacy messages with bits before their bytes
	Chunks    uint64 // pieces of files that nobody waited for
}

// NewClient makes a client, or returns all that is wrong with c.
func NewClient(c ClientConfig) (*Client, error) {
	c, err := c.withDefaults()
	if err != nil {
		return nil, err
	}
	cl := &Client{config: c, log: newLogbook(c.Logger), methods: newMethods(c.Methods)}
	cl.stages = cl.stageTable()
	cl.log.send, cl.log.receive, cl.log.bad, cl.log.from = c.Logs.SendToServer, c.Logs.ReceiveFromServer, c.Logs.BadMessages, msgs.Host
	cl.meter.total = c.Traffic
	cl.meter.reset()
	cl.router, err = msgs.NewRouter(msgs.Config{
		Side:       msgs.Client,
		Catalogues: append([]msgs.Mount{{Catalogue: &Catalogue, AnyMode: anyMode()}}, c.Catalogues...),
		Handlers:   append(plain(cl.handlers()), c.Handlers...),
		Joined:     cl.connected,
		Left:       cl.disconnected,
		Logger:     slog.New(onlyErrors{cl.log.Handler()}),
		OnAbuse:    func(*msgs.Peer, msgs.Abuse) {}, // a client keeps to its server, whatever that sends
		KeepUnread: true,
	})
	if err != nil {
		return nil, err
	}
	if c.Checks {
		logMissing(cl.router, cl.log.Logger)
	}
	return cl, nil
}

// handlers is the table of what the client handles, but for legacy bytes.
func (c *Client) handlers() []handler {
	p := c.config.Profiler
	rows := []handler{
		on(p, "Client.PingRequest", c.pingRequest),
		on(p, "Client.PingResponse", c.pingResponse),
		on(p, "Client.Shutdown", c.shutdown),
		on(p, "Client.PlayerConnected", c.playerConnected),
		on(p, "Client.PlayerDisconnected", c.playerDisconnected),
		on(p, "Client.DownloadWorkshopFiles", c.downloadWorkshopFiles),
		on(p, "Client.Verify", c.verify),
		on(p, "Client.Accepted", c.accepted),
		on(p, "Client.Rejected", c.rejected),
		on(p, "Client.Banned", c.banned),
		on(p, "Client.Kicked", c.kicked),
		on(p, "Client.Admined", c.admined),
		on(p, "Client.Unadmined", c.unadmined),
		on(p, "Client.QueuePositionChanged", c.queuePositionChanged),
		on(p, "Client.ReplicateConfig", c.replicateConfig),
	}
	if !c.config.Calls {
		rows = append(rows, onRaw(p, "Client.InvokeMethod", (*HostInvokeMethod)(nil).Descriptor(), c.invokeMethod))
	}
	if c.config.AntiCheat != nil {
		rows = append(rows, on(p, "Client.ThirdPartyAntiCheat", c.antiCheat))
	}
	return append(rows, c.legacyHandlers()...)
}

// legacyHandlers hand legacy bytes to their reader, if there is one.
func (c *Client) legacyHandlers() []handler {
	if c.config.Legacy == nil {
		return nil
	}
	p := c.config.Profiler
	return []handler{
		onRaw(p, "Client.UpdateReliableBuffer", (*UpdateReliableBuffer)(nil).Descriptor(), func(in *msgs.In) { c.legacy(true, in.Raw) }),
		onRaw(p, "Client.UpdateUnreliableBuffer", (*UpdateUnreliableBuffer)(nil).Descriptor(), func(in *msgs.In) { c.legacy(false, in.Raw) }),
	}
}

// Router is that of the client, to add handlers and to send by.
func (c *Client) Router() *msgs.Router { return c.router }

// Stats returns the counters.
func (c *Client) Stats() ClientStats { return c.stats }

// Traffic is what the transport carried since the client was made, or since LevelLoaded.
func (c *Client) Traffic() Traffic { return c.meter.read() }

// LevelLoaded tells the client that another level begins: Traffic starts at 0.
func (c *Client) LevelLoaded() { c.meter.reset() }

// Frame pumps a connection in a game loop: what has come in, what waits for the frame, and the timers. What the frame sends leaves with the
// connection's next Flush.
func (c *Client) Frame(d msgs.Driver) {
	d.Poll()
	for ev, ok := d.Next(); ok; ev, ok = d.Next() {
		if !c.Route(ev) { // the queue for the frame is full
			c.router.RunFrame()
			c.Route(ev)
		}
	}
	c.router.RunFrame()
	c.Tick()
}

// Route takes one event of the connection. What it reports is what msgs.Router.Route does.
func (c *Client) Route(ev transport.Event) bool {
	peer := c.router.Host()
	before := peer.Stats()
	if ev.Kind == transport.Message && ev.Conn == c.conn {
		c.hear(ev.Payload)
	}
	taken := c.router.Route(ev)
	if ev.Kind == transport.Message && peer.Conn() == ev.Conn {
		c.judge(peer, before, ev.Payload)
	}
	return taken
}

// hear notes that a packet came from the server, before it is handled. Legacy messages do not count.
func (c *Client) hear(payload []byte) {
	r := wire.NewBitReader(payload)
	id := int(r.Uint(hostIDBits))
	if r.Err() == nil && id >= len(legacy) && id < Catalogue.HostIDs {
		c.heard = c.config.Clock()
	}
}

// judge looks at how a message of the server ended. Whatever it was, the connection stays.
func (c *Client) judge(peer *msgs.Peer, before msgs.Stats, payload []byte) {
	after := peer.Stats()
	for i := range after.Drops {
		drop := msgs.Drop(i)
		if after.Drops[i] == before.Drops[i] {
			continue
		}
		if drop == msgs.DropUnknown || drop == msgs.DropEmpty {
			c.stats.InvalidID++
			c.log.notice(c.config.Clock(), slog.LevelError, "Received invalid message index", "from", peer.String())
		}
		c.log.dropped(peer, drop, payload)
	}
	if after.Unread > before.Unread {
		c.log.unread(peer, payload)
	}
}

// Tick runs the timers. Call it some ten times a second at least; Frame does.
func (c *Client) Tick() {
	if c.conn == nil || c.conn.Err() != nil {
		return
	}
	now := c.config.Clock()
	if c.Silence() >= int64(c.config.Timeout) {
		c.log.Warn("The server is silent: disconnected")
		c.ends(Ending{Cause: EndTimeout})
		c.conn.Abort()
		return
	}
	if c.pings.isDue(now, c.config.PingEvery) {
		c.sendPing(ClientPingRequest{Sent: now})
	}
	c.tickDownload()
}

// Silence is for how long nothing but legacy bytes has come from the server, in nanoseconds.
func (c *Client) Silence() int64 { return c.config.Clock() - c.heard }

// ends keeps the first reason for the end of the session, until that comes.
func (c *Client) ends(e Ending) {
	if c.ending == nil {
		c.ending = &e
	}
}

// Disconnect leaves the server, which frees the player's place at once.
func (c *Client) Disconnect() {
	if c.conn == nil {
		return
	}
	c.ends(Ending{Cause: EndLeft})
	_ = GracefullyDisconnect{}.Send(c.router.Host())
	_ = c.conn.Close()
}

// Send sends a message to the server. Without a session it is dropped with a warning.
func (c *Client) Send(m sendable) error { return c.sent(m.Send(c.router.Host())) }

// sent logs what was not sent.
func (c *Client) sent(err error) error {
	if err == nil {
		return nil
	}
	if failed, ok := err.(*msgs.SendError); ok && (c.conn == nil || c.conn.Err() != nil) {
		c.log.notice(c.config.Clock(), slog.LevelWarn, "Ignoring request to send message to server because we are not connected", "message", failed.Message)
	} else {
		c.log.unsent(c.router.Host(), err)
	}
	return err
}

// sendPing sends a ping or the answer to one.
func (c *Client) sendPing(m sendable) {
	if c.config.ReliablePings {
		_ = c.sent(m.Send(msgs.As(transport.ReliableOrdered, c.router.Host())))
		return
	}
	_ = c.Send(m)
}

// Invoke calls method index of the server. The arguments are what args writes; nil is none.
func (c *Client) Invoke(mode transport.Delivery, index int, args func(*wire.BitWriter)) error {
	d := (*ClientInvokeMethod)(nil).Descriptor()
	return c.sent(sendRaw(inMode(mode, d, c.router.Host()), d, clientIDBits, appendCall(index, c.config.ServerMethods, args)))
}
