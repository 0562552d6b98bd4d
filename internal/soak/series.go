package soak

import (
	"runtime"
	"sync"
	"time"
)

// Series is many worlds.
type Series struct {
	Worlds int
	UpTime time.Duration
	Faults uint64
	Census Census
	Broken *Result // the first world in the order of the series that was broken, nil if none was
}

// RunAll plays plans, as many at a time as there are processors, and stops after the first that is broken. draw gives the plan of world i; done, if not nil, is called
// after each, on any goroutine.
func RunAll(n int, draw func(i int) Plan, done func()) *Series {
	all := &Series{}
	var mu sync.Mutex
	next, broken := 0, n
	var workers sync.WaitGroup
	for range min(n, runtime.GOMAXPROCS(0)) {
		workers.Go(func() {
			for {
				mu.Lock()
				i := next
				next++
				over := i >= n || i >= broken
				mu.Unlock()
				if over {
					return
				}
				r := draw(i).Run()
				mu.Lock()
				all.add(r)
				if r.Broken != nil && i < broken {
					broken, all.Broken = i, r
				}
				mu.Unlock()
				if done != nil {
					done()
				}
			}
		})
	}
	workers.Wait()
	return all
}

func (s *Series) add(r *Result) {
	s.Worlds++
	s.UpTime += r.UpTime
	s.Census.Add(&r.Census)
	for _, n := range r.Census.Faults {
		s.Faults += n
	}
}
