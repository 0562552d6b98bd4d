package soak

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/gannet-net/gannet/sim"
	"github.com/gannet-net/gannet/transport"
	"github.com/gannet-net/gannet/udp"
)

// Plan is a world before it is played: all that is drawn from its seed, but for the fate of each datagram.
type Plan struct {
	Seed   uint64
	Span   time.Duration // of the phase with faults
	Heavy  bool          // all modes and sizes, and more of everything; else the traffic of a game
	Faults []Fault       // in the order of their times

	protocol udp.Protocol // of the host
	players  []playerPlan
	links    sim.Conditions
	streams  []stream

	heartbeat, timeout, linger time.Duration
	budget                     int
	ceiling                    int64
	queueBytes, queueMessages  int
	unreadBytes, unreadCount   int
	windowBytes                int
	first                      int32 // sequence
	admit, onTick, yield       bool
	tokens                     bool // nobody gets in without one
	eagerHost                  bool
}

// playerPlan is what is drawn for a player.
type playerPlan struct {
	protocol udp.Protocol
	behind   bool          // a NAT box
	expiry   time.Duration // of its mappings
	eager    bool          // runs for each datagram, not just once a frame
	drift    int64         // of the clock, in parts in a million
	joinAt   time.Duration
	absent   bool // left out when a plan was made smaller
	stranger bool // it takes the host for another one; for tests
}

// connections is how many players there are in most worlds.
const connections = 3

func millis(n int) time.Duration { return time.Duration(n) * time.Millisecond }

// Draw makes the plan of a seed.
func Draw(seed uint64, span time.Duration) Plan {
	d := newDice(sim.New(seed).Seed("plan"))
	p := Plan{Seed: seed, Span: span, Heavy: seed%16 == 0, heartbeat: time.Second, timeout: 10 * time.Second, linger: 3 * time.Second}
	if !d.oneIn(4) {
		p.protocol = udp.Secure
	} else {
		p.protocol = udp.Base
	}
	p.drawLinks(d)
	p.drawPlayers(d)
	p.tokens = p.protocol == udp.Secure && d.oneIn(3) && !slices.ContainsFunc(p.players, func(one playerPlan) bool { return one.protocol == udp.Base })
	p.drawStreams(d)
	if p.Heavy {
		p.drawLimits(d)
	}
	p.drawFaults(d)
	p.drawEdges()
	return p
}

// calls reports whether sides call each other's methods, which takes the secure protocol.
func (p *Plan) calls() bool { return p.protocol == udp.Secure && p.Seed%4 == 0 }

// drawLinks draws the conditions that hold all the time. Every world loses.
func (p *Plan) drawLinks(d dice) {
	p.links = sim.Conditions{
		Delay: d.duration(millis(2), millis(60)), Jitter: d.duration(0, millis(8)), Loss: sim.Percent(10),
		Duplicate: sim.Percent(1), Reorder: sim.Percent(1), ReorderDelay: millis(20),
	}
	if p.Heavy {
		p.links.Loss = sim.PerMillion(d.below(200_000))
		p.links.DuplicateDelay = d.duration(0, millis(200))
	}
}

func (p *Plan) drawPlayers(d dice) {
	n := connections
	if p.Heavy {
		n = d.between(1, 2*connections)
	}
	for range n {
		one := playerPlan{protocol: p.protocol, drift: int64(d.between(-500, 500)), joinAt: d.duration(0, time.Second)}
		switch {
		case p.protocol == udp.Base:
		case d.oneIn(8):
			one.protocol = udp.Base // a host of the secure protocol serves it as well
		default:
			one.behind = d.oneIn(2)
			one.expiry = oneOf(d, 0, 3*time.Second, 6*time.Second)
		}
		one.eager = p.Heavy && d.oneIn(3)
		p.players = append(p.players, one)
	}
}

// theGame is the traffic of a game: 60 unreliable messages a second each way and five reliable ones.
var theGame = []stream{
	{delivery: transport.Unreliable, every: 1, burst: 1, low: 41, high: 41, plain: true},
	{delivery: transport.ReliableOrdered, every: 12, burst: 1, low: 60, high: 60, plain: true},
}

func (p *Plan) drawStreams(d dice) {
	p.streams = append(p.streams, theGame...)
	if p.Heavy {
		p.streams[1].low = d.below(60) // empty ones included
		p.streams[0].receipts, p.streams[1].receipts = d.oneIn(2), d.oneIn(2)
		p.drawMoreStreams(d)
	}
	for i := range p.streams {
		p.streams[i].index = i
	}
}

// drawMoreStreams adds streams of all modes on channels of their own, one of them of bulk.
func (p *Plan) drawMoreStreams(d dice) {
	modes := []transport.Delivery{transport.Unreliable, transport.Sequenced, transport.ReliableUnordered, transport.ReliableOrdered, transport.ReliableSequenced}
	for i, n := 0, d.between(2, 7); i < n; i++ {
		s := stream{
			delivery: modes[d.below(len(modes))], channel: uint8(2 + i*8 + d.below(8)), every: oneOf(d, 2, 4, 7, 13, 30, 60), burst: oneOf(d, 1, 1, 1, 5, 20),
			low: d.between(head, 100), urgent: d.oneIn(5), receipts: d.oneIn(2),
		}
		s.high = s.low + oneOf(d, 0, 100, 1000, 1000, 4000)
		switch d.below(6) {
		case 0:
			s.ttl = d.between(1, 500)
		case 1:
			s.replace = true
		}
		s.receipts = s.receipts || s.ttl > 0 || s.replace // or nobody knows what has to arrive
		p.streams = append(p.streams, s)
	}
	if d.oneIn(2) {
		size := oneOf(d, 2000, 20_000, 60_000)
		p.streams = append(p.streams, stream{delivery: transport.ReliableOrdered, channel: bulkChannel, every: d.between(20, 200), burst: 1, low: size / 2, high: size, bulk: true})
	}
}

