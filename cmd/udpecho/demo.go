package main

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"time"

	"github.com/gannet-net/gannet/sim/proxy"
	"github.com/gannet-net/gannet/transport"
	"github.com/gannet-net/gannet/udp"
)

// demoOptions are the flags of the demo.
type demoOptions struct {
	clients int
	length  time.Duration
	rate    float64
	link    linkFlags
	relay   proxy.Config
	json    bool
	base    bool

	patience time.Duration // for the dials, and for the last echoes
}

func runDemo(ctx context.Context, con console, args []string) error {
	o, err := parseDemo(con, args)
	if err != nil {
		return err
	}
	return o.perform(ctx, con)
}

// perform runs the demo and prints the report.
func (o *demoOptions) perform(ctx context.Context, con console) error {
	d := &demo{demoOptions: o, began: time.Now(), bar: newProgress(con.err, "echoes", o.clients*o.perClient()*2)}
	err := d.run(ctx)
	d.bar.end()
	if ctx.Err() != nil {
		return errors.New("interrupted before the verdict")
	}
	report := d.report(errors.Join(err, d.broken()))
	switch {
	case report.Pass:
	case len(report.Streams) == 0:
		err = errors.New("no client could connect")
	default:
		err = errors.New("a promise was broken")
	}
	return errors.Join(o.print(con, report), err)
}

func (o *demoOptions) print(con console, report *demoReport) error {
	if o.json {
		return con.json(report)
	}
	con.printf("%s", report.text(o))
	return nil
}

func parseDemo(con console, args []string) (*demoOptions, error) {
	o := &demoOptions{
		link:     linkFlags{loss: 10, delay: 30 * time.Millisecond, jitter: 10 * time.Millisecond, dup: 5, reorder: 5},
		patience: 10 * time.Second,
	}
	fs := newFlags("demo", "[demo] [FLAGS]", "Runs a host and clients in this process, on real UDP sockets of this machine, with a lossy relay between them.\n"+
		"What they say is encrypted, and clients know the key of the host.\n"+
		"Clients send reliable and unreliable messages, the host sends each back. Every promise of the library is\n"+
		"checked; the status is 0 only if all held.")
	fs.IntVar(&o.clients, "clients", 8, "`N` clients")
	fs.DurationVar(&o.length, "time", 5*time.Second, "`TIME` during which they send")
	fs.Float64Var(&o.rate, "rate", 40, "messages of each kind a second and client, in `HZ`")
	fs.Uint64Var(&o.relay.Seed, "seed", 1, "`SEED` of the relay")
	fs.BoolVar(&o.json, "json", false, "print one JSON object")
	o.link.register(fs)
	fs.BoolVar(&o.base, "base", false, "speak the base protocol, which has no encryption")
	if err := con.parse(fs, args); err != nil {
		return nil, err
	}
	return o, firstError(fs.noMore(), o.check())
}

func (o *demoOptions) check() (err error) {
	switch {
	case !(o.rate > 0 && o.rate <= 1000):
		return usagef("-rate %v: must be above 0 and at most 1000", o.rate)
	case o.length < 0 || o.length > time.Hour:
		return usagef("-time %v: must be from 0 to 1h", o.length)
	}
	o.relay.Up, o.relay.Down, err = o.link.conditions()
	return firstError(err, checkRange("clients", o.clients, 1, 250))
}

// perClient is how many messages of each kind a client sends.
func (o *demoOptions) perClient() int { return max(1, int(o.length.Seconds()*o.rate)) }

// demo is one run: a host, a relay and clients.
type demo struct {
	*demoOptions
	began time.Time
	bar   *progress

	host    *udp.Host
	relayed *proxy.Proxy
	clients []*demoClient

	mu       sync.Mutex
	sessions map[uint32]*session // by peer id, which both sides know

	hostSide map[transport.Conn]*session // used by the host's handler alone
	left     leftovers
	finished time.Duration
}

