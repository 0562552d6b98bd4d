package main

import (
	"fmt"

	"github.com/gannet-net/gannet/examples/derby/park"
	"github.com/gannet-net/gannet/msgs"
	"github.com/gannet-net/gannet/msgs/derby"
)

// player is the program of one player.
type player struct {
	name   string
	client *derby.Client
	park   *field
	link   link
	clock  func() int64
	began  float64 // what its own game shows when clock shows 0, in seconds; no two games start at once

	atBat   int // frames since its turn began, 0 if somebody else bats
	team    int32
	readsIn int // frames until it has read the intro
	shopsIn int // frames until it is done in the shop
	leaving bool
	frozen  bool
	ended   error

	heard  []string // all reliable messages of the game
	said   []string // those that others are to hear
	poses  int      // of others that were shown
	newest float32
	shown  float64
	faults []error
}

// newPlayer makes a player, who has to be given a link and a clock.
func newPlayer(name string, began float64) (*player, error) {
	p := &player{name: name, began: began}
	var err error
	p.client, err = derby.NewClient(derby.ClientConfig{
		Version: "example", Self: derby.PlayerInfo{Name: name, BatterID: "ox"}, Clock: func() int64 { return p.clock() },
		RunStarted: func(*derby.StartRun) { p.readsIn = 20 },
		Game:       p.game,
		Ended:      func(err error) { p.ended = err },
		Also:       mounts,
	})
	if err != nil {
		return nil, err
	}
	p.park, err = newField(p)
	return p, err
}

// frame is one frame of the player's game.
func (p *player) frame() {
	if p.frozen {
		return
	}
	p.client.Router().Pump(p.link)
	p.client.Router().RunFrame()
	p.park.calls.Tick(p.clock())
	if p.ended == nil && !p.leaving {
		p.act()
	}
	p.link.Flush()
}

// leave goes before the match is over. What was sent before is still delivered.
func (p *player) leave() error {
	p.leaving = true
	return p.client.Leave()
}

func (p *player) act() {
	if p.readsIn > 0 {
		if p.readsIn--; p.readsIn == 0 {
			p.must(derby.IntroDone{}.Send(p.client.ToAll()))
		}
	}
	if p.shopsIn > 0 {
		if p.shopsIn--; p.shopsIn == 0 {
			p.must(derby.ShopReady{}.Send(p.client.ToAll()))
		}
	}
	if p.atBat > 0 {
		p.bat()
		if p.atBat > 0 {
			p.atBat++
		}
	}
}

// bat is one frame at the plate. A pose goes out each derby.PoseInterval, and is lost if it is lost.
func (p *player) bat() {
	t := p.time()
	if p.atBat%int(derby.PoseInterval/frameTime) == 0 {
		say(p, derby.AtBatPose{T: t, Hands: derby.Vec3{Y: 1}, Twist: float32(p.client.ID())})
	}
	hit := (int(p.client.ID())+int(p.team))%3 > 0
	switch p.atBat {
	case 1:
		say(p, derby.AtBatBegin{Batter: p.client.ID(), BatUpgradeID: "oak", TeamScore: p.team})
	case 12:
		say(p, derby.AtBatPitch{At: t, PitchTypeID: "fast", SpeedMph: 90, FlightTime: 0.4, IsInZone: true})
	case 24:
		say(p, derby.AtBatSwing{PressTime: t})
		p.park.swing()
	case 26:
		say(p, result(t, hit))
	case 28:
		say(p, p.headline(hit))
	case 32:
		end := derby.TurnEnd{}
		if hit {
			end.ScoreGained = 1
		}
		p.must(end.Send(p.client.ToAll()))
		p.atBat = 0
	}
}

// say sends what the server relays to the others.
func say[T any, P interface {
	*T
	msgs.Message
	Send(msgs.Target) error
}](p *player, m T) {
	p.must(P(&m).Send(p.client.ToAll()))
	if P(&m).Descriptor().Entry.Delivery.Reliable() {
		p.said = append(p.said, words(P(&m)))
	}
}

func result(t float32, hit bool) derby.AtBatResult {
	if hit {
		return derby.AtBatResult{At: t, MadeContact: true, ContactTime: t, IsHomeRun: true, IsFair: true, DistanceFt: 412}
	}
	return derby.AtBatResult{At: t}
}

func (p *player) headline(hit bool) derby.PlayFeed {
	if hit {
		return derby.PlayFeed{Batter: p.client.ID(), Headline: "a home run", HomeRun: true, DistanceFt: 412}
	}
	return derby.PlayFeed{Batter: p.client.ID(), Headline: "a miss", WasOut: true}
}

// time is what the player's own game shows, in seconds.
func (p *player) time() float32 { return float32(float64(p.clock())*1e-9 + p.began) }

// game is called with what the server decides, and with what it relays of others.
func (p *player) game(g derby.GameMessage) {
	if m, ok := g.Message.(*derby.AtBatPose); ok {
		p.watch(m, g.At)
		return
	}
	p.heard = append(p.heard, words(g.Message))
	switch m := g.Message.(type) {
	case *derby.TurnStart:
		p.atBat, p.team = 0, m.TeamScore
		p.newest = 0
		if m.Batter == p.client.ID() {
			p.atBat = 1
		}
	case *derby.RoundEnd:
		p.atBat = 0
		if m.Cleared {
			p.shopsIn = 20
			p.park.ask(park.Oak)
		}
	}
}

// watch shows a pose of somebody else.
func (p *player) watch(m *derby.AtBatPose, at float64) {
	if m.T <= p.newest {
		p.must(fmt.Errorf("a pose of %v came after one of %v", m.T, p.newest))
	}
	if at < p.shown-1e-6 {
		p.must(fmt.Errorf("a pose is shown at %v, and the one before it at %v", at, p.shown))
	}
	p.poses, p.newest, p.shown = p.poses+1, m.T, at
}

// must notes what went wrong.
func (p *player) must(err error) {
	if err != nil {
		p.faults = append(p.faults, fmt.Errorf("%s: %w", p.name, err))
	}
}
