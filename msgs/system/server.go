package system

import (
	"log/slog"
	"slices"

	"github.com/gannet-net/gannet/msgs"
	"github.com/gannet-net/gannet/transport"
	"github.com/gannet-net/gannet/wire"
)

// Server is the host's side of all sessions. See the package comment for who drives it.
type Server struct {
	config  ServerConfig
	router  *msgs.Router
	log     logbook
	methods methods
	call    Call // what a method is lent
	stages  [numStages]serverStage
	meter   meter
	stats   ServerStats

	byConn  map[transport.Conn]*Player
	players []*Player // all, in the order in which they came
	queue   []*Player // who waits for a place, first come first
	slots   int       // places that are taken
	playing msgs.Target
	nextID  NetID

	closing  bool
	closesAt int64
}

// ServerStats counts what a Server did not do as it was asked to.
type ServerStats struct {
	InvalidID  uint64 // messages without an id that there is
	Bad        uint64 // messages that no client sends, those without an id included
	Abuse      uint64 // times that a client sent more of them than BadPackets allows
	OutOfTurn  uint64 // messages that did not belong to the stage of the client
	PingFlood  uint64 // pings above twice the rate
	Strays     uint64 // answers to no ping that was in flight
	Limited    uint64 // calls that came too early
	Unresolved uint64 // calls by a client that is no player
	NoMethod   uint64 // calls of a method that there is not
}

// NewServer makes a server, or returns all that is wrong with c.
func NewServer(c ServerConfig) (*Server, error) {
	c, err := c.withDefaults()
	if err != nil {
		return nil, err
	}
	s := &Server{config: c, log: newLogbook(c.Logger), methods: newMethods(c.Methods), byConn: map[transport.Conn]*Player{}, nextID: 1}
	s.stages = s.stageTable()
	s.log.send, s.log.receive, s.log.bad, s.log.from = c.Logs.SendToClient, c.Logs.ReceiveFromClient, c.Logs.BadMessages, msgs.Client
	s.meter.total = c.Traffic
	s.meter.reset()
	s.router, err = msgs.NewRouter(msgs.Config{
		Side:       msgs.Host,
		Catalogues: append([]msgs.Mount{{Catalogue: &Catalogue, AnyMode: anyMode()}}, c.Catalogues...),
		Handlers:   append(plain(s.handlers()), c.Handlers...),
		Joined:     s.connected,
		Left:       s.disconnected,
		Logger:     slog.New(onlyErrors{s.log.Handler()}),
		OnAbuse:    func(*msgs.Peer, msgs.Abuse) {}, // all that is bad is counted together here
		KeepUnread: true,
	})
	if err != nil {
		return nil, err
	}
	s.regroup()
	if c.Checks {
		logMissing(s.router, s.log.Logger)
	}
	return s, nil
}

// handlers is the table of what the server handles.
func (s *Server) handlers() []handler {
	p := s.config.Profiler
	rows := []handler{
		on(p, "Server.GetWorkshopFiles", s.getWorkshopFiles),
		on(p, "Server.ReadyToConnect", s.readyToConnect),
		on(p, "Server.Authenticate", s.authenticate),
		on(p, "Server.PingRequest", s.pingRequest),
		on(p, "Server.PingResponse", s.pingResponse),
		on(p, "Server.ValidateAssets", s.validateAssets),
		on(p, "Server.GracefullyDisconnect", s.gracefullyDisconnect),
	}
	if !s.config.Calls {
		rows = append(rows, onRaw(p, "Server.InvokeMethod", (*ClientInvokeMethod)(nil).Descriptor(), s.invokeMethod))
	}
	if s.config.AntiCheat != nil {
		rows = append(rows, on(p, "Server.ThirdPartyAntiCheat", s.antiCheat))
	}
	return rows
}

// Router is that of the server, to add handlers and to send by.
func (s *Server) Router() *msgs.Router { return s.router }

// Stats returns the counters.
func (s *Server) Stats() ServerStats { return s.stats }

// Traffic is what the transport carried since the server was made, or since LevelLoaded.
func (s *Server) Traffic() Traffic { return s.meter.read() }

// LevelLoaded tells the server that another level begins: Traffic starts at 0.
func (s *Server) LevelLoaded() { s.meter.reset() }

// Players yields who is in the game, in the order in which they connected.
func (s *Server) Players() []*Player {
	return slices.DeleteFunc(slices.Clone(s.players), func(p *Player) bool { return !p.Playing() })
}

