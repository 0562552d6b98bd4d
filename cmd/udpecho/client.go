package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/gannet-net/gannet/transport"
	"github.com/gannet-net/gannet/udp"
)

// clientOptions are the flags of udpecho client.
type clientOptions struct {
	host     clientHost
	protocol udp.Protocol
	version  string
	messages int
	rate     float64
	size     int
	mode     transport.Delivery
	timeout  time.Duration
	every    time.Duration
	rejoin   bool
	json     bool
}

func runClient(ctx context.Context, con console, args []string) error {
	o, err := parseClient(con, args)
	if err != nil {
		return err
	}
	c := newEchoClient(o)
	defer c.closeKeyLog()
	bar := newProgress(con.err, "echoes", o.messages)
	c.echoed = bar.add
	stop := c.tellEvery(con)
	err = c.run(ctx)
	stop()
	bar.end()
	c.warn(con)
	if ctx.Err() != nil {
		con.notef("udpecho client: interrupted while %s", c.stage)
		err = nil
	}
	report := c.report(err)
	report.Interrupted = ctx.Err() != nil
	if o.json {
		return errors.Join(con.json(report), err)
	}
	if c.conn != nil {
		con.printf("%s", report.text(o))
	}
	return err
}

func parseClient(con console, args []string) (*clientOptions, error) {
	o := &clientOptions{}
	fs := newFlags("client", "client [FLAGS]", "Sends messages to an echo host, checks that each comes back as it was sent, and reports round-trip times.\n"+
		"Ends with status 1 if there is no host or no echo within -timeout.")
	o.host.register(fs)
	base := fs.Bool("base", false, "speak the base protocol, which has no encryption")
	fs.StringVar(&o.version, "version", "HRD-LOCAL-1", "`VERSION` of the base protocol")
	fs.IntVar(&o.messages, "n", 100, "`N` messages")
	fs.Float64Var(&o.rate, "rate", 30, "messages a second, in `HZ`")
	fs.IntVar(&o.size, "size", 64, "`BYTES` of a message")
	fs.DurationVar(&o.timeout, "timeout", 5*time.Second, "`TIME` to wait for an answer to the dial, and for the next echo")
	fs.BoolVar(&o.rejoin, "rejoin", false, "when the connection is lost, dial again for -timeout, with the ticket of the host if there is one, and go on")
	fs.DurationVar(&o.every, "every", 0, "`TIME` after which progress is told on standard error, again and again; 0 is never")
	fs.BoolVar(&o.json, "json", false, "print one JSON object")
	mode := fs.mode("ordered or unreliable; unless -base also unordered, sequenced or reliable-sequenced")
	if err := con.parse(fs, args); err != nil {
		return nil, err
	}
	o.mode, o.protocol = *mode, protocol(*base)
	return o, firstError(fs.noMore(), o.host.settle(fs, *base), o.check())
}

func (o *clientOptions) check() error {
	switch {
	case !(o.rate > 0 && o.rate <= 1e6):
		return usagef("-rate %v: must be above 0 and at most 1000000", o.rate)
	case o.timeout < time.Millisecond || o.timeout > time.Hour:
		return usagef("-timeout %v: must be from 1ms to 1h", o.timeout)
	case o.every != 0 && o.every < time.Millisecond:
		return usagef("-every %v: must be 0, or 1ms or more", o.every)
	}
	return firstError(checkMode(o.protocol, o.mode), checkVersion(o.version),
		checkRange("size", o.size, numberSize, maxSize(o.protocol, o.mode)), checkRange("n", o.messages, 1, 10_000_000))
}

