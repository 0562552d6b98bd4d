package udp

import "github.com/gannet-net/gannet/internal/inside"

// showInside lets a test see what no user needs to see.
func (e *engine) showInside() {
	if v, ok := e.sock.(inside.Viewer); ok {
		v.Show(e.inside)
	}
}

func (e *engine) inside() inside.State {
	e.mu.Lock()
	defer e.mu.Unlock()
	s := inside.State{Peers: e.order.len(), Timers: e.timers.Len(), Buffers: e.pool.Outstanding(), Sessions: len(e.sessions.byID)}
	if !e.dialled() {
		s.FreeIDs = e.door.ids.small.free() + e.door.ids.large.free()
	}
	return s
}
