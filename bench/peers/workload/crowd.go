package workload

import (
	"errors"
	"fmt"
	"net/netip"
	"time"

	"github.com/gannet-net/gannet/bench/peers/measure"
	"github.com/gannet-net/gannet/bench/peers/peer"
)

// crowdPlan is a host with many clients, in processes of their own.
type crowdPlan struct {
	Use       peer.Use
	Clients   int
	Message   int // bytes
	Promise   peer.Promise
	Every     time.Duration // period in which each client sends a message; 0 is never
	Frame     time.Duration // period of the host's frames; 0 is none
	Heartbeat time.Duration
}

// setup is that of either end.
func (p crowdPlan) setup() peer.Setup {
	return peer.Setup{Use: p.Use, Lanes: []peer.Promise{p.Promise}, Message: p.Message, Clients: p.Clients, Heartbeat: p.Heartbeat}
}

// sample is what a process measured from begin to end.
type sample struct {
	Usage    measure.Usage
	Took     time.Duration
	Sent     int64
	Refused  int64 // messages that Send did not take
	Received int64
	P50      float64 // how late messages came, in ns; 0 if none came
	P99      float64
	Max      float64
}

// crowd is a host and its clients.
type crowd struct {
	plan    crowdPlan
	host    *process
	clients []*process
	empty   measure.Memory // of the host before it had clients
}

// clientsAProcess bounds the sockets of a process, and of one local address, which has ports for some 28,000.
const clientsAProcess = 12_500

// gather starts a host and connects all clients.
func gather(d *peer.Driver, app string, plan crowdPlan) (*crowd, error) {
	c := &crowd{plan: plan}
	o := order{Driver: d.Name, App: app, Plan: plan}
	var addr string
	var err error
	if c.host, err = startProcess(o, &addr); err != nil {
		return nil, fmt.Errorf("host: %w", err)
	}
	if err := c.host.ask(commandMemory, &c.empty, time.Minute); err != nil {
		c.end()
		return nil, err
	}
	o.Addr = addr
	for o.First = 0; o.First < plan.Clients; o.First += o.Count {
		o.Count = min(plan.Clients-o.First, clientsAProcess)
		p, err := startProcess(o, nil)
		if err != nil {
			c.end()
			return nil, fmt.Errorf("clients: %w", err)
		}
		c.clients = append(c.clients, p)
	}
	return c, nil
}

// localOf gives each process of clients a loopback address of its own.
func localOf(first int) netip.Addr {
	return netip.AddrFrom4([4]byte{127, 0, 1, byte(1 + first/clientsAProcess)})
}

func (c *crowd) all() []*process { return append([]*process{c.host}, c.clients...) }

// memory is by how much the host's grew, a connection.
func (c *crowd) memory() (resident, heap, stacks float64, err error) {
	var now measure.Memory
	if err := c.host.ask(commandMemory, &now, time.Minute); err != nil {
		return 0, 0, 0, err
	}
	each := func(now, before int64) float64 { return float64(now-before) / float64(c.plan.Clients) }
	return each(now.Resident, c.empty.Resident), each(now.Heap, c.empty.Heap), each(now.Stacks, c.empty.Stacks), nil
}

// watch lets everything run, for some time to warm up and then to be measured. It gives what the host measured, and the sum of what the clients did.
func (c *crowd) watch(warm, long time.Duration) (host, clients sample, err error) {
	if err := c.tell(commandBegin); err != nil {
		return host, clients, err
	}
	time.Sleep(warm)
	if err := c.tell(commandBegin); err != nil {
		return host, clients, err
	}
	time.Sleep(long)
	errs := []error{c.host.ask(commandEnd, &host, time.Minute)}
	for _, p := range c.clients {
		var its sample
		errs = append(errs, p.ask(commandEnd, &its, time.Minute))
		clients.add(its)
	}
	return host, clients, errors.Join(errs...)
}

func (c *crowd) tell(command string) error {
	for _, p := range c.all() {
		if err := p.ask(command, nil, time.Minute); err != nil {
			return err
		}
	}
	return nil
}

// add sums what processes have done. Quantiles of several are the worst of them.
func (s *sample) add(o sample) {
	s.Usage.User += o.Usage.User
	s.Usage.System += o.Usage.System
	s.Took = max(s.Took, o.Took)
	s.Sent, s.Refused, s.Received = s.Sent+o.Sent, s.Refused+o.Refused, s.Received+o.Received
	s.P50, s.P99, s.Max = max(s.P50, o.P50), max(s.P99, o.P99), max(s.Max, o.Max)
}

// cores is how many cores were busy.
func (s *sample) cores() float64 { return s.Usage.CPU().Seconds() / s.Took.Seconds() }

func (c *crowd) end() {
	for _, p := range c.clients {
		p.end()
	}
	c.host.end()
}

// counted is what a party counts while it is measured.
type counted struct {
	late    measure.Histogram
	began   time.Time
	used    measure.Usage
	sent    int64
	refused int64
	sending bool
}

func (c *counted) begin() {
	c.late.Reset()
	c.sent, c.refused, c.sending = 0, 0, true
	c.began, c.used = time.Now(), measure.Used()
}

// end gives what was counted. Everything goes on.
func (c *counted) end() sample {
	s := sample{
		Usage: measure.Used().Since(c.used), Took: time.Since(c.began),
		Sent: c.sent, Refused: c.refused, Received: c.late.Count(),
	}
	if s.Received > 0 {
		s.P50, s.P99, s.Max = c.late.Quantile(0.5), c.late.Quantile(0.99), c.late.Quantile(1)
	}
	return s
}

// note counts an attempt to send.
func (c *counted) note(err error) {
	if err != nil {
		c.refused++
		return
	}
	c.sent++
}
