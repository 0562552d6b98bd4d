package rpc

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// phased is a queue that nobody runs, and peers that fill it.
type phased struct {
	calls *Calls
	route *route
	came  int64
}

func newPhased() *phased {
	return &phased{calls: &Calls{}, route: &route{Method: &Method{Phase: AfterFixed}}}
}

func (q *phased) queue() *stored { return &q.calls.phases[AfterFixed] }

// push has n calls of a peer come, of so many bytes each.
func (q *phased) push(p *peer, n, size int) {
	p.calls = q.calls
	for range n {
		in := q.calls.lend(p)
		q.came++
		in.route, in.raw, in.at = q.route, make([]byte, size), q.came
		q.queue().push(in)
		q.calls.takeBack()
	}
}

func TestWhatAPhaseHasDroppedTakesNoRoom(t *testing.T) {
	q, quiet, loud, large := newPhased(), &peer{}, &peer{}, &peer{}
	q.push(quiet, 3, 10)
	for range 100 {
		q.push(loud, 1000, 10)
		q.push(large, 100, 2000)
	}
	require.Equal(t, maxWaitingCalls, loud.phased[AfterFixed].calls)
	require.LessOrEqual(t, len(q.queue().items), 2*(3+maxWaitingCalls+maxWaitingBytes/2000)+1)
	require.LessOrEqual(t, len(q.queue().data), 4*maxWaitingBytes)
	require.Equal(t, uint64(100*1000-maxWaitingCalls), loud.stats.Drops[DropPhase])
	require.Zero(t, quiet.stats.Drops.Total(), "and the others lose nothing")
	q.calls.Run(AfterFixed) // of peers that are not there, so all that is left ends as that
	require.Equal(t, uint64(3), quiet.stats.Drops[DropSession])
	require.Equal(t, uint64(maxWaitingCalls), loud.stats.Drops[DropSession])
}

func TestOnlyTheNewestOfEachPeerAreLeftInAPhaseWhateverGapsWereClosed(t *testing.T) {
	q, peers := newPhased(), []*peer{{}, {}, {}}
	sent := map[*peer][]int64{}
	for round := range 3000 {
		p := peers[(round*round+round/7)%3]
		q.push(p, 1, 10+round%5)
		sent[p] = append(sent[p], q.came)
	}
	left := map[*peer][]int64{}
	for _, h := range q.queue().items {
		if !h.dropped {
			left[h.peer] = append(left[h.peer], h.at)
			require.Equal(t, 10+int(h.at-1)%5, h.to-h.from)
		}
	}
	for _, p := range peers {
		require.Greater(t, len(sent[p]), maxWaitingCalls)
		require.Equal(t, sent[p][len(sent[p])-maxWaitingCalls:], left[p])
	}
}

func TestAPhaseHoldsNoMoreOfAPeerThatHasCancelledAllBefore(t *testing.T) {
	for name, then := range map[string]func(*phased){
		"Run":         func(q *phased) { q.calls.Run(AfterFixed) },
		"gaps closed": func(q *phased) { q.push(&peer{}, 1, 10) },
	} {
		q, p := newPhased(), &peer{}
		for range 3 {
			q.push(&peer{}, maxWaitingCalls, 10)
		}
		q.push(p, maxWaitingCalls+1, 10) // the oldest of which stands behind all of the others
		for i := range q.queue().items {
			if h := &q.queue().items[i]; !h.dropped {
				q.queue().drop(i, DropLate)
			}
		}
		then(q)
		q.push(p, maxWaitingCalls+50, 10)
		q.calls.Run(AfterFixed)
		require.Equal(t, uint64(maxWaitingCalls), p.stats.Drops[DropSession], name)
	}
}
