package soak

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/transport"
)

func TestQueuesHaveTimeForTheSecondCopiesOfWhatIsUrgentAndReliable(t *testing.T) {
	p := scene(time.Minute)
	w := newWorld(&p, &Census{})
	w.start()
	w.run(3 * time.Second)
	idle := w.drainBound()
	for range 60 {
		require.NoError(t, w.players[0].end.conn.Send(make([]byte, 1000), transport.SendOptions{Delivery: transport.ReliableOrdered}))
	}
	for _, of := range []struct {
		s       stream
		percent int // that leave of what is queued, which takes a second at the lowest send ceiling
	}{
		{stream{delivery: transport.ReliableOrdered}, 130},
		{stream{delivery: transport.Sequenced, urgent: true}, 130},
		{stream{delivery: transport.ReliableOrdered, urgent: true}, 230},
	} {
		p.streams = []stream{{}, of.s}
		require.InDelta(t, time.Duration(of.percent)*time.Second/100, w.drainBound()-idle, float64(10*time.Millisecond), of.s.String())
	}
}
