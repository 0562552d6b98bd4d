package sim

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestEventsComeOutByTimeAndThenByOrder(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	var h eventHeap
	var last moment
	order := uint64(0)
	for range 50_000 {
		if len(h) > 0 && r.IntN(5) < 2 {
			e := h.pop()
			require.True(t, last.before(e.moment))
			require.Equal(t, int32(e.order), e.slot)
			last = e.moment
			continue
		}
		order++
		h.push(entry{moment: moment{last.due + r.Int64N(20), order}, slot: int32(order)})
	}
	for len(h) > 0 {
		e := h.pop()
		require.True(t, last.before(e.moment))
		last = e.moment
	}
}

func TestWakesKeepTheirOrderWhenTheyMove(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var h wakeHeap
	tasks := make([]*task, 100)
	for i := range tasks {
		tasks[i] = &task{position: -1}
	}
	for i := range uint64(20_000) {
		k := tasks[r.IntN(len(tasks))]
		if r.IntN(3) == 0 {
			h.remove(k)
		} else {
			k.moment = moment{r.Int64N(100), i}
			h.fix(k)
		}
		requireHeap(t, h)
	}
}

func requireHeap(t *testing.T, h wakeHeap) {
	for i, k := range h {
		if k.position != i || i > 0 && k.before(h[(i-1)/2].moment) {
			require.Fail(t, "not a heap", "at %d", i)
		}
	}
}
