package calling

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	arena "github.com/gannet-net/gannet/internal/testcontract"
	"github.com/gannet-net/gannet/rpc"
	"github.com/gannet-net/gannet/transport"
	"github.com/gannet-net/gannet/wire"
)

// Indexes of the server's methods, and of what is none.
const (
	hello   = 0
	spawn   = 1
	save    = 2
	toggle  = 3
	price   = 4
	damage  = 5
	say     = 6
	heal    = 7
	control = 8 // of 4 bits
)

// frame is a frame for the server: an index and what body writes.
func frame(index int, body ...func(*wire.BitWriter)) []byte {
	w := wire.NewBitWriter(nil)
	w.Bits(uint32(index), 4)
	for _, f := range body {
		f(&w)
	}
	return w.Bytes()
}

func bits(v uint32, n int) func(*wire.BitWriter) { return func(w *wire.BitWriter) { w.Bits(v, n) } }
func on(id rpc.NetID) func(*wire.BitWriter)      { return bits(uint32(id), 32) }
func pos(w *wire.BitWriter)                      { w.Vec3(1, 2, 3, 13, 9) }

// hostile is a frame that is not handled, or is.
type hostile struct {
	name      string
	end       string // the counter
	malformed bool
	bytes     []byte
	mode      transport.Delivery
	channel   uint8
	ran       int // methods
}

// hostiles are frames of a client that owns the door mine, but not the life. gone was released.
func hostiles(mine, life, gone rpc.NetID) []hostile {
	const ordered, unreliable = transport.ReliableOrdered, transport.Unreliable
	return []hostile{
		{"nothing", "empty", true, []byte{}, ordered, 0, 0},
		{"half a net id", "empty", true, frame(toggle, bits(0, 20)), ordered, 0, 0},
		{"half the head of a request", "empty", true, frame(save, bits(1, 16)), ordered, 0, 0},
		{"half a control frame", "empty", true, frame(control, bits(0, 4)), ordered, 0, 0},
		{"an index above the last", "unknown", true, frame(9), ordered, 0, 0},
		{"the highest index", "unknown", true, frame(15), ordered, 0, 0},
		{"in another mode", "mode", true, frame(hello), unreliable, 0, 0},
		{"in a state that it is not for", "state", false, frame(spawn, bits(1, 16)), ordered, 0, 0},
		{"too short", "size", true, frame(damage, on(life), bits(0, 32), bits(0, 32), bits(0, 32)), ordered, 0, 0},
		{"too long", "size", true, frame(hello, bits(0, 32)), ordered, 0, 0},
		{"to an id that was never there", "target", false, frame(heal, on(999), bits(1, 8)), ordered, 0, 0},
		{"to no id", "target", false, frame(heal, on(0), bits(1, 8)), ordered, 0, 0},
		{"to an object that was released", "target", false, frame(heal, on(gone), bits(1, 8)), ordered, 0, 0},
		{"to an object of another kind", "type", false, frame(heal, on(mine), bits(1, 8)), ordered, 0, 0},
		{"to an object of somebody else", "owner", false, frame(heal, on(life), bits(1, 8)), ordered, 0, 0},
		{"an enum above the last", "malformed", true, frame(toggle, on(mine), bits(3, 2), pos), ordered, 0, 0},
		{"a text that is not UTF-8", "malformed", true, frame(say, bits(0, 1), bits(0, 5), func(w *wire.BitWriter) { w.Align(); w.Raw([]byte{0xff}) }), ordered, 0, 0},
		{"a text that is cut", "malformed", true, frame(say, bits(0, 1), bits(9, 5), func(w *wire.BitWriter) { w.Align(); w.Raw([]byte("four")) }), ordered, 0, 0},
		{"padding that is not zero", "malformed", true, frame(hello, bits(1, 1)), ordered, 0, 0},
		{"with leftovers", "unread", true, frame(say, bits(0, 1), bits(0, 5), func(w *wire.BitWriter) { w.Align(); w.Raw([]byte("ab")) }), ordered, 0, 0},
		{"a reply to nothing", "stray", false, frame(control, bits(0, 1), bits(5, 16), bits(0, 4)), ordered, 0, 0},
		{"a cancellation of nothing", "stray", false, frame(control, bits(1, 1), bits(5, 16)), ordered, 0, 0},
		{"a cancellation that goes on", "unread", true, frame(control, bits(1, 1), bits(5, 16), bits(0, 16)), ordered, 0, 0},
		{"a request whose caller waits no more", "late", false, frame(save, bits(1, 16), bits(0, 16)), ordered, 0, 0},
		{"a request", "none", false, frame(save, bits(2, 16), bits(1000, 16)), ordered, 0, 1},
		{"the same request", "duplicate", false, frame(save, bits(2, 16), bits(1000, 16)), ordered, 0, 0},
		{"a call as it should be", "none", false, frame(toggle, on(mine), bits(2, 2), pos), ordered, 0, 1},
		{"in the other mode that it may have", "none", false, frame(say, bits(1, 1)), unreliable, 0, 1},
	}
}

