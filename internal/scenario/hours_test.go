package scenario

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/sim"
	"github.com/gannet-net/gannet/transport"
)

// No outage that is shorter than the time-out by a second disconnects anybody, in game traffic for many hours on a network that loses, delays, doubles and
// reorders. The messages of the reliable modes arrive, once and in order.
func TestNobodyIsDisconnectedWithoutReason(t *testing.T) {
	const span = 5 * time.Minute
	worlds := size(2, max(1, *hours*int(time.Hour/span)/connections))
	began, outages := time.Now(), 0
	for seed := range worlds { // in tests of their own, which let go of their worlds
		t.Run(fmt.Sprint("seed ", seed+1), func(t *testing.T) { outages += playGame(t, uint64(seed+1), span) })
	}
	took := time.Since(began)
	played := time.Duration(worlds*connections) * span
	t.Logf("%.2f connection-hours in %v: %.0f a minute; %d outages", played.Hours(), took.Round(time.Millisecond), played.Hours()/took.Minutes(), outages)
}

const connections = 3 // of a world

// players are a client, what it plays with, and the books of both directions.
type players struct {
	client      *app
	sent, heard [2]int // reliable messages to the host, and to the client
	nextOutage  int64
	outageEnds  int64 // 0 while there is none
}

// playGame plays one world: 60 unreliable messages a second each way and five reliable ones, and gives how many outages there were.
func playGame(t *testing.T, seed uint64, span time.Duration) (outages int) {
	w := newSecureSeededWorld(t, seed)
	w.links(sim.Conditions{
		Delay: oneWay, Jitter: 5 * time.Millisecond, Loss: sim.Percent(10),
		Duplicate: sim.Percent(1), Reorder: sim.Percent(1), ReorderDelay: 20 * time.Millisecond,
	})
	h := w.host()
	h.frame = time.Second / 60
	random := rand.New(rand.NewPCG(seed, 3))
	all := map[transport.Conn]*players{}
	var order []*players
	for i := range connections {
		c := w.client(fmt.Sprint("client ", i), h)
		w.until(10*time.Second, func() bool { return c.connected() && h.with(c) != nil })
		c.frame = h.frame
		p := &players{client: c}
		all[h.with(c).conn], order = p, append(order, p)
		c.quiet, c.on = true, func(ev transport.Event) { p.hears(t, 1, ev) }
	}
	h.quiet, h.on = true, func(ev transport.Event) { all[ev.Conn].hears(t, 0, ev) }

	for _, p := range order { // once traffic flows: one heartbeat that is lost is a second more of silence
		p.nextOutage = w.nw.Now() + int64(time.Second) + random.Int64N(int64(5*time.Second))
	}
	var buf [60]byte
	peers := h.host.Conns()
	w.every(h.frame, int(span/h.frame), func(i int) {
		for k, p := range order {
			outages += p.breaks(w, h, random)
			for side, conn := range []transport.Conn{p.client.conn, peers[k]} {
				err := conn.Send(buf[:41], unreliable)
				if (i+k)%12 == 0 && err == nil {
					binary.LittleEndian.PutUint32(buf[:], uint32(p.sent[side]))
					p.sent[side]++
					err = conn.Send(buf[:], ordered)
				}
				if err != nil {
					require.NoError(t, err)
				}
			}
		}
	})
	for _, p := range order {
		w.nw.Heal(p.client.node, h.node)
		w.nw.Heal(h.node, p.client.node)
	}
	w.run(3 * time.Second)
	for _, p := range order {
		require.True(t, p.client.connected(), "seed %d", seed)
		require.Equal(t, p.sent, p.heard, "seed %d", seed)
	}
	require.Equal(t, connections, h.peers(), "seed %d", seed)
	return outages
}

// hears requires that reliable messages come in order and once, and that nobody leaves.
func (p *players) hears(t *testing.T, side int, ev transport.Event) {
	switch {
	case ev.Kind != transport.Message:
		require.Fail(t, "no other event", "%v: %v", ev.Kind, ev.Err)
	case ev.Delivery == transport.ReliableOrdered:
		if n := binary.LittleEndian.Uint32(ev.Payload); n != uint32(p.heard[side]) {
			require.Fail(t, "lost, twice or out of order", "%d instead of %d", n, p.heard[side])
		}
		p.heard[side]++
	}
}

// breaks begins and ends outages, of one direction or both.
func (p *players) breaks(w *world, h *app, random *rand.Rand) (begun int) {
	now := w.nw.Now()
	switch {
	case p.outageEnds > 0 && now >= p.outageEnds:
		w.nw.Heal(p.client.node, h.node)
		w.nw.Heal(h.node, p.client.node)
		p.outageEnds, p.nextOutage = 0, now+int64(2*time.Second)+random.Int64N(int64(20*time.Second))
	case p.outageEnds == 0 && now >= p.nextOutage:
		way := random.IntN(3) // 2 is both
		if way != 1 {
			w.nw.Cut(p.client.node, h.node)
		}
		if way != 0 {
			w.nw.Cut(h.node, p.client.node)
		}
		p.outageEnds = now + int64(50*time.Millisecond) + random.Int64N(int64(8900*time.Millisecond))
		return 1
	}
	return 0
}