// bulkChannel is the channel of ClassBulk of every world, urgentChannel that of ClassUrgent. On floodChannel there is more than a window within a few seconds.
const (
	bulkChannel   = 1
	floodChannel  = 62
	urgentChannel = 63
)

// drawLimits draws settings that a game would leave alone.
func (p *Plan) drawLimits(d dice) {
	p.heartbeat = oneOf(d, 200*time.Millisecond, time.Second, time.Second, 2*time.Second)
	p.timeout = p.heartbeat * time.Duration(d.between(5, 12))
	p.linger = d.duration(time.Second, 5*time.Second)
	p.budget = d.between(100, 400)
	p.ceiling = int64(oneOf(d, 0, 0, 64<<10, 256<<10))
	p.queueBytes = oneOf(d, 0, 0, 200_000)
	p.queueMessages = oneOf(d, 0, 0, 100)
	p.unreadBytes = oneOf(d, 0, 0, 100_000)
	p.unreadCount = oneOf(d, 0, 0, 50)
	p.windowBytes = oneOf(d, 0, 0, 40_000)
	if p.protocol == udp.Base {
		p.windowBytes = oneOf(d, 0, 1500)
	}
	p.admit, p.onTick, p.yield, p.eagerHost = d.oneIn(3), d.oneIn(3), d.oneIn(3), d.oneIn(4)
}

// drawEdges brings worlds near to what is seldom reached: sequences that are about to wrap, readers that have room for little, and in heavy worlds so many messages
// that windows are full when a reader stops.
func (p *Plan) drawEdges() {
	d := newDice(sim.New(p.Seed).Seed("edges"))
	p.first = oneOf[int32](d, 0, math.MaxInt32, -1, math.MaxUint16) - int32(d.below(300))
	p.coincide(d)
	switch {
	case !p.Heavy && d.oneIn(2):
		p.unreadCount = 50
	case p.Heavy && d.oneIn(2):
		p.unreadCount = 50
		p.streams = append(p.streams, stream{
			index: len(p.streams), delivery: transport.ReliableOrdered, channel: floodChannel, every: d.between(4, 10), burst: d.between(10, 15), low: head, high: 20,
		})
		p.starve(d)
	case p.Heavy && p.protocol == udp.Secure:
		p.stray(d)
	}
}

// coincide lets players move while something befalls the host: of two faults that are seldom, hardly ever one meets the other.
func (p *Plan) coincide(d dice) {
	for _, f := range slices.Clone(p.Faults) {
		if f.Player != theHost || kinds[f.Kind].onHost == 0 || d.oneIn(2) {
			continue
		}
		who, until := d.below(len(p.players)), f.At+20*time.Second
		i := slices.IndexFunc(p.Faults, func(o Fault) bool {
			return o.Player == who && o.For == 0 && kinds[o.Kind].lane == laneWay && o.At > f.At && o.At < until
		})
		if i >= 0 {
			p.Faults[i].At = f.At + d.duration(0, millis(100))
			sortFaults(p.Faults)
		}
	}
}

// String tells what was drawn, without the faults.
func (p Plan) String() string {
	var b strings.Builder
	sort := "the traffic of a game"
	if p.Heavy {
		sort = "heavy"
	}
	fmt.Fprintf(&b, "seed %d: %v, %s, %v host, %d players, %d faults\n", p.Seed, p.Span, sort, p.protocol, len(p.players), len(p.Faults))
	fmt.Fprintf(&b, "  links: delay %v, jitter %v, loss %d ppm, copies %v late\n", p.links.Delay, p.links.Jitter, uint64(p.links.Loss)*1_000_000>>32, p.links.DuplicateDelay)
	fmt.Fprintf(&b, "  first sequence %d, heartbeat %v, timeout %v, linger %v, budget %d, ceiling %d, queue %d B %d messages, unread %d B %d messages\n",
		p.first, p.heartbeat, p.timeout, p.linger, p.budget, p.ceiling, p.queueBytes, p.queueMessages, p.unreadBytes, p.unreadCount)
	fmt.Fprintf(&b, "  admit %v, acks on tick %v, bulk yields %v, eager host %v, tokens %v, window %d B\n", p.admit, p.onTick, p.yield, p.eagerHost, p.tokens, p.windowBytes)
	for i, one := range p.players {
		fmt.Fprintf(&b, "  player %d: %v, joins at %v, NAT %v (mappings expire after %v), eager %v, drift %d ppm\n", i, one.protocol, one.joinAt, one.behind, one.expiry, one.eager, one.drift)
	}
	for i := range p.streams {
		fmt.Fprintf(&b, "  stream %d: %v\n", i, &p.streams[i])
	}
	return b.String()
}

// Script lists the faults, one a line.
func (p Plan) Script() string {
	var b strings.Builder
	for _, f := range p.Faults {
		fmt.Fprintf(&b, "  %v\n", f)
	}
	return b.String()
}
