package msgs_test

import (
	"log/slog"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/msgs"
	"github.com/gannet-net/gannet/transport"
)

// steady is how often something is done before it is in its steady state, and while it is measured.
const steady = 200

func noAllocations(t *testing.T, round func()) {
	t.Helper()
	for range steady {
		round()
	}
	require.Zero(t, testing.AllocsPerRun(steady, round))
}

// crowd is a host whose connections forget what was sent, with a handler for everything.
func crowd(t *testing.T, c msgs.Config, handlers ...msgs.Handler) (*table, []*conn) {
	c.Logger = slog.New(slog.DiscardHandler)
	tb := newTable(t, c, handlers...)
	var conns []*conn
	for id := uint32(1); id <= 8; id++ {
		c := &conn{id: id, forgets: true}
		tb.connects(c)
		conns = append(conns, c)
	}
	return tb, conns
}

func TestReceivingAMessageAllocatesNothing(t *testing.T) {
	sum := int64(0)
	for name, c := range map[string]msgs.Config{
		"untimed": {},
		"timed":   {Clock: func() int64 { return 1 }, Outcome: func(*msgs.Peer, uint64, transport.Fate) { sum++ }},
	} {
		t.Run(name, func(t *testing.T) {
			tb, conns := crowd(t, c, msgs.On(func(_ *msgs.In, m *Move) { sum += int64(m.X) }), msgs.On(ignoreSay))
			move, say := encoded(&Move{X: 1}), encoded(&Say{Text: "the same as before"})
			noAllocations(t, func() {
				for _, c := range conns {
					tb.Route(transport.Event{Kind: transport.Message, Conn: c, Payload: move})
					tb.Route(transport.Event{Kind: transport.Message, Conn: c, Payload: say, Delivery: ordered})
					tb.Route(transport.Event{Kind: transport.Outcome, Conn: c, Receipt: 1})
				}
			})
			require.Zero(t, tb.Stats().Drops.Total())
		})
	}
	require.Positive(t, sum)
}

func TestReceivingWhatIsDroppedAllocatesNothing(t *testing.T) {
	tb, conns := crowd(t, msgs.Config{})
	unknown, ready := []byte{99}, encoded(&Ready{})
	noAllocations(t, func() {
		for _, c := range conns {
			tb.Route(transport.Event{Kind: transport.Message, Conn: c, Payload: unknown})
			tb.Route(transport.Event{Kind: transport.Message, Conn: c, Payload: ready, Delivery: ordered})
		}
	})
	require.Positive(t, tb.Stats().Drops[msgs.DropUnknown])
}

// To find the field in which a message fails takes many times what it takes to find out that it fails.
func TestTheFieldOfAMalformedMessageIsNotLookedForUnlessSomebodyAsks(t *testing.T) {
	tb, conns := crowd(t, msgs.Config{OnAbuse: func(*msgs.Peer, msgs.Abuse) {}}, msgs.On(ignoreSay))
	short := encoded(&Say{Text: "cut"})
	short = short[:len(short)-1]
	round := func() {
		tb.Route(transport.Event{Kind: transport.Message, Conn: conns[0], Payload: short, Delivery: ordered})
	}
	round()
	require.LessOrEqual(t, testing.AllocsPerRun(steady, round), 2.0, "a copy of the bytes and who they are for")
	require.EqualValues(t, steady+2, tb.Stats().Drops[msgs.DropMalformed])
}

func TestSendingAllocatesNothing(t *testing.T) {
	tb, _ := crowd(t, msgs.Config{})
	p, text := tb.Peer(1), "hello"
	noAllocations(t, func() {
		_ = Say{From: 1, Text: text}.Send(p)
		_ = Say{From: 1, Text: text}.Send(tb.Peer(2))
	})
	require.Positive(t, tb.Stats().Out.Messages)
	require.Zero(t, tb.Stats().Unsent)
}

func TestSendingToManyAllocatesNothing(t *testing.T) {
	tb, _ := crowd(t, msgs.Config{})
	p, text := tb.Peer(1), "hello"
	some := tb.Only(tb.Peer(1), tb.Peer(3))
	noAllocations(t, func() {
		_ = Say{From: 1, Text: text}.Send(tb.All())
		_ = Say{From: 1, Text: text}.Send(tb.Except(p))
		_ = Say{From: 1, Text: text}.Send(some)
		_ = World{Frame: 1}.Send(tb.All()) // nobody is in its state
	})
	require.Zero(t, tb.Stats().Out.Messages%(8+7+2))
	require.Zero(t, tb.Stats().Unsent)
}

func TestRelayingAllocatesNothing(t *testing.T) {
	tb, conns := crowd(t, msgs.Config{}, msgs.On(func(in *msgs.In, _ *Say) { _ = in.Relay(in.Router.Except(in.Peer)) }))
	say := encoded(&Say{Text: "hello"})
	noAllocations(t, func() {
		tb.Route(transport.Event{Kind: transport.Message, Conn: conns[0], Payload: say, Delivery: ordered})
	})
	require.Equal(t, 7*tb.Stats().Handled.Messages, tb.Stats().Out.Messages)
}

func TestAFrameAllocatesNothing(t *testing.T) {
	tb, conns := crowd(t, msgs.Config{}, msgs.OnFrame(func(in *msgs.In, m *Say) { _ = in.Relay(in.Peer) }))
	say := encoded(&Say{Text: "hello"})
	noAllocations(t, func() {
		for _, c := range conns {
			tb.Route(transport.Event{Kind: transport.Message, Conn: c, Payload: say, Delivery: ordered})
		}
		tb.RunFrame()
	})
	require.Positive(t, tb.Stats().Handled.Messages)
	require.Equal(t, tb.Stats().Handled, tb.Stats().Out)
}

func TestReadingCountersAllocatesNothing(t *testing.T) {
	tb, _ := crowd(t, msgs.Config{})
	sum := uint64(0)
	noAllocations(t, func() {
		sum += tb.Stats().Handled.Messages + 1
		for stats := range tb.Messages() {
			sum += stats.Out.Messages
		}
		for p := range tb.Peers() {
			sum += p.Stats().Unsent
		}
	})
	require.NotZero(t, sum)
}
