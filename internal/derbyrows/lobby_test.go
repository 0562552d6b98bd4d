package derbyrows

import (
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/loopback"
	"github.com/gannet-net/gannet/msgs"
	"github.com/gannet-net/gannet/msgs/derby"
	"github.com/gannet-net/gannet/transport"
)

// kinds are all messages, by id.
var kinds = map[uint16]func() msgs.Message{
	1: kind[derby.Ping], 2: kind[derby.Pong],
	10: kind[derby.Hello], 11: kind[derby.Welcome], 12: kind[derby.Refuse], 13: kind[derby.Roster], 14: kind[derby.SetBatter], 15: kind[derby.StartRun], 16: kind[derby.Leave],
	30: kind[derby.RoundStart], 31: kind[derby.TurnStart], 32: kind[derby.PlayFeed], 33: kind[derby.TurnEnd], 34: kind[derby.RoundEnd],
	35: kind[derby.ShopReady], 36: kind[derby.ReadyState], 37: kind[derby.IntroDone], 38: kind[derby.IntroProgress],
	40: kind[derby.AtBatBegin], 41: kind[derby.AtBatPose], 42: kind[derby.AtBatPitch], 43: kind[derby.AtBatSwing], 44: kind[derby.AtBatResult],
}

func kind[T any, P interface {
	*T
	msgs.Message
}]() msgs.Message {
	return P(new(T))
}

func encoded(m msgs.Message) []byte {
	b, err := m.Append(nil)
	if err != nil {
		panic(err)
	}
	return b
}

// decoded is the message in b, or nil if it is none.
func decoded(b []byte) msgs.Message {
	if len(b) == 0 || kinds[uint16(b[0])] == nil {
		return nil
	}
	m := kinds[uint16(b[0])]()
	if m.Parse(b) != nil {
		return nil
	}
	return m
}

// raw is one end of a connection whose other end is a derby.Host or derby.Client. It says what the test wants, and keeps what it hears.
type raw struct {
	*testing.T
	conn  *loopback.Conn
	other transport.Conn
	heard []transport.Event // payloads are copies
	ended error
}

// says sends a message as its catalogue says.
func (r *raw) says(m msgs.Message) {
	r.bytes(encoded(m), m.Descriptor().Entry.Delivery)
}

func (r *raw) bytes(b []byte, d transport.Delivery) {
	r.Helper()
	require.NoError(r, r.conn.Send(b, transport.SendOptions{Delivery: d}))
}

func (r *raw) listen() {
	r.conn.Poll()
	for ev, ok := r.conn.Next(); ok; ev, ok = r.conn.Next() {
		switch ev.Kind {
		case transport.Message:
			ev.Payload = ev.Retain()
			r.heard = append(r.heard, ev)
		case transport.Disconnected:
			r.ended = ev.Err
		}
	}
}

// names are the types of what was heard since it was called last, and forgotten with that.
func (r *raw) names() (list []string) {
	for _, ev := range r.heard {
		list = append(list, name(decoded(ev.Payload)))
	}
	r.heard = nil
	return list
}

func name(m msgs.Message) string { return strings.TrimPrefix(fmt.Sprintf("%T", m), "*derby.") }

// last is the newest message of that type that was heard.
func last[T any, P interface {
	*T
	msgs.Message
}](r *raw) P {
	r.Helper()
	for i := len(r.heard) - 1; i >= 0; i-- {
		if m, ok := decoded(r.heard[i].Payload).(P); ok {
			return m
		}
	}
	require.FailNow(r, "no such message was heard", "%T, of %v", P(nil), r.names())
	return nil
}

// lobby is a derby.Host with raw clients, in one process and in the test's own time.
type lobby struct {
	*testing.T
	*derby.Host
	now   int64
	log   strings.Builder
	peers []*raw

	shown          []string // the game's messages at the host, in words
	intros, shops  int      // how often the gates were passed
	rosters        [][]derby.PlayerInfo
	lastShown      []msgs.Message // copies
	lastShownTimes []float64
}

func newLobby(t *testing.T, settings ...func(*derby.HostConfig)) *lobby {
	l := &lobby{T: t}
	c := derby.HostConfig{
		Version: "1.0", Clock: func() int64 { return l.now }, Logger: slog.New(slog.NewTextHandler(&l.log, nil)),
		IntroOver: func() { l.intros++ }, ShopOver: func() { l.shops++ },
		Roster: func(players []derby.PlayerInfo) { l.rosters = append(l.rosters, players) },
		Game: func(m derby.GameMessage) {
			l.shown = append(l.shown, fmt.Sprintf("%d: %s", m.From, name(m.Message)))
			l.lastShown = append(l.lastShown, decoded(encoded(m.Message)))
			l.lastShownTimes = append(l.lastShownTimes, m.At)
		},
	}
	for _, set := range settings {
		set(&c)
	}
	var err error
	l.Host, err = derby.NewHost(c)
	require.NoError(t, err)
	return l
}

func withSelf(c *derby.HostConfig) { c.Self = &derby.PlayerInfo{Name: "Host"} }

