package calling

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	arena "github.com/gannet-net/gannet/internal/testcontract"
	"github.com/gannet-net/gannet/transport"
)

// right is what the contract allows of one method of the server, written down by hand.
type right struct {
	method      string
	frame       []byte
	owner       bool // only the owner
	unreliable  bool // may be
	playingOnly bool
}

// TestTheRightsOfEachMethodInEachSituation asks for each method, by each kind of caller, in each mode, on each channel, and in each state of the session, whether it runs.
func TestTheRightsOfEachMethodInEachSituation(t *testing.T) {
	cells := 0
	for method := range 8 {
		for _, caller := range []string{"owner", "other", "kicked"} {
			for mode := transport.Unreliable; mode <= transport.ReliableSequenced; mode++ {
				for _, channel := range []uint8{0, 1} {
					for _, playing := range []bool{false, true} {
						tb := sit(t, 2, unlimited)
						r := tb.rights()[method]
						s := tb.clients[0]
						if caller != "owner" {
							s = tb.clients[1]
						}
						if playing {
							require.NoError(t, s.peer.Enter(arena.StatePlaying))
						}
						require.NoError(t, s.router.Host().Conn().Send(r.frame, transport.SendOptions{Delivery: mode, Channel: channel}))
						if caller == "kicked" {
							s.peer.Kick(1, "")
						}
						tb.plays()

						modes := mode == transport.ReliableOrdered || r.unreliable && mode == transport.Unreliable
						want := ""
						switch {
						case caller == "kicked":
							want = "none" // the router takes nothing of it
						case !modes || channel != 0:
							want = "mode=1"
						case r.playingOnly && !playing:
							want = "state=1"
						case r.owner && caller != "owner":
							want = "owner=1"
						}
						cell := fmt.Sprint(r.method, " ", caller, " ", mode, " ", channel, " playing ", playing)
						if want == "" {
							require.Len(t, tb.diary, 1, cell)
							want = "none"
						} else {
							require.Empty(t, tb.diary, cell)
						}
						require.Equal(t, want, tb.server.drops(), cell)
						cells++
					}
				}
			}
		}
	}
	require.Equal(t, 8*3*5*2*2, cells)
}

// rights binds a door and a life of the first client, and gives the methods of the server.
func (tb *table) rights() []right {
	id, _ := tb.hangs()
	player := tb.claims()
	require.NoError(tb, arena.BindLifeServer(tb.server.Calls, player, &lifeOf{tb}))
	require.True(tb, tb.server.Objects().Own(player, tb.clients[0].peer))
	tb.now += int64(time.Second)
	return []right{
		{method: "LevelServer.Hello", frame: frame(hello)},
		{method: "LevelServer.Spawn", frame: frame(spawn, bits(1, 16)), playingOnly: true},
		{method: "LevelServer.Save", frame: frame(save, bits(1, 16), bits(1000, 16))},
		{method: "DoorServer.Toggle", frame: frame(toggle, on(id), bits(0, 2), pos), owner: true},
		{method: "DoorServer.Price", frame: frame(price, on(id), bits(1, 16), bits(1000, 16), bits(7, 16))},
		{method: "LifeServer.Damage", frame: frame(damage, on(player), bits(1, 8), pos, bits(2, 3), bits(1, 2), bits(0, 32), bits(9, 32))},
		{method: "LevelServer.Say", frame: frame(say, bits(1, 1)), unreliable: true},
		{method: "LifeServer.Heal", frame: frame(heal, on(player), bits(5, 8)), owner: true},
	}
}

func TestTheWorkedExampleTakesWhatItSays(t *testing.T) {
	tb := sit(t, 1)
	player := tb.claims()
	require.NoError(t, arena.BindLifeServer(tb.server.Calls, player, &lifeOf{tb}))
	require.NoError(t, arena.LifeRef{ID: player}.Damage(tb.clients[0].Server(), 200, arena.Pos{X: -4096, Y: 0.5, Z: 4095}, arena.Crash, arena.Leg, 1<<63|5))
	tb.plays()
	require.Equal(t, []string{"damage 200 {-4096 0.5 4095} Crash Leg 8000000000000005"}, tb.happened())
	out := uint64(4 + 32 + 8 + 3*22 + 3 + 2 + 64) // bits
	require.Equal(t, (out+7)/8, tb.clients[0].Stats().Sent.Bytes)
}
