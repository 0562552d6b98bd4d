package workload

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gannet-net/gannet/bench/peers/peer"
)

// path is a host, a relay before it, and clients with a flow each.
type path struct {
	driver   *peer.Driver
	setup    peer.Setup
	host     peer.Host
	relay    *relay
	stop     atomic.Bool
	driven   sync.WaitGroup
	accepted chan struct{}

	mu      sync.Mutex
	waiting *flow // of the client that is being connected
	clients []peer.Conn
	flows   []*flow

	up, down traffic // while the flows ran
}

func openPath(r Run, d *peer.Driver, s peer.Setup, name string, l link) (*path, error) {
	p := &path{driver: d, setup: s, accepted: make(chan struct{}, 1)}
	atHost := s
	atHost.Accept = p.accept
	var err error
	if p.host, err = d.Listen(atHost); err != nil {
		return nil, err
	}
	p.driven.Go(func() {
		for !p.stop.Load() {
			p.host.Drive(20 * time.Millisecond)
		}
	})
	seed := r.seedOf(name)
	if p.relay, err = newRelay(p.host.Addr(), r, name, l.up(seed), l.down(seed)); err != nil {
		p.close()
		return nil, err
	}
	return p, nil
}

// accept gives the flow of the client that has just dialled what its connection brings.
func (p *path) accept(peer.Conn) peer.Receive {
	p.mu.Lock()
	f := p.waiting
	p.waiting = nil
	p.mu.Unlock()
	if f == nil {
		return func(int, []byte) {}
	}
	p.accepted <- struct{}{}
	return func(_ int, message []byte) { f.receive(message) }
}

// add connects a client that will send a flow. They are connected one after another, so that the relay treats each as its seed says.
func (p *path) add(f *flow) error {
	p.mu.Lock()
	p.waiting = f
	p.mu.Unlock()
	atClient := p.setup
	atClient.Accept = nothing
	c, err := p.driver.Dial(p.relay.Addr().String(), atClient)
	if err != nil {
		return err
	}
	p.clients, p.flows = append(p.clients, c), append(p.flows, f)
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); {
		select {
		case <-p.accepted:
			return nil
		default:
			p.driveAll(time.Millisecond)
		}
	}
	return fmt.Errorf("the host has not heard of the client within %v", patience)
}

func (p *path) driveAll(d time.Duration) {
	for _, c := range p.clients {
		c.Drive(d)
	}
}

// run runs all flows at once, and waits until everything has arrived.
func (p *path) run() error {
	p.relay.begin()
	errs := make([]error, len(p.flows))
	var all sync.WaitGroup
	for i, f := range p.flows {
		all.Go(func() {
			errs[i] = f.run(p.clients[i])
			f.settle(p.clients[i], 5*time.Second)
		})
	}
	all.Wait()
	p.up, p.down = p.relay.sent()
	return errors.Join(errs...)
}

func (p *path) close() {
	for _, c := range p.clients {
		c.Close()
	}
	p.stop.Store(true)
	p.driven.Wait()
	p.host.Close()
	if p.relay != nil {
		_ = p.relay.Close()
	}
}
