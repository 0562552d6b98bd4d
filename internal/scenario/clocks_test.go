package scenario

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Clocks may start anywhere: one that counts from the start of the process is far below zero in a bubble of package testing/synctest.
func TestTheOriginOfTheClockMakesNoDifference(t *testing.T) {
	run := func(origin int64) (hash uint64) {
		w := newSeededWorld(t, 44)
		w.origin = origin
		w.links(lossy(5))
		h := w.host()
		var clients []*app
		for _, name := range names(4) {
			clients = append(clients, w.client(name, h))
		}
		w.run(2 * time.Second)
		w.every(10*time.Millisecond, 200, func(i int) {
			for _, c := range clients {
				c.says(fmt.Sprint(i))
				c.sends("state", unreliable)
			}
		})
		clients[0].leaves()
		clients[1].dies()
		h.with(clients[2]).kicks()
		w.run(15 * time.Second)
		require.Equal(t, 1, h.peers())
		return w.nw.TraceHash()
	}
	want := run(0)
	for _, origin := range []int64{int64(time.Hour), -int64(time.Hour), 1 << 61, -1 << 61} {
		require.Equal(t, want, run(origin), "origin %v", time.Duration(origin))
	}
}