// demoClient is one client.
type demoClient struct {
	conn    *udp.Conn
	session *session // from the Connected event on
}

func (d *demo) now() int64 { return int64(time.Since(d.began)) }

// run lets it all happen. What it returns kept it from happening.
func (d *demo) run(ctx context.Context) error {
	d.left.goroutinesBefore = runtime.NumGoroutine()
	d.sessions, d.hostSide = map[uint32]*session{}, map[transport.Conn]*session{}
	err := d.open()
	if err == nil {
		err = d.play(ctx)
	}
	d.close()
	return err
}

// open starts the host, and the relay before it.
func (d *demo) open() (err error) {
	c := udp.Config{Protocol: protocol(d.base), Linger: time.Second, Handler: d.atHost}
	if !d.base {
		c.Plain = udp.PlainNever
	}
	d.host, err = udp.Listen("127.0.0.1:0", c)
	if err != nil {
		return fmt.Errorf("starting the host: %w", err)
	}
	d.relay.Listen, d.relay.To = "127.0.0.1:0", d.host.Addr().String()
	d.relayed, err = proxy.New(d.relay)
	if err != nil {
		return fmt.Errorf("starting the relay: %w", err)
	}
	go d.relayed.Run()
	return nil
}

// play connects the clients, lets them send, and waits until what is reliable has come back. Half of the clients then leave.
func (d *demo) play(ctx context.Context) error {
	d.clients = make([]*demoClient, d.demoOptions.clients)
	if err := d.each(func(i int) error { return d.dial(ctx, i) }); err != nil {
		return err
	}
	if err := d.each(func(i int) error { return d.clients[i].sendAll(ctx, d) }); err != nil {
		return err
	}
	d.waitUntil(ctx, d.patience, d.allEchoed)
	return d.each(func(i int) error {
		if i%2 == 0 {
			return nil
		}
		return d.clients[i].conn.Close()
	})
}

// each runs f for all clients at once.
func (d *demo) each(f func(i int) error) error {
	errs := make([]error, len(d.clients))
	var all sync.WaitGroup
	for i := range errs {
		all.Go(func() { errs[i] = f(i) })
	}
	all.Wait()
	return errors.Join(errs...)
}

func (d *demo) dial(ctx context.Context, i int) error {
	c := &demoClient{}
	conn, err := udp.Dial(ctx, d.relayed.Addr().String(), udp.Config{
		Protocol: protocol(d.base), HostKey: d.host.Key(), DialTimeout: d.patience, Linger: time.Second,
		Handler: func(ev transport.Event) { c.handle(d, ev) },
	})
	if err != nil {
		return fmt.Errorf("connecting client %d: %w", i+1, err)
	}
	c.conn, d.clients[i] = conn, c
	return nil
}

// session gives the books of the connection with that peer id.
func (d *demo) session(id uint32) *session {
	d.mu.Lock()
	defer d.mu.Unlock()
	s := d.sessions[id]
	if s == nil {
		s = newSession(id)
		d.sessions[id] = s
	}
	return s
}

