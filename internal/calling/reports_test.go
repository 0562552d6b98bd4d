package calling

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	arena "github.com/gannet-net/gannet/internal/testcontract"
	"github.com/gannet-net/gannet/msgs"
	"github.com/gannet-net/gannet/rpc"
	"github.com/gannet-net/gannet/sim"
	"github.com/gannet-net/gannet/udp"
)

// network is a server and clients on a simulated network, in virtual time.
type network struct {
	*table
	*sim.Network
	node  *sim.Node
	stall time.Duration // for which the server stands still
}

func newNetwork(t *testing.T, c sim.Conditions, edit ...func(*rpc.Config)) *network {
	nw := &network{table: &table{T: t}, Network: sim.New(1)}
	nw.SetDefault(c)
	nw.node = nw.Node("server")
	host, err := udp.Listen("", nw.config(nw.node, 7777))
	require.NoError(t, err)
	nw.server = nw.newSide(msgs.Host, edit...)
	nw.server.from = []msgs.Driver{host}
	next := int64(0)
	nw.node.Attach(sim.ProcessFunc(func(now int64) int64 {
		if nw.stall > 0 {
			next, nw.stall = now+int64(nw.stall), 0
		}
		if now >= next {
			nw.server.step(nw.node.Clock())
		}
		return now + int64(time.Second/60)
	}))
	t.Cleanup(func() { require.NoError(t, nw.Audit()) })
	return nw
}

func (nw *network) config(n *sim.Node, port uint16) udp.Config {
	socket, err := n.Listen(port)
	require.NoError(nw.table, err)
	return udp.Config{Protocol: udp.Base, Plain: udp.PlainPrivateLAN, Driving: udp.GameLoop, Socket: socket, Clock: n.Clock, Seed: [32]byte{1}, Poison: true}
}

// dials adds a client that calls frame, which may be nil, once a frame.
func (nw *network) dials(name string, frame func()) *side {
	n := nw.Node(name)
	conn, err := udp.Dial(context.Background(), nw.node.AddrPort(7777).String(), nw.config(n, 0))
	require.NoError(nw.table, err)
	s := nw.newSide(msgs.Client)
	s.from = []msgs.Driver{conn}
	nw.clients = append(nw.clients, s)
	n.Attach(sim.ProcessFunc(func(now int64) int64 {
		s.step(n.Clock())
		if frame != nil && conn.ID() != 0 {
			frame()
		}
		return now + int64(time.Second/60)
	}))
	nw.RunFor(time.Second)
	s.peer = nw.server.router.Peer(conn.ID())
	require.NotNil(nw.table, s.peer)
	return s
}

// B104
func TestLateCallsNeverReachTheNewcomer(t *testing.T) {
	for _, another := range []bool{false, true} {
		nw := newNetwork(t, sim.Conditions{Delay: 100 * time.Millisecond}, unlimited)
		var old rpc.NetID
		frames := 0
		nw.dials("client", func() {
			if frames++; old != 0 && frames%2 == 0 {
				_, err := arena.DoorRef{ID: old}.Price(nw.clients[0].Server(), 1, nil)
				require.NoError(t, err)
			}
		})
		old, _ = nw.hangs()
		nw.RunFor(time.Second)
		require.NotEmpty(t, nw.happened())
		require.True(t, nw.server.Objects().Release(old))
		nw.RunFor(20 * time.Millisecond)
		newcomer := nw.claims()
		require.NotEqual(t, old, newcomer)
		if another {
			require.NoError(t, arena.BindLifeServer(nw.server.Calls, newcomer, &lifeOf{nw.table}))
		} else {
			require.NoError(t, arena.BindDoorServer(nw.server.Calls, newcomer, &door{table: nw.table}))
		}
		nw.RunFor(time.Second)
		require.Empty(t, nw.happened())
		require.Greater(t, nw.server.Stats().Drops[rpc.DropTarget], uint64(20))
		require.Nil(t, nw.clients[0].router.Host().Conn().Err())
	}
}

// B105: the client binds an object some time after it was told of it, and calls to it come at once. LevelNumber tells of it here, by its id.
func TestACallThatComesBeforeItsObjectWaitsForIt(t *testing.T) {
	for _, c := range []struct {
		after time.Duration
		runs  bool
	}{{0, true}, {50 * time.Millisecond, true}, {900 * time.Millisecond, true}, {3 * time.Second, false}} {
		nw := newNetwork(t, sim.Conditions{Delay: 30 * time.Millisecond, Loss: sim.Percent(20), Reorder: sim.Percent(20), ReorderDelay: 40 * time.Millisecond})
		client := nw.dials("client", nil)
		var due []int64 // when the objects 1, 2, 3 … are bound
		var told []uint8
		var order []string
		nw.Node("binder").Attach(sim.ProcessFunc(func(now int64) int64 {
			for _, line := range nw.happened() {
				order = append(order, line)
				var number uint8
				if n, _ := fmt.Sscanf(line, "client 1: level %d", &number); n == 1 {
					told, due = append(told, number), append(due, now+int64(c.after))
				}
			}
			for len(due) > 0 && due[0] <= now {
				client.shows(rpc.NetID(told[0]))
				told, due = told[1:], due[1:]
			}
			return now + int64(time.Millisecond)
		}))
		for i := range 100 {
			id := nw.claims()
			to := nw.server.To(client.peer)
			require.NoError(t, arena.LevelRef{}.LevelNumber(to, uint8(id)))
			require.NoError(t, arena.DoorRef{ID: id}.Painted(to, uint8(i)))
			require.NoError(t, arena.DoorRef{ID: id}.Painted(to, uint8(i+100)))
			require.NoError(t, arena.DoorRef{ID: id}.Swung(to, 1))
			nw.RunFor(20 * time.Millisecond)
		}
		nw.RunFor(5 * time.Second)
		painted := slices.DeleteFunc(order, func(line string) bool { return !strings.HasPrefix(line, "client 1: painted") })
		if !c.runs {
			require.Empty(t, painted)
			require.NotZero(t, client.Stats().Drops[rpc.DropWaiting])
			continue
		}
		require.Len(t, painted, 200, "each reliable call, after a reliable word of the object, %v late", c.after)
		for i := range 100 {
			first, second := slices.Index(painted, fmt.Sprintf("client 1: painted %d", i)), slices.Index(painted, fmt.Sprintf("client 1: painted %d", i+100))
			require.Less(t, first, second, "in the order of the calls")
		}
		require.Zero(t, client.Stats().Drops[rpc.DropTarget])
	}
}