// Playing is everybody who is in the game when it is sent to. Ask for it each time.
func (s *Server) Playing() msgs.Target { return s.playing }

// Waiting is how many clients wait for a place.
func (s *Server) Waiting() int { return len(s.queue) }

// Frame pumps a host in a game loop: what has come in, what waits for the frame, and the timers. What the frame sends leaves with the host's next Flush.
func (s *Server) Frame(d msgs.Driver) {
	d.Poll()
	for ev, ok := d.Next(); ok; ev, ok = d.Next() {
		if !s.Route(ev) { // the queue for the frame is full
			s.router.RunFrame()
			s.Route(ev)
		}
	}
	s.router.RunFrame()
	s.Tick()
}

// Route takes one event of a connection. What it reports is what msgs.Router.Route does.
func (s *Server) Route(ev transport.Event) bool {
	taken := s.router.Route(ev)
	if p := s.byConn[ev.Conn]; p != nil && ev.Kind == transport.Message {
		s.judge(p, ev.Payload)
	}
	return taken
}

// Tick runs the timers. Call it some ten times a second at least; Frame does.
func (s *Server) Tick() {
	now := s.config.Clock()
	for i := 0; i < len(s.players); {
		p := s.players[i]
		s.tick(p, now)
		if i < len(s.players) && s.players[i] == p { // who is gone has made room for the next one
			i++
		}
	}
	s.tickQueue(now)
	s.tickShutdown(now)
}

// tick runs the timers of one client.
func (s *Server) tick(p *Player, now int64) {
	s.judge(p, nil)
	if p.pings.isDue(now, s.config.PingEvery) {
		_ = s.sendPing(p, HostPingRequest{Sent: now})
	}
	switch {
	case now-p.pings.answered >= int64(s.config.Timeout):
		s.timeOut(p, "no answer to pings")
	case p.waitedFor() && now-p.since >= int64(s.config.JoinTimeout):
		s.end(p, Rejected{ReasonTimeout, "the client did not go on"})
	case p.stage == StageAuthenticate && now-p.since >= int64(s.config.Timeout):
		s.end(p, Rejected{ReasonAuthentication, "it could not be verified in time"})
	case (p.stage == StageVerify || p.stage == StageAccept) && now-p.since >= int64(s.config.JoinTimeout):
		s.end(p, Rejected{ReasonOther, "the server could not go on"}) // it could not send, or the game panicked
	case p.stage == StageQueue && now-p.pings.answered >= int64(s.config.JoinTimeout):
		s.timeOut(p, "silent in the queue")
	case s.config.MaxPing > 0 && p.Playing() && p.pings.quality.Smoothed > s.config.MaxPing:
		s.end(p, Kicked{ReasonPing, "the connection is too slow"})
	case s.assetsLate(p, now):
		s.end(p, Kicked{ReasonAssets, "the assets were not reported"})
	default:
		s.sendChunks(p)
	}
}

// sendable is a message that netgen wrote.
type sendable interface{ Send(msgs.Target) error }

// Send sends a message to a player.
func (s *Server) Send(p *Player, m sendable) error {
	return s.sent(p.peer, m.Send(p.peer))
}

// sent logs what was not sent.
func (s *Server) sent(p *msgs.Peer, err error) error {
	if err != nil {
		s.log.unsent(p, err)
	}
	return err
}

// sendPing sends a ping or the answer to one.
func (s *Server) sendPing(p *Player, m sendable) error {
	if s.config.ReliablePings {
		return s.sent(p.peer, m.Send(msgs.As(transport.ReliableOrdered, p.peer)))
	}
	return s.Send(p, m)
}

// Invoke calls method index of clients: Playing, a Peer, or another target of Router. The arguments are what args writes; nil is none.
func (s *Server) Invoke(to msgs.Target, mode transport.Delivery, index int, args func(*wire.BitWriter)) error {
	d := (*HostInvokeMethod)(nil).Descriptor()
	return sendRaw(inMode(mode, d, to), d, hostIDBits, appendCall(index, s.config.ClientMethods, args))
}

// regroup makes Playing anew.
func (s *Server) regroup() { s.playing = s.router.Only(s.others(nil)...) }

// others are the peers of all that play but for one.
func (s *Server) others(but *Player) []*msgs.Peer {
	var list []*msgs.Peer
	for _, p := range s.players {
		if p.Playing() && p != but {
			list = append(list, p.peer)
		}
	}
	return list
}