// scene binds a door, which the client owns, and a life, and releases another door.
func (tb *table) scene() (mine, life, gone rpc.NetID) {
	objects := tb.server.Objects()
	mine, _ = tb.hangs()
	gone, _ = tb.hangs()
	objects.Release(gone)
	life, err := objects.Claim()
	require.NoError(tb, err)
	require.NoError(tb, arena.BindLifeServer(tb.server.Calls, life, &lifeOf{tb}))
	return mine, life, gone
}

func TestEachWayInWhichACallCanEndIsCounted(t *testing.T) {
	for name, sits := range map[string]func(*testing.T, ...func(*rpc.Config)) *table{
		"loopback": func(t *testing.T, edit ...func(*rpc.Config)) *table { return sit(t, 1, edit...) },
		"sockets":  sitUDP,
	} {
		t.Run(name, func(t *testing.T) {
			tb := sits(t)
			client := tb.clients[0]
			for _, h := range hostiles(tb.scene()) {
				tb.server.ResetStats()
				tb.server.router.ResetStats()
				tb.happened()
				tb.now += int64(time.Second) // or so much that is malformed would be abuse
				conn := client.router.Host().Conn()
				require.NoError(t, conn.Send(h.bytes, transport.SendOptions{Delivery: h.mode, Channel: h.channel}), h.name)
				tb.until(func() bool { return tb.server.router.Stats().Handled.Messages == 1 })
				stats := tb.server.Stats()
				if h.ran == 0 {
					h.end += "=1"
				}
				require.Equal(t, h.end, stats.Drops.String(), h.name)
				require.Equal(t, stats.Drops, tb.server.Peer(client.peer).Drops)
				require.Equal(t, uint64(h.ran), stats.Handled.Calls, h.name)
				require.Len(t, tb.diary, h.ran, h.name)
				for drop := range stats.Drops.All() {
					require.Equal(t, h.malformed, drop.Malformed(), h.name)
				}
			}
			require.Nil(t, client.router.Host().Conn().Err(), "the session lives")
		})
	}
}

func TestACallOnAnotherChannelOrOfAnotherSideIsNotHandled(t *testing.T) {
	tb := sit(t, 1)
	client := tb.clients[0]

	t.Log("hello has channel 0, and calls have two")
	require.NoError(t, client.router.Host().Conn().Send(frame(hello), transport.SendOptions{Delivery: transport.ReliableOrdered, Channel: 1}))
	tb.plays()
	require.Equal(t, "mode=1", tb.server.drops())

	t.Log("what the client runs the client cannot call: whoever sends it, it is an index of the server's")
	require.ErrorIs(t, arena.LevelRef{}.LevelNumber(client.Server(), 1), rpc.ErrSide)
	require.ErrorIs(t, arena.LevelRef{}.Hello(tb.server.All()), rpc.ErrSide)
	require.Empty(t, tb.happened())
}

func TestWhateverComesIsCountedAndNothingPanics(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	tb := sit(t, 1, unlimited)
	mine, life, _ := tb.scene()
	client := tb.clients[0]
	client.shows(tb.claims())
	ids := []rpc.NetID{mine, life, 3, 0}
	const frames = 20_000
	for range frames {
		b := make([]byte, random.IntN(24))
		for i := range b {
			b[i] = byte(random.Uint32())
		}
		if len(b) >= 5 && random.IntN(2) == 0 { // to an object that is there, as far as that goes
			id := ids[random.IntN(len(ids))]
			b[0] = b[0]&15 | byte(id)<<4
			b[1], b[2], b[3], b[4] = byte(id>>4), 0, 0, b[4]&0xf0
		}
		o := transport.SendOptions{Delivery: transport.Delivery(random.IntN(5)), Channel: uint8(random.IntN(2))}
		require.NoError(t, client.router.Host().Conn().Send(b, o))
		require.NoError(t, client.peer.Conn().Send(b, o))
		tb.now += int64(time.Second) // or it would be abuse
		tb.step()
	}
	tb.plays()
	for _, s := range []*side{tb.server, client} {
		stats := s.Stats()
		require.Zero(t, stats.Drops[rpc.DropPanic])
		require.NotZero(t, stats.Handled.Calls)
		require.LessOrEqual(t, stats.Handled.Calls+stats.Drops.Total(), s.router.Stats().Handled.Messages)
	}
	stats := tb.server.Stats()
	require.Equal(t, tb.server.router.Stats().Handled.Messages, stats.Handled.Calls+stats.Drops.Total(), "nothing waits at the server")
	require.GreaterOrEqual(t, tb.server.router.Stats().Handled.Messages, uint64(frames))
}