// atHost is the handler of the host: it sends each message back in its own mode.
func (d *demo) atHost(ev transport.Event) {
	s := d.hostSide[ev.Conn]
	if s == nil {
		s = d.session(ev.Conn.ID())
		d.hostSide[ev.Conn] = s
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.host.note(ev)
	if ev.Kind != transport.Message {
		return
	}
	up := s.up.of(ev.Delivery)
	if number, _, isNew := up.arrive(ev.Payload, d.now()); isNew {
		s.down.of(ev.Delivery).noteSent(number, len(ev.Payload), up.entries[number].sentAt)
	}
	_ = ev.Conn.Send(ev.Payload, transport.SendOptions{Delivery: ev.Delivery}) // an echo that is missing is found at the end
}

// handle is the handler of a client.
func (c *demoClient) handle(d *demo, ev transport.Event) {
	if c.session == nil {
		c.session = d.session(ev.Conn.ID())
	}
	s := c.session
	s.mu.Lock()
	defer s.mu.Unlock()
	s.client.note(ev)
	if ev.Kind != transport.Message {
		return
	}
	if _, _, isNew := s.down.of(ev.Delivery).arrive(ev.Payload, d.now()); isNew {
		d.bar.add(1)
	}
}

// sendAll sends a reliable and an unreliable message at each tick.
func (c *demoClient) sendAll(ctx context.Context, d *demo) error {
	s, start := d.session(c.conn.ID()), d.now()
	for i := range d.perClient() {
		due := start + int64(float64(i)*1e9/d.rate)
		if !pause(ctx, time.Duration(due-d.now())) {
			return ctx.Err()
		}
		for _, mode := range baseModes {
			if err := c.send(d, s, uint32(i), mode); err != nil {
				return fmt.Errorf("%s: sending %v message %d: %w", s.name, mode, i, err)
			}
		}
	}
	return nil
}

func (c *demoClient) send(d *demo, s *session, number uint32, mode transport.Delivery) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	message := s.up.of(mode).send(number, sizeOf(number), d.now())
	return c.conn.Send(message, transport.SendOptions{Delivery: mode})
}

// sizeOf makes messages of all sizes, most of them small.
func sizeOf(number uint32) int {
	x := scramble(uint64(number))
	if x%8 == 0 {
		return numberSize + int(x>>8%uint64(maxSize(udp.Base, transport.ReliableOrdered)-numberSize+1))
	}
	return numberSize + int(x>>8%200)
}

// allEchoed reports whether every reliable message has come back.
func (d *demo) allEchoed() bool {
	for _, s := range d.all() {
		s.mu.Lock()
		missing := d.perClient() - s.down.reliable.delivered
		s.mu.Unlock()
		if missing > 0 {
			return false
		}
	}
	return true
}

func (d *demo) all() []*session {
	d.mu.Lock()
	defer d.mu.Unlock()
	var list []*session
	for id := uint32(1); len(list) < len(d.sessions); id++ {
		if s := d.sessions[id]; s != nil {
			list = append(list, s)
		}
	}
	return list
}

func (d *demo) waitUntil(ctx context.Context, patience time.Duration, done func() bool) {
	for end := time.Now().Add(patience); !done() && time.Now().Before(end); {
		if !pause(ctx, 5*time.Millisecond) {
			return
		}
	}
}

// close ends everything, the remaining clients by way of the host, and looks at what is left over.
func (d *demo) close() {
	if d.host != nil {
		_ = d.host.Close()
		d.waitUntil(context.Background(), time.Second, d.allGone)
	}
	for _, c := range d.clients {
		if c != nil {
			_ = c.conn.Close()
		}
	}
	if d.relayed != nil {
		d.waitUntil(context.Background(), time.Second, func() bool {
			counts := d.relayed.Counts()
			return counts.Up.InFlight+counts.Down.InFlight == 0
		})
		_ = d.relayed.Close()
		counts := d.relayed.Counts()
		d.left.up, d.left.down = counts.Up, counts.Down
		d.left.peers = d.host.Stats().Peers
	}
	d.waitUntil(context.Background(), time.Second, func() bool { return runtime.NumGoroutine() <= d.left.goroutinesBefore })
	d.left.goroutinesAfter = runtime.NumGoroutine()
	d.finished = time.Since(d.began)
}

// allGone reports whether every client has heard that it is over.
func (d *demo) allGone() bool {
	for _, c := range d.clients {
		if c != nil && c.conn.Err() == nil {
			return false
		}
	}
	return true
}

// broken says which promises do not hold.
func (d *demo) broken() error {
	var problems []error
	if n := len(d.all()); n != d.demoOptions.clients {
		problems = append(problems, fmt.Errorf("%d clients were connected instead of %d", n, d.demoOptions.clients))
	}
	for _, s := range d.all() {
		problems = append(problems, s.broken())
	}
	return errors.Join(append(problems, d.left.broken())...)
}
