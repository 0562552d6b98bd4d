package main

import (
	"fmt"
	"io"

	"github.com/gannet-net/gannet/msgs"
	"github.com/gannet-net/gannet/msgs/derby"
)

// rules say how long a match is.
type rules struct{ players, innings int }

// breather is how many frames there are between two turns.
const breather = 15

// server is the game server: a lobby, and who bats when.
type server struct {
	lobby *derby.Host
	park  *grounds
	link  link
	clock func() int64
	out   io.Writer
	rules rules

	names   map[derby.PlayerID]string // of all who have joined
	order   []derby.PlayerID          // who bats
	next    int                       // index in order
	inning  uint8
	round   *derby.RoundStart // under way, if any
	turn    *derby.TurnStart  // the last one of it
	shop    *derby.RoundEnd   // by which it opened, if it is open
	turns   uint16
	score   int32
	playing bool // an inning
	atBat   bool
	pause   int // frames until the next turn
	over    bool

	journal journal
	faults  []error
}

// newServer makes a server, which has to be given a link and a clock.
func newServer(out io.Writer, r rules) (*server, error) {
	s := &server{out: out, rules: r, names: map[derby.PlayerID]string{}}
	s.journal = journal{since: map[derby.PlayerID]int{}, told: map[derby.PlayerID][]string{}}
	var err error
	s.lobby, err = derby.NewHost(derby.HostConfig{
		Version: "example", Clock: func() int64 { return s.clock() },
		Roster: s.rosterChanged, Game: s.game, IntroOver: s.startInning, ShopOver: s.startInning, Also: mounts,
	})
	if err != nil {
		return nil, err
	}
	s.park, err = newGrounds(s)
	return s, err
}

// frame is one frame of the server.
func (s *server) frame() {
	s.lobby.Router().Pump(s.link)
	s.lobby.Router().RunFrame()
	s.lobby.Tick(s.clock())
	s.park.calls.Tick(s.clock())
	s.referee()
	s.link.Flush()
}

func (s *server) say(format string, args ...any) { fmt.Fprintf(s.out, "server: "+format+"\n", args...) }

func (s *server) rosterChanged(players []derby.PlayerInfo) {
	for _, p := range players {
		if !s.journal.has(p.ID) {
			s.names[p.ID] = p.Name
			s.say("%s has joined as player %d", p.Name, p.ID)
			s.journal.joins(p.ID, s.standing()...)
			s.park.comes(p.ID)
		}
	}
	for _, id := range s.journal.missing(players) {
		s.say("%s has gone", s.names[id])
		s.journal.leaves(id)
		s.park.goes(id)
	}
	if len(s.order) == 0 && len(players) == s.rules.players {
		s.startRun(players)
	}
}

// standing is what a newcomer is told first, by the lobby: where the match stands.
func (s *server) standing() (list []msgs.Message) {
	if s.round != nil {
		list = append(list, s.round)
	}
	if _, batting := s.lobby.Batter(); batting {
		list = append(list, s.turn)
	}
	if s.shop != nil {
		list = append(list, s.shop)
	}
	return list
}

func (s *server) startRun(players []derby.PlayerInfo) {
	for _, p := range players {
		s.order = append(s.order, p.ID)
	}
	s.say("all are here: the run starts")
	s.must(s.lobby.StartRun(derby.StartRun{Seed: 7, Order: s.order, ParkID: "bay"}))
}

// startInning goes on after the intro and after the shop.
func (s *server) startInning() {
	s.say("inning %d", s.inning+1)
	s.next, s.playing, s.pause, s.shop = 0, true, breather, nil
	s.round = &derby.RoundStart{Inning: s.inning, Pool: uint8(len(s.order))}
	s.must(s.lobby.StartRound(*s.round))
}

// referee moves the match on.
func (s *server) referee() {
	if _, batting := s.lobby.Batter(); s.atBat && !batting { // is done, or has left
		s.atBat, s.pause = false, breather
	}
	if !s.playing || s.atBat {
		return
	}
	if s.pause--; s.pause <= 0 {
		s.nextTurn()
	}
}

// nextTurn sends the next one of the order who is still there to the plate.
func (s *server) nextTurn() {
	for s.next < len(s.order) {
		m := derby.TurnStart{Batter: s.order[s.next], TurnIndex: s.turns, TeamScore: s.score}
		s.next++
		if s.journal.has(m.Batter) {
			s.turns++
			s.atBat, s.turn = true, &m
			s.must(s.lobby.StartTurn(m))
			return
		}
	}
	s.endInning()
}

func (s *server) endInning() {
	s.inning++
	s.over = int(s.inning) == s.rules.innings
	s.playing, s.round, s.turn = false, nil, nil
	end := derby.RoundEnd{Cleared: !s.over, TeamScore: s.score}
	s.must(s.lobby.EndRound(end))
	if !s.over {
		s.shop = &end
	} else {
		s.say("the match is over: %d runs", s.score)
		s.lobby.EndRun()
	}
}

// must notes what went wrong.
func (s *server) must(err error) {
	if err != nil {
		s.faults = append(s.faults, fmt.Errorf("server: %w", err))
	}
}

// game shows what happens, as the program of each player does.
func (s *server) game(g derby.GameMessage) {
	s.journal.note(g)
	switch m := g.Message.(type) {
	case *derby.TurnStart:
		s.say("%s is at the plate", s.names[m.Batter])
	case *derby.TurnEnd:
		s.score += m.ScoreGained
	case *derby.PlayFeed:
		s.say("%s: %s", s.names[m.Batter], m.Headline)
	}
}
