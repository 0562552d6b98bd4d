package workload

import (
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gannet-net/gannet/bench/peers/measure"
	"github.com/gannet-net/gannet/bench/peers/peer"
)

// crowdClients is the party that has clients. All of them are sent for by one goroutine.
type crowdClients struct {
	counted
	plan    crowdPlan
	conns   []peer.Conn
	message []byte
	next    time.Time // when the next of the clients in turn is due
	turn    int
}

func newCrowdClients(d *peer.Driver, o order) (party, any, error) {
	c := &crowdClients{plan: o.Plan, message: make([]byte, o.Plan.Message), conns: make([]peer.Conn, o.Count)}
	s := o.Plan.setup()
	s.Local = localOf(o.First)
	s.Accept = func(peer.Conn) peer.Receive {
		return func(_ int, message []byte) { c.late.Add(age(message)) }
	}
	if err := c.dial(d, o.Addr, s); err != nil {
		c.close()
		return nil, nil, err
	}
	return c, nil, nil
}

// dial connects all clients, a few at a time.
func (c *crowdClients) dial(d *peer.Driver, addr string, s peer.Setup) error {
	const atOnce = 16
	var next atomic.Int64
	var all sync.WaitGroup
	errs := make(chan error, atOnce)
	for range atOnce {
		all.Go(func() {
			for i := next.Add(1) - 1; i < int64(len(c.conns)); i = next.Add(1) - 1 {
				conn, err := d.Dial(addr, s)
				if err != nil {
					errs <- fmt.Errorf("client %d of %d: %w", i+1, len(c.conns), err)
					next.Store(int64(len(c.conns)))
					return
				}
				c.conns[i] = conn
			}
		})
	}
	all.Wait()
	select {
	case err := <-errs:
		return err
	default:
		return nil
	}
}

func (c *crowdClients) do(command string) (any, error) {
	switch command {
	case commandMemory:
		return measure.Held(), nil
	case commandBegin:
		if !c.sending {
			c.next = time.Now()
		}
		c.begin()
		return nil, nil
	case commandEnd:
		return c.end(), nil
	}
	return nil, fmt.Errorf("there is no command %q", command)
}

// move sends for the clients whose turn it is: the sends are spread evenly over the period.
func (c *crowdClients) move() {
	if !c.sending || c.plan.Every == 0 {
		time.Sleep(20 * time.Millisecond)
		return
	}
	for range len(c.conns) { // no more than once around, so that commands are heard
		left := time.Until(c.next)
		if left > 0 {
			time.Sleep(min(left, 20*time.Millisecond))
			return
		}
		c.send()
	}
}

func (c *crowdClients) send() {
	conn := c.conns[c.turn]
	stamp(c.message, measure.Now(), 0)
	c.note(conn.Send(0, c.message))
	conn.Flush()
	c.turn = (c.turn + 1) % len(c.conns)
	c.next = c.next.Add(c.plan.Every / time.Duration(len(c.conns)))
	if behind := time.Since(c.next); behind > time.Second {
		c.next = time.Now()
	}
}

func (c *crowdClients) close() {
	for _, conn := range c.conns {
		if conn != nil {
			conn.Close()
		}
	}
}
