package workload

import (
	"fmt"
	"sync"
	"time"

	"github.com/gannet-net/gannet/bench/peers/measure"
	"github.com/gannet-net/gannet/bench/peers/peer"
)

// crowdApp is what a host does with what its clients say. accept is called on goroutines of the stack, frame by the host's owner.
type crowdApp interface {
	accept(c peer.Conn) peer.Receive
	frame(counted *counted)
}

// crowdApps makes each application by its name.
var crowdApps = map[string]func(p crowdPlan, late *measure.Histogram) crowdApp{
	"many":  newManyApp,
	"rooms": newRoomsApp,
	"idle":  newManyApp, // its plan has no frames
}

// crowdHost is the party that hosts.
type crowdHost struct {
	counted
	plan crowdPlan
	host peer.Host
	app  crowdApp
	next time.Time // when the next frame is due
}

func newCrowdHost(d *peer.Driver, o order) (party, any, error) {
	h := &crowdHost{plan: o.Plan}
	make := crowdApps[o.App]
	if make == nil {
		return nil, nil, fmt.Errorf("there is no application %q", o.App)
	}
	h.app = make(o.Plan, &h.late)
	s := o.Plan.setup()
	s.Accept = h.app.accept
	host, err := d.Listen(s)
	if err != nil {
		return nil, nil, err
	}
	h.host = host
	return h, host.Addr(), nil
}

func (h *crowdHost) do(command string) (any, error) {
	switch command {
	case commandMemory:
		return measure.Held(), nil
	case commandBegin:
		h.begin()
		h.next = time.Now()
		return nil, nil
	case commandEnd:
		return h.end(), nil
	}
	return nil, fmt.Errorf("there is no command %q", command)
}

// move is one frame, if it is due, and what has come in until the next. A host that is behind leaves frames out.
func (h *crowdHost) move() {
	const look = 20 * time.Millisecond // commands wait no longer than that
	if !h.sending || h.plan.Frame == 0 {
		h.host.Drive(look)
		return
	}
	if time.Until(h.next) <= 0 {
		h.app.frame(&h.counted)
		h.host.Flush()
		h.next = h.next.Add(h.plan.Frame)
	}
	left := time.Until(h.next)
	if left < 0 {
		left, h.next = 0, time.Now()
	}
	h.host.Drive(min(left, look))
}

func (h *crowdHost) close() { h.host.Close() }

// roster is the connections of a host, which come on goroutines of the stack.
type roster struct {
	mu    sync.Mutex
	conns []peer.Conn
}

// add gives a connection its number.
func (r *roster) add(c peer.Conn) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.conns = append(r.conns, c)
	return len(r.conns) - 1
}

// all gives those that are there. More may be added meanwhile, none ever leaves.
func (r *roster) all() []peer.Conn {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.conns
}