// B107
func TestCallsThatCrossARelease(t *testing.T) {
	nw := newNetwork(t, sim.Conditions{Delay: 150 * time.Millisecond}, unlimited)
	id := rpc.NetID(0)
	left := 30
	nw.dials("client", func() {
		for id != 0 && left > 0 {
			left--
			require.NoError(t, arena.LevelRef{}.Hello(nw.clients[0].Server()))
			_, err := arena.DoorRef{ID: id}.Price(nw.clients[0].Server(), 1, nil)
			require.NoError(t, err)
		}
	})
	var d *door
	id, d = nw.hangs()
	d.does = func(c rpc.ServerCall) { c.Calls().Objects().Release(c.ID) }
	nw.RunFor(2 * time.Second)
	ran := nw.happened()
	require.Len(t, ran, 31, "all hellos, and the first price, whose method released the door")
	require.Equal(t, "target=29", nw.server.drops())
	require.Nil(t, nw.clients[0].router.Host().Conn().Err())
}

// B108
func TestAServerThatStoodStillThrowsNobodyOut(t *testing.T) {
	var kicked []string
	kicks := func(c *rpc.Config) {
		c.OnFlood = func(p *msgs.Peer, f rpc.Flood) { kicked = append(kicked, p.String()); p.Kick(1, "flood") }
	}
	for name, outage := range map[string]bool{"the server": false, "the network": true} {
		nw := newNetwork(t, sim.Conditions{Delay: 20 * time.Millisecond}, kicks)
		var id rpc.NetID
		frames := 0
		nw.dials("honest", func() {
			if frames++; id != 0 && frames%8 == 0 { // 7.5 a second, of 10
				require.NoError(t, arena.DoorRef{ID: id}.Toggle(nw.clients[0].Server(), arena.Open, arena.Pos{}))
			}
		})
		id, _ = nw.hangs()
		nw.RunFor(time.Second)
		if outage {
			nw.SetDefault(sim.Conditions{Delay: 20 * time.Millisecond, Loss: sim.Percent(100)})
			nw.RunFor(6 * time.Second)
			nw.SetDefault(sim.Conditions{Delay: 20 * time.Millisecond})
		} else {
			nw.stall = 6 * time.Second
		}
		nw.RunFor(10 * time.Second)
		require.Empty(t, kicked, name)
		require.Nil(t, nw.clients[0].router.Host().Conn().Err(), name)
		require.NotZero(t, nw.server.Stats().Drops[rpc.DropRate], "%s: what was too much at once was dropped", name)
		require.Greater(t, len(nw.happened()), 36, "%s: and the others ran", name)
	}
}

// B109
func TestOneWhoFloodsHoldsUpNobody(t *testing.T) {
	nw := newNetwork(t, sim.Conditions{Delay: 20 * time.Millisecond})
	flooding := false
	x := nw.dials("x", func() {
		for i := 0; flooding && i < 5000/60; i++ {
			_ = nw.clients[0].router.Host().Conn().Send(frame(spawn, bits(1, 16)), ordered)
			_ = nw.clients[0].router.Host().Conn().Send(frame(hello), ordered)
		}
	})
	nw.play(x)
	asked, answered := 0, []int64(nil)
	nw.dials("y", func() {
		if asked++; asked%12 == 0 {
			at := nw.now
			_, err := arena.LevelRef{}.Save(nw.clients[1].Server(), func(err error) {
				require.NoError(t, err)
				answered = append(answered, nw.Now()-at)
			})
			require.NoError(t, err)
		}
		nw.now = nw.Now()
	})
	nw.RunFor(5 * time.Second)
	calm := slices.Max(answered)
	answered, flooding = nil, true
	nw.RunFor(10 * time.Second)
	require.LessOrEqual(t, slices.Max(answered), calm+calm/5)
	ran := nw.happened()
	spawned := slices.DeleteFunc(slices.Clone(ran), func(line string) bool { return line != "player 1: spawn 1" })
	require.LessOrEqual(t, len(spawned), 21, "2 a second")
	greeted := slices.DeleteFunc(ran, func(line string) bool { return line != "player 1: hello" })
	require.LessOrEqual(t, len(greeted), 1000+200*10, "what has no rate has the budget")
	require.NotZero(t, nw.server.Stats().Drops[rpc.DropBudget])
	require.Less(t, len(nw.log.String()), 4000, "nothing is logged for each call")
}