// connects is a client that has not said Hello.
func (l *lobby) connects() *raw {
	client, host, err := loopback.Pipe(loopback.Config{
		Driving: transport.GameLoop, ID: uint32(1 + len(l.peers)), Clock: func() int64 { return l.now }, Poison: true,
	})
	require.NoError(l, err)
	r := &raw{T: l.T, conn: client, other: host}
	l.peers = append(l.peers, r)
	l.turn()
	return r
}

var hello = derby.Hello{Protocol: derby.Catalogue.Protocol, Version: "1.0", Player: derby.PlayerInfo{Name: "Ann"}}

// joins is a client that was admitted. Its number is 1 and up in the order of joining.
func (l *lobby) joins() *raw {
	r := l.connects()
	r.says(&hello)
	l.turn()
	require.NotZero(l, last[derby.Welcome](r).Player)
	return r
}

// joined are so many clients who were admitted and have forgotten what they heard.
func (l *lobby) joined(n int) []*raw {
	list := make([]*raw, n)
	for i := range list {
		list[i] = l.joins()
	}
	l.forget()
	return list
}

// id is the number of a client.
func (l *lobby) id(r *raw) derby.PlayerID { return derby.PlayerID(r.other.ID()) }

// pump is the first part of a frame: what has come in.
func (l *lobby) pump() {
	for _, r := range l.peers {
		l.Router().Pump(r.other)
	}
}

// turn is a frame of the host and of all clients.
func (l *lobby) turn() {
	l.now += int64(time.Second / 60)
	l.pump()
	l.Router().RunFrame()
	for _, r := range l.peers {
		r.listen()
	}
}

func (l *lobby) forget() {
	l.shown, l.lastShown, l.lastShownTimes, l.rosters = nil, nil, nil, nil
	for _, r := range l.peers {
		r.heard = nil
	}
}

// plays starts a run and an inning in which batter is at the plate.
func (l *lobby) plays(batter *raw) {
	require.NoError(l, l.StartRun(derby.StartRun{Seed: 1}))
	require.NoError(l, l.StartRound(derby.RoundStart{Pool: 3}))
	require.NoError(l, l.StartTurn(derby.TurnStart{Batter: l.id(batter)}))
	l.turn()
	l.forget()
}

// drops are the counters of the router that are not 0.
func (l *lobby) drops() string { return fmt.Sprint(l.Router().Stats().Drops) }

// guest is a derby.Client with a raw host.
type guest struct {
	*testing.T
	*derby.Client
	now  int64
	host *raw
	conn *loopback.Conn

	shown  []string
	times  []float64
	seen   []msgs.Message
	runs   []derby.StartRun
	wel    []derby.PlayerID
	ends   []error
	tables int // how often the roster was told
}

func newGuest(t *testing.T, settings ...func(*derby.ClientConfig)) *guest {
	g := &guest{T: t}
	c := derby.ClientConfig{
		Version: "1.0", Self: derby.PlayerInfo{Name: "Ann", BatterID: "ox"}, Clock: func() int64 { return g.now },
		Welcomed:   func(id derby.PlayerID) { g.wel = append(g.wel, id) },
		Roster:     func([]derby.PlayerInfo) { g.tables++ },
		RunStarted: func(m *derby.StartRun) { g.runs = append(g.runs, *m) },
		Ended:      func(err error) { g.ends = append(g.ends, err) },
		Game: func(m derby.GameMessage) {
			g.shown = append(g.shown, name(m.Message))
			g.times = append(g.times, m.At)
			g.seen = append(g.seen, decoded(encoded(m.Message)))
		},
	}
	for _, set := range settings {
		set(&c)
	}
	var err error
	g.Client, err = derby.NewClient(c)
	require.NoError(t, err)
	client, host, err := loopback.Pipe(loopback.Config{Driving: transport.GameLoop, Clock: func() int64 { return g.now }, Poison: true})
	require.NoError(t, err)
	g.conn, g.host = client, &raw{T: t, conn: host, other: client}
	g.turn()
	return g
}

// admitted is a guest whom the host has welcomed as player 5, and who has forgotten what it heard.
func admitted(t *testing.T, settings ...func(*derby.ClientConfig)) *guest {
	g := newGuest(t, settings...)
	g.hears(&derby.Welcome{Player: 5})
	g.host.heard = nil
	return g
}

// inRun is admitted, with a run under way.
func inRun(t *testing.T, settings ...func(*derby.ClientConfig)) *guest {
	g := admitted(t, settings...)
	g.hears(&derby.StartRun{Seed: 1})
	g.shown, g.times, g.seen = nil, nil, nil
	return g
}

func (g *guest) turn() {
	g.now += int64(time.Second / 60)
	g.Router().Pump(g.conn)
	g.Router().RunFrame()
	g.host.listen()
}

// hears lets the host say things, and a frame go by after each.
func (g *guest) hears(list ...msgs.Message) {
	for _, m := range list {
		g.host.says(m)
		g.turn()
	}
}

func (g *guest) drops() string { return fmt.Sprint(g.Router().Stats().Drops) }
