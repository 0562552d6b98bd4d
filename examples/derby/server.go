package main

import (
	"fmt"
	"io"

	"github.com/gannet-net/gannet/msgs/derby"
)

// rules say how long a match is.
type rules struct{ players, innings int }

// breather is how many frames there are between two turns.
const breather = 15

// server is the game server: a lobby, and who bats when.
type server struct {
	lobby *derby.Host
	link  link
	out   io.Writer
	rules rules

	order   []derby.PlayerID // who bats
	next    int              // index in order
	inning  uint8
	round   *derby.RoundStart // what a newcomer is told of first
	turn    *derby.TurnStart
	turns   uint16
	score   int32
	playing bool // an inning
	atBat   bool
	pause   int // frames until the next turn
	over    bool

	journal journal
	faults  []error
}

func newServer(out io.Writer, l link, clock func() int64, r rules) (*server, error) {
	s := &server{link: l, out: out, rules: r, journal: journal{since: map[derby.PlayerID]int{}, told: map[derby.PlayerID][]string{}}}
	var err error
	s.lobby, err = derby.NewHost(derby.HostConfig{
		Version: "example", Clock: clock,
		Roster: s.rosterChanged, Game: s.game, IntroOver: s.startInning, ShopOver: s.startInning,
	})
	return s, err
}

// frame is one frame of the server.
func (s *server) frame() {
	s.lobby.Router().Pump(s.link)
	s.lobby.Router().RunFrame()
	s.referee()
	s.link.Flush()
}

func (s *server) say(format string, args ...any) { fmt.Fprintf(s.out, "server: "+format+"\n", args...) }

func (s *server) rosterChanged(players []derby.PlayerInfo) {
	for _, p := range players {
		if !s.journal.has(p.ID) {
			s.say("%s is player %d", p.Name, p.ID)
			s.journal.joins(p.ID, s.round, s.turn)
		}
	}
	for _, id := range s.journal.missing(players) {
		s.say("player %d has gone", id)
		s.journal.leaves(id)
	}
	if len(s.order) == 0 && len(players) == s.rules.players {
		s.startRun(players)
	}
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
	s.next, s.playing, s.pause = 0, true, breather
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
	s.must(s.lobby.EndRound(derby.RoundEnd{Cleared: !s.over, TeamScore: s.score}))
	if s.over {
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
		s.say("player %d is at the plate", m.Batter)
	case *derby.TurnEnd:
		s.score += m.ScoreGained
	case *derby.PlayFeed:
		s.say("player %d: %s", m.Batter, m.Headline)
	}
}
