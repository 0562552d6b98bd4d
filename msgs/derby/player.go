package derby

import "slices"

// PlayerInfo is what everybody knows of a player. In a Hello, the host ignores ID and Connected.
type PlayerInfo struct {
	ID        PlayerID
	Name      string `net:"max=64"`
	BatterID  ItemID
	Cosmetics []ItemID `net:"max=64"`
	Connected bool
}

// clone is a copy that shares nothing with p.
func (p *PlayerInfo) clone() PlayerInfo {
	c := *p
	c.Cosmetics = slices.Clone(p.Cosmetics)
	return c
}

func cloneAll(players []PlayerInfo) []PlayerInfo {
	list := make([]PlayerInfo, len(players))
	for i := range players {
		list[i] = players[i].clone()
	}
	return list
}