// echoClient sends numbered messages and checks what comes back.
type echoClient struct {
	*clientOptions
	began   time.Time
	conn    *udp.Conn // nil until it is connected
	stage   string    // what is going on, for people
	address string    // that is dialled, or was connected to
	keyLog  *os.File  // nil if there is none
	echoed  func(int)

	mu           sync.Mutex
	ledger       *ledger
	next         int // number of the message that is sent next
	first        int // number of the first message of this connection
	sessions     int
	ends         []string // of those that were lost
	heard        int64    // when the latest echo came, or the first message was sent
	silence      int64    // the longest time between two echoes
	lastSent     int64
	waitingSince int64 // since when an echo is overdue: the last one, or the send that found all others answered
}

func newEchoClient(o *clientOptions) *echoClient {
	c := &echoClient{clientOptions: o, began: time.Now(), ledger: newLedger(0, o.mode, o.messages)}
	c.ledger.once = o.protocol == udp.Secure
	c.at(o.host.addresses[0])
	return c
}

// warn says what nobody may overlook.
func (c *echoClient) warn(con console) {
	if c.keyLog != nil {
		con.notef("udpecho client: who reads %s can read this session", c.host.keyLog)
	}
	if c.conn != nil && c.conn.Encrypted() && !c.conn.HostVerified() {
		con.notef("udpecho client: nobody knows with whom that was: it had the key with the fingerprint %s; -host-key, -invite or -token tells the one that is meant",
			c.conn.Identity().Key.Fingerprint())
	}
}

func (c *echoClient) closeKeyLog() {
	if c.keyLog != nil {
		_ = c.keyLog.Close()
		c.keyLog = nil
	}
}

// at notes which address of the host is tried.
func (c *echoClient) at(address string) { c.address, c.stage = address, "connecting to "+address }

func (c *echoClient) now() int64 { return int64(time.Since(c.began)) }

// run connects, exchanges the messages and says goodbye.
func (c *echoClient) run(ctx context.Context) error {
	if err := c.dialAll(ctx); err != nil {
		return err
	}
	for {
		c.stage = "waiting for echoes from " + c.address
		err := c.exchange(ctx)
		if !c.lost() {
			_ = c.conn.Close()
			return err
		}
		if err := c.dialAgain(ctx); err != nil {
			return err
		}
	}
}

// dialAll tries one address of the host after the other.
func (c *echoClient) dialAll(ctx context.Context) error {
	c.closeKeyLog()
	config, log, err := c.host.config()
	if err != nil {
		return err
	}
	c.keyLog = log
	var failed []error
	if c.conn != nil {
		if ticket, ok := c.conn.Ticket(); ok {
			config.Resume = &ticket
		}
	}
	for _, address := range c.host.addresses {
		c.at(address)
		err := c.dial(ctx, config)
		if err == nil || ctx.Err() != nil {
			return err
		}
		failed = append(failed, fmt.Errorf("%s: %w", c.stage, err))
	}
	return errors.Join(failed...)
}

// dial connects. The context bounds looking up the name, the configuration the rest.
func (c *echoClient) dial(ctx context.Context, config udp.Config) (err error) {
	patience := c.dialTimeout()
	ctx, cancel := context.WithTimeout(ctx, patience+time.Second)
	defer cancel()
	config.Protocol, config.Version, config.DialTimeout, config.Linger = c.protocol, c.version, patience, farewell
	conn, err := udp.Dial(ctx, c.address, config)
	if err == nil {
		c.conn = conn
		c.sessions++
	}
	return err
}

// exchange sends and receives until all is done, or until it is clear that it will not be.
func (c *echoClient) exchange(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan error, 2)
	var both sync.WaitGroup
	both.Go(func() { ended <- c.sendAll(ctx) })
	both.Go(func() { ended <- c.receiveAll(ctx) })
	defer both.Wait()
	defer cancel()

	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case err := <-ended:
			if err != nil {
				return c.explain(err)
			}
		case <-tick.C:
			if done, err := c.verdict(); done {
				return err
			}
		}
	}
}

