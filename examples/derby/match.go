package main

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/gannet-net/gannet/examples/derby/park"
	"github.com/gannet-net/gannet/msgs/derby"
	"github.com/gannet-net/gannet/rpc"
)

// patience is how many frames a match may take before it is given up: ten minutes.
const patience = 60 * 60 * 10

// match is a server and its players.
type match struct {
	out     io.Writer
	venue   venue
	server  *server
	players []*player
	script  func() // is called once a frame, for what is not in the rules
}

func newMatch(out io.Writer, v venue, r rules) (*match, error) {
	m := &match{out: out, venue: v, script: func() {}}
	var err error
	if m.server, err = newServer(out, r); err != nil {
		return nil, err
	}
	m.server.link, m.server.clock, err = v.host(m.server.lobby.Router().Catalogue())
	return m, err
}

// join adds a player, at any time.
func (m *match) join(name string) (*player, error) {
	p, err := newPlayer(name, 100*float64(len(m.players)+1))
	if err != nil {
		return nil, err
	}
	m.players = append(m.players, p)
	p.link, p.clock, err = m.venue.player(name, p.client.Router().Catalogue())
	return p, err
}

// play plays a match to its end, and returns which promises were broken.
func (m *match) play() error {
	if !m.until(func() bool { return m.server.over }) {
		return errors.New("the match does not end")
	}
	if !m.until(m.everybodyKnows) {
		return errors.Join(errors.New("not everybody got to know all"), m.verdict())
	}
	broken, players := m.verdict(), len(m.present())
	if err := m.server.lobby.Close(); err != nil {
		return err
	}
	if !m.until(m.everybodyHasLeft) {
		return errors.New("not everybody noticed that the server has left")
	}
	if broken == nil {
		fmt.Fprintf(m.out, "%d players have the same roster; each got all of %d reliable messages that were for it, once and in order; %d poses were seen, none of them stepping back; %d swings were called\n",
			players, len(m.server.journal.lines), m.poses(), len(m.server.park.swings))
	}
	return broken
}

// until lets frames go by until done, and reports false if that takes too long.
func (m *match) until(done func() bool) bool {
	for range patience {
		if done() {
			return true
		}
		m.script()
		m.server.frame()
		for _, p := range m.players {
			p.frame()
		}
		m.venue.frame()
	}
	return false
}

// present are the players who are still there.
func (m *match) present() (list []*player) {
	for _, p := range m.players {
		if p.ended == nil && !p.frozen {
			list = append(list, p)
		}
	}
	return list
}

func (m *match) poses() (sum int) {
	for _, p := range m.players {
		sum += p.poses
	}
	return sum
}

// everybodyKnows reports whether the last word of the server has reached everybody, and who is gone was noticed.
func (m *match) everybodyKnows() bool {
	for _, p := range m.present() {
		if len(p.heard) < len(m.server.journal.expected(p.client.ID())) || p.park.seen < m.server.park.expected(p.client.ID()) || len(p.park.prices) < p.park.asked {
			return false
		}
	}
	return len(m.server.lobby.Roster()) == len(m.present())
}

func (m *match) everybodyHasLeft() bool { return len(m.present()) == 0 }

// verdict is which promises were broken.
func (m *match) verdict() error {
	broken := slices.Clone(m.server.faults)
	for _, p := range m.players {
		broken = append(broken, p.faults...)
	}
	for _, p := range m.present() {
		if want := m.server.journal.expected(p.client.ID()); !slices.Equal(want, p.heard) {
			broken = append(broken, fmt.Errorf("%s did not hear what was for it: %d messages, not %d", p.name, len(p.heard), len(want)))
		}
		if !slices.Equal(p.said, m.server.journal.from(p.client.ID())) {
			broken = append(broken, fmt.Errorf("the server did not hear what %s said", p.name))
		}
		if want := m.server.park.expected(p.client.ID()); p.park.seen != want {
			broken = append(broken, fmt.Errorf("%s saw %d swings, not %d", p.name, p.park.seen, want))
		}
		if !sameBats(m.server.park.bats, p.park.bats) {
			broken = append(broken, fmt.Errorf("%s knows the bats %v", p.name, p.park.bats))
		}
		for _, price := range p.park.prices {
			if price != prices[park.Oak] {
				broken = append(broken, fmt.Errorf("%s was told that oak costs %d", p.name, price))
			}
		}
		if !sameRoster(m.server.lobby.Roster(), p.client.Roster()) {
			broken = append(broken, fmt.Errorf("%s has the roster %v", p.name, p.client.Roster()))
		}
	}
	return errors.Join(broken...)
}

// sameBats reports whether a player knows the bats that the server has, and whose they are.
func sameBats(atServer map[derby.PlayerID]rpc.NetID, known map[rpc.NetID]derby.PlayerID) bool {
	for player, id := range atServer {
		if owner, there := known[id]; !there || owner != player {
			return false
		}
	}
	return len(atServer) == len(known)
}

func sameRoster(a, b []derby.PlayerInfo) bool { return fmt.Sprint(a) == fmt.Sprint(b) }
