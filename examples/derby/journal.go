package main

import (
	"fmt"
	"slices"

	"github.com/gannet-net/gannet/msgs"
	"github.com/gannet-net/gannet/msgs/derby"
)

// journal is what the server has sent reliably in the game, so that each player's own can be held against it.
type journal struct {
	lines []line
	since map[derby.PlayerID]int      // for who is there, how many lines there were when it came
	told  map[derby.PlayerID][]string // and what it was told of what was going on
}

// line is one message, which all get but its sender.
type line struct {
	from derby.PlayerID
	text string
}

// words are a message with all its fields.
func words(m msgs.Message) string { return fmt.Sprintf("%T %+v", m, m) }

// note takes what the server decides and what it relays.
func (j *journal) note(g derby.GameMessage) {
	switch g.Message.(type) {
	case *derby.AtBatPose, *derby.TurnEnd: // not reliable; for the server alone
	default:
		j.lines = append(j.lines, line{g.From, words(g.Message)})
	}
}

func (j *journal) has(id derby.PlayerID) bool {
	_, ok := j.since[id]
	return ok
}

func (j *journal) joins(id derby.PlayerID, round *derby.RoundStart, turn *derby.TurnStart) {
	j.since[id] = len(j.lines)
	if round != nil {
		j.told[id] = append(j.told[id], words(round))
	}
	if turn != nil {
		j.told[id] = append(j.told[id], words(turn))
	}
}

func (j *journal) leaves(id derby.PlayerID) {
	delete(j.since, id)
	delete(j.told, id)
}

// missing are those who were there and are not among players.
func (j *journal) missing(players []derby.PlayerInfo) (gone []derby.PlayerID) {
	for id := range j.since {
		if !slices.ContainsFunc(players, func(p derby.PlayerInfo) bool { return p.ID == id }) {
			gone = append(gone, id)
		}
	}
	slices.Sort(gone)
	return gone
}

// from is what a player said, in the order in which it came.
func (j *journal) from(id derby.PlayerID) (list []string) {
	for _, l := range j.lines[j.since[id]:] {
		if l.from == id {
			list = append(list, l.text)
		}
	}
	return list
}

// expected are all messages that were for one player, in order.
func (j *journal) expected(id derby.PlayerID) []string {
	list := slices.Clone(j.told[id])
	for _, l := range j.lines[j.since[id]:] {
		if l.from != id {
			list = append(list, l.text)
		}
	}
	return list
}
