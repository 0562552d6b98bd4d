package workload

import (
	"fmt"
	"sync/atomic"
	"time"

	"github.com/gannet-net/gannet/bench/peers/peer"
)

// pair is a host and one client in this process. The host is driven by a goroutine of its own, the client by the caller.
type pair struct {
	client peer.Conn
	host   peer.Host
	stop   atomic.Bool
	driven chan struct{} // closed when the host's goroutine has ended
}

// connect makes a pair. What each side receives goes to the functions that atHost and atClient give for its connection. through, if not nil, puts something between:
// it gets the host's address and gives the one to dial.
func connect(d *peer.Driver, s peer.Setup, atHost, atClient func(peer.Conn) peer.Receive, through func(addr string) (string, error)) (*pair, error) {
	p := &pair{driven: make(chan struct{})}
	accepted := make(chan struct{}, 1)
	at := func(accept func(peer.Conn) peer.Receive) peer.Setup {
		s := s
		s.Accept = accept
		return s
	}
	var err error
	p.host, err = d.Listen(at(func(c peer.Conn) peer.Receive {
		defer func() { accepted <- struct{}{} }()
		return atHost(c)
	}))
	if err != nil {
		return nil, fmt.Errorf("%s listens: %w", d.Name, err)
	}
	go p.drive()
	addr := p.host.Addr()
	if through != nil {
		if addr, err = through(addr); err != nil {
			p.close()
			return nil, err
		}
	}
	if p.client, err = d.Dial(addr, at(atClient)); err != nil {
		p.close()
		return nil, fmt.Errorf("%s dials: %w", d.Name, err)
	}
	return p, p.wait(d, accepted)
}

// wait waits until the host has accepted; some need to hear of the client first.
func (p *pair) wait(d *peer.Driver, accepted <-chan struct{}) error {
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); {
		select {
		case <-accepted:
			return nil
		default:
			p.client.Drive(time.Millisecond)
		}
	}
	p.close()
	return fmt.Errorf("%s: the host has not heard of the client within %v", d.Name, patience)
}

func (p *pair) drive() {
	defer close(p.driven)
	for !p.stop.Load() {
		p.host.Drive(5 * time.Millisecond)
	}
}

func (p *pair) close() {
	if p.client != nil {
		p.client.Close()
	}
	p.stop.Store(true)
	<-p.driven
	p.host.Close()
}

// nothing is for a side to which nothing is said.
func nothing(peer.Conn) peer.Receive { return func(int, []byte) {} }