// sendAll sends message i at i/rate. When the send queue is full it waits for room.
func (c *echoClient) sendAll(ctx context.Context) error {
	start, first := c.now(), c.first
	for i := first; i < c.messages; i++ {
		due := start + int64(float64(i-first)*1e9/c.rate)
		if !pause(ctx, time.Duration(due-c.now())) {
			return nil
		}
		err := c.send(uint32(i))
		for ; errors.Is(err, transport.ErrQueueFull); err = c.send(uint32(i)) {
			if !pause(ctx, 2*time.Millisecond) {
				return nil
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// pause reports false if ctx ended.
func pause(ctx context.Context, d time.Duration) bool {
	if d <= 0 {
		return ctx.Err() == nil
	}
	select {
	case <-time.After(d):
		return true
	case <-ctx.Done():
		return false
	}
}

func (c *echoClient) send(number uint32) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := c.now()
	if c.ledger.awaited() == 0 {
		c.waitingSince = now
	}
	if c.ledger.sent == 0 {
		c.heard = now
	}
	c.lastSent = now
	err := c.conn.Send(c.ledger.send(number, c.size, now), transport.SendOptions{Delivery: c.mode})
	if err == nil {
		c.next = int(number) + 1
	}
	return err
}

func (c *echoClient) receiveAll(ctx context.Context) error {
	for buf := []byte(nil); ; {
		ev, err := c.conn.Receive(ctx, buf)
		if ctx.Err() != nil {
			return nil
		}
		if err != nil {
			return err
		}
		buf = ev.Payload
		c.arrive(ev.Payload)
	}
}

func (c *echoClient) arrive(message []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if number, ok := numberOf(message); ok && int(number) < c.first {
		c.ledger.foreign++ // a connection carries nothing of the one before
		return
	}
	now := c.now()
	if _, _, isNew := c.ledger.arrive(message, now); isNew {
		c.silence = max(c.silence, now-c.heard)
		c.waitingSince, c.heard = now, now
		c.echoed(1)
	}
}

// verdict reports whether it is over, and whether it went well.
func (c *echoClient) verdict() (done bool, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	now, l := c.now(), c.ledger
	patience := int64(c.timeout)
	if !c.mode.Reliable() {
		patience += int64(5e9 / c.rate) // some in a row may be lost
	}
	allSent := l.sent == c.messages
	switch {
	case allSent && (l.awaited() == 0 || c.mode.Reliable() && l.complete()):
		return true, l.broken()
	case allSent && l.delivered > 0 && !c.mode.Reliable() && now-c.lastSent > int64(c.settlingTime()):
		return true, l.broken()
	case l.awaited() > 0 && now-c.waitingSince > patience:
		return true, errors.Join(
			fmt.Errorf("%s: %d of %d came, none for %v: does the host echo?", c.stage, l.delivered, l.sent, time.Duration(patience)), l.broken())
	}
	return false, nil
}

// settlingTime is how long after the last unreliable message echoes may still come.
func (c *echoClient) settlingTime() time.Duration {
	return min(c.timeout, max(500*time.Millisecond, 4*c.conn.RTT()))
}

// explain makes the end of the connection readable.
func (c *echoClient) explain(err error) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	var end *transport.DisconnectError
	if errors.As(err, &end) && end.Cause == transport.ClosedByPeer {
		return fmt.Errorf("%s: host closed the connection after %d echoes to %d messages", c.stage, c.ledger.delivered, c.ledger.sent)
	}
	return fmt.Errorf("%s: %w", c.stage, err)
}

// clientReport is what udpecho client prints.
type clientReport struct {
	latencyReport
	Asked      int     `json:"asked"` // what -n said
	Sent       int     `json:"sent"`
	Delivered  int     `json:"delivered"`
	Lost       int     `json:"lost"`
	Duplicates int     `json:"duplicates"`
	OutOfOrder int     `json:"out_of_order"`
	BytesRatio float64 `json:"bytes_ratio"`

	Told     int      `json:"told"`     // of those lost: their connection ended, and this side was told
	Sessions int      `json:"sessions"` // connections, one after the other
	Ends     []string `json:"ends"`     // why those before the last one ended
	Silence  float64  `json:"silence_ms"`

	WireBytesForward uint64  `json:"wire_bytes_forward"` // with 28 bytes of IP and UDP headers for each datagram
	WireBytesReverse uint64  `json:"wire_bytes_reverse"`
	Repairs          uint64  `json:"repairs"`
	Spurious         uint64  `json:"spurious"`
	RateHZ           float64 `json:"rate_hz"` // at which they were sent
	Encrypted        bool    `json:"encrypted"`
	Verified         bool    `json:"verified"` // the host is the one that was meant
	Interrupted      bool    `json:"interrupted,omitempty"`
	Error            string  `json:"error,omitempty"`

	address    string
	roundTrips distribution
}

func (c *echoClient) report(err error) *clientReport {
	l := c.ledger
	r := &clientReport{
		Asked: c.messages, RateHZ: c.rateOfSending(), Sent: l.sent, Delivered: l.delivered, Lost: l.sent - l.delivered, Duplicates: l.duplicates, OutOfOrder: l.outOfOrder,
		Told: l.told, Sessions: c.sessions, Ends: append([]string{}, c.ends...), Silence: milliseconds(float64(c.silence)),
		address: c.address, roundTrips: newDistribution(l.latencies()),
	}
	r.latencyReport = r.roundTrips.report()
	if c.conn != nil {
		s := c.conn.Stats()
		r.WireBytesForward, r.WireBytesReverse = onWire(s.DatagramsSent, s.BytesSent), onWire(s.DatagramsReceived, s.BytesReceived)
		r.Repairs, r.Spurious = sentAgain(s), s.SpuriousRepairs
		r.Encrypted, r.Verified = c.conn.Encrypted(), c.conn.HostVerified()
	}
	if l.sent > 0 {
		r.BytesRatio = rounded(float64(r.WireBytesForward) / float64(l.sent*messageOnWire(c.protocol, c.mode, c.size)))
	}
	if err != nil {
		r.Error = err.Error()
	}
	return r
}

// rateOfSending is that of the messages that were sent, 0 if there were not two at different times.
func (c *echoClient) rateOfSending() float64 {
	if c.ledger.sent < 2 {
		return 0
	}
	took := c.lastSent - c.ledger.entries[0].sentAt
	if took <= 0 {
		return 0
	}
	return rounded(float64(c.ledger.sent-1) * 1e9 / float64(took))
}

func (r *clientReport) text(o *clientOptions) string {
	loss := 100 * float64(r.Lost) / math.Max(float64(r.Sent), 1)
	return fmt.Sprintf("%d %v messages of %d bytes sent to %s at %.1f a second; asked for were %d at %v\n",
		r.Sent, o.mode, o.size, r.address, r.RateHZ, r.Asked, o.rate) +
		fmt.Sprintf("echoes       %d, lost %d (%.1f %%), twice %d, out of order %d\n", r.Delivered, r.Lost, loss, r.Duplicates, r.OutOfOrder) +
		r.connections() +
		fmt.Sprintf("round trip   p50 %v ms, p90 %v ms, p99 %v ms, p99.9 %v ms, max %v ms\n", r.P50, r.P90, r.P99, r.P999, r.Max) +
		fmt.Sprintf("bytes        %d out, %d in, headers included; sent again %d\n\n", r.WireBytesForward, r.WireBytesReverse, r.Repairs) +
		r.roundTrips.histogram()
}

// connections tells of those before the last one, if there were any.
func (r *clientReport) connections() string {
	if len(r.Ends) == 0 {
		return ""
	}
	return fmt.Sprintf("connections  %d, lost because: %s; %d of the lost messages went with them\n", r.Sessions, strings.Join(r.Ends, ", "), r.Told)
}
