package scenario

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/framing"
	"github.com/gannet-net/gannet/reliable"
	"github.com/gannet-net/gannet/sim"
)

// poison is what a pool writes over buffers that were given back.
const poison = 0xDD

// B80: much is queued in one tick, and then the connection is closed.
func TestWhatIsQueuedLeavesBeforeTheGoodbyeAndNothingElseDoes(t *testing.T) {
	rng := rand.New(rand.NewPCG(80, 0))
	for range size(50, 500) {
		w := newSeededWorld(t, rng.Uint64())
		w.links(lossy(float64(rng.IntN(3)) * 10))
		h := w.host()
		c := w.client("client", h)
		w.until(5*time.Second, func() bool { return c.connected() && h.session().up })
		s := h.session()
		var kinds []framing.Kind
		w.nw.Watch(func(e sim.Event) {
			if e.Kind == sim.Sent && e.From == c.node {
				require.False(t, bytes.Contains(e.Payload, []byte{poison, poison}), "% x", e.Payload)
				kinds = append(kinds, kindOf(e.Payload))
			}
		})
		var want []string
		for i := range 10 {
			require.NoError(t, c.conn.Send([]byte("lossy"), unreliable))
			require.NoError(t, c.conn.Send([]byte(filled(1000+i)), ordered))
			want = append(want, filled(1000+i))
		}
		c.leaves()
		w.until(12*time.Second, func() bool { return s.err != nil && c.session().err != nil })
		w.run(time.Second)
		heard := s.heard[:0:0]
		for _, m := range s.heard {
			if m != "lossy" {
				heard = append(heard, m)
			}
		}
		require.Equal(t, want, heard)
		first := bytes.IndexByte(bytesOf(kinds), byte(framing.KindDisconnect))
		require.GreaterOrEqual(t, first, 20, "everything was sent before the first goodbye")
		require.NotContains(t, kinds[first:], framing.KindReliable)
		require.NotContains(t, kinds[first:], framing.KindUnreliable)
	}
}

func bytesOf(kinds []framing.Kind) []byte {
	out := make([]byte, len(kinds))
	for i, k := range kinds {
		out[i] = byte(k)
	}
	return out
}

// B80: whatever the end, every buffer comes back to the pool.
func TestEveryEndGivesAllBuffersBack(t *testing.T) {
	ends := map[string]func(*reliable.Endpoint, int64){
		"close": (*reliable.Endpoint).Close, "abort": (*reliable.Endpoint).Abort,
		"kick": (*reliable.Endpoint).Kick, "socket failure": (*reliable.Endpoint).Fail,
		"peer": func(e *reliable.Endpoint, now int64) { e.HandleDatagram(now, framing.AppendDisconnect(nil)) },
	}
	for name, end := range ends {
		for acked := range 12 {
			t.Run(fmt.Sprint(name, " after ", acked, " acks"), func(t *testing.T) {
				pool := &reliable.Pool{Poison: true}
				e := reliable.New(0, reliable.Config{Role: framing.Host, PeerID: 1, Pool: pool})
				e.HandleDatagram(0, framing.AppendHeartbeat(nil))
				for i := range int32(10) {
					require.NoError(t, e.Send(0, []byte("lossy"), reliable.SendOptions{}))
					require.NoError(t, e.Send(0, []byte("sure"), reliable.SendOptions{Mode: reliable.ReliableOrdered}))
					e.HandleDatagram(0, framing.AppendReliable(nil, i*2%19, []byte("in")))
				}
				for len(e.PollDatagram(0, nil)) > 0 {
				}
				for i := range int32(acked) {
					e.HandleDatagram(1, framing.AppendAck(nil, i))
				}
				end(e, 2)
				for now := int64(2); !e.Quiet(); now += int64(time.Millisecond) {
					e.PollDatagram(now, nil)
				}
				for ev, ok := e.PollEvent(); ok; ev, ok = e.PollEvent() {
					if ev.Kind == reliable.EventMessage {
						e.Recycle(ev.Payload)
					}
				}
				require.Zero(t, pool.Outstanding())
			})
		}
	}
}
