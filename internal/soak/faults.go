package soak

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/gannet-net/gannet/sim"
	"github.com/gannet-net/gannet/udp"
)

// Kind is a sort of fault, or of what happens in the life of a player.
type Kind uint8

// lane is a row of faults of which one follows the other. Those of different lanes overlap.
type lane uint8

const (
	laneWay       lane = iota // what keeps a player and the host from hearing each other
	laneWeather               // what the link does to datagrams
	laneMachine               // what befalls a player's machine
	laneLife                  // coming and going
	laneHost                  // what befalls the host
	laneStrangers             // what others send
	numLanes
)

// pauses between the faults of a lane, in the mean, in the traffic of a game and in heavy worlds.
var pauses = [numLanes][2]time.Duration{
	laneWay:       {11 * time.Second, 8 * time.Second},
	laneWeather:   {4 * time.Second, 3 * time.Second},
	laneMachine:   {12 * time.Second, 6 * time.Second},
	laneLife:      {60 * time.Second, 10 * time.Second},
	laneHost:      {20 * time.Second, 10 * time.Second},
	laneStrangers: {10 * time.Second, 5 * time.Second},
}

// Fault is one fault of a plan.
type Fault struct {
	Kind   Kind
	At     time.Duration // after the beginning
	For    time.Duration // 0 for what is over at once
	Player int           // whom it befalls; theHost is the host, or nobody in particular
	Size   int           // what the kind makes of it
}

const theHost = -1

// String gives a line of a script.
func (f Fault) String() string {
	whom := fmt.Sprint("player ", f.Player)
	if f.Player == theHost {
		whom = "host"
	}
	return fmt.Sprintf("%-12v %-8s %-18s for %v, size %d", f.At, whom, kinds[f.Kind].name, f.For, f.Size)
}

// kindInfo is what is known of a kind.
type kindInfo struct {
	name   string
	group  string // network, socket, host or life
	lane   lane
	weight int // how often it is drawn, against others of its lane
	onHost int // likewise in the lane of the host

	sealed      bool          // nothing that the base protocol could stand
	nat         bool          // only behind a NAT box
	short, long time.Duration // how long it takes
	low, high   int           // its size

	bend  func(c *sim.Conditions, size int) // what it makes of a link
	begin func(w *world, f *Fault)
	end   func(w *world, f *Fault)
}

// fits reports whether a player can have a fault of this kind.
func (k *kindInfo) fits(p *playerPlan, sealed bool) bool {
	return (!k.sealed || sealed) && (!k.nat || p.behind)
}

func (p *Plan) drawFaults(d dice) {
	for i := range p.players {
		for l := laneWay; l <= laneLife; l++ {
			p.drawLane(d, l, i)
		}
	}
	p.drawLane(d, laneHost, theHost)
	p.drawLane(d, laneStrangers, theHost)
	sortFaults(p.Faults)
}

// drawLane draws one fault after the other until the span is over.
func (p *Plan) drawLane(d dice, l lane, player int) {
	pause := pauses[l][0]
	if p.Heavy {
		pause = pauses[l][1]
	}
	at := 2*time.Second + d.duration(0, 2*pause)
	for at < p.Span {
		f := p.drawFault(d, l, player)
		f.At = at
		p.Faults = append(p.Faults, f)
		at += f.For + pause/8 + d.duration(0, 2*pause)
	}
}

// drawFault draws a fault of a lane for whom it fits.
func (p *Plan) drawFault(d dice, l lane, player int) Fault {
	weights, sum := make([]int, len(kinds)), 0
	for i := range kinds {
		weights[i] = p.weight(&kinds[i], l, player)
		sum += weights[i]
	}
	n, i := d.below(sum), 0
	for ; n >= weights[i]; i++ {
		n -= weights[i]
	}
	k := &kinds[i]
	f := Fault{Kind: Kind(i), Player: player, For: d.duration(k.short, k.long), Size: d.between(k.low, k.high)}
	return f
}

func (p *Plan) weight(k *kindInfo, l lane, player int) int {
	switch {
	case l == laneHost:
		return k.onHost
	case k.lane != l:
		return 0
	case player == theHost:
		return k.weight
	case !k.fits(&p.players[player], p.sealed(player)):
		return 0
	}
	return k.weight
}

// sealed reports whether a player speaks the secure protocol.
func (p *Plan) sealed(player int) bool { return p.players[player].protocol == udp.Secure }

// sortFaults puts them in the order of their times; those of one time stay as they are.
func sortFaults(all []Fault) {
	slices.SortStableFunc(all, func(a, b Fault) int { return cmp.Compare(a.At, b.At) })
}
