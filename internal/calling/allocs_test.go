package calling

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	arena "github.com/gannet-net/gannet/internal/testcontract"
	"github.com/gannet-net/gannet/rpc"
)

// quiet is a door, and its client's side, that does nothing.
type quiet struct{ wall }

func (*quiet) Toggle(rpc.ServerCall, arena.Latch, arena.Pos) error      { return nil }
func (*quiet) Price(rpc.ServerCall, uint16) (arena.Coins, error)        { return 1, nil }
func (*quiet) Damage(uint8, arena.Pos, arena.Cause, arena.Limb, uint64) {}
func (*quiet) Heal(rpc.ServerCall, uint8) error                         { return nil }

// calm binds a quiet door, and a life that all can hurt.
func (tb *table) calm(t testing.TB) (door, life rpc.NetID) {
	objects := tb.server.Objects()
	door, err := objects.Claim()
	require.NoError(t, err)
	require.NoError(t, arena.BindDoorServer(tb.server.Calls, door, &quiet{}))
	life, err = objects.Claim()
	require.NoError(t, err)
	require.NoError(t, arena.BindLifeServer(tb.server.Calls, life, &quiet{}))
	for _, s := range tb.clients {
		require.NoError(t, arena.BindDoorClient(s.Calls, door, &quiet{}))
		require.True(t, objects.Show(door, s.peer))
	}
	return door, life
}

func TestCallsAllocateNothing(t *testing.T) {
	for _, way := range []string{"encoded", "direct", "sockets"} {
		t.Run(way, func(t *testing.T) {
			tb := (*table)(nil)
			if way == "sockets" {
				tb = sitUDP(t, unlimited)
			} else {
				tb = sit(t, 2, unlimited)
			}
			client := tb.clients[0]
			if way == "direct" {
				require.NoError(t, rpc.Direct(tb.server.Calls, client.peer, client.Calls))
			}
			door, life := tb.calm(t)
			done := func(arena.Coins, error) {}
			failed := 0
			call := func(err error) {
				if err != nil {
					failed++
				}
			}
			frame := func() {
				call(arena.DoorRef{ID: door}.Swung(tb.server.All().Except(tb.clients[len(tb.clients)-1].peer), 45))
				call(arena.DoorRef{ID: door}.Painted(tb.server.Observers(door), 3))
				call(arena.DoorRef{ID: door}.Painted(tb.server.To(client.peer), 3))
				call(arena.LifeRef{ID: life}.Damage(client.Server(), 3, arena.Pos{X: 1}, arena.Fire, arena.Leg, 7))
				_, err := arena.DoorRef{ID: door}.Price(client.Server().Within(time.Minute), 3, done) // however long the machine holds the sockets up
				call(err)
				tb.step()
			}
			for range 2000 {
				frame()
			}
			require.Zero(t, testing.AllocsPerRun(500, frame))
			require.Zero(t, failed)
			require.Greater(t, tb.server.Stats().Handled.Calls, uint64(2000))
			require.Equal(t, "none", tb.server.drops())
			require.Equal(t, "none", client.drops())
		})
	}
}

// step is a frame of everybody.
func (tb *table) step() {
	if tb.clock != nil {
		tb.now = tb.clock()
	}
	tb.server.step(tb.now)
	for _, s := range tb.clients {
		s.step(tb.now)
	}
}

func (s *side) step(now int64) {
	s.Tick(now)
	for _, d := range s.from {
		s.router.Pump(d)
	}
	s.Run(rpc.AfterFixed)
	s.Run(rpc.BeforeRender)
	for _, d := range s.from {
		d.(interface{ Flush() }).Flush()
	}
}
