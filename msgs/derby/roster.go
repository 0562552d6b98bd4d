package derby

import (
	"fmt"
	"slices"

	"github.com/gannet-net/gannet/msgs"
	"github.com/gannet-net/gannet/transport"
)

// player is one connection at the host, or the player at the host itself.
type player struct {
	info     PlayerInfo
	peer     *msgs.Peer // nil for the one at the host
	admitted bool
	seen     bool        // by Tick
	deadline int64       // for its Hello, if seen
	others   msgs.Target // everybody else who is admitted
	link     link

	choices, relays allowance
}

// playerOf is the player behind a peer, who may not be admitted.
func playerOf(p *msgs.Peer) *player { return p.Data.(*player) }

// player is the one in the roster with that number, or nil.
func (h *Host) player(id PlayerID) *player {
	i := slices.IndexFunc(h.players, func(p *player) bool { return p.info.ID == id })
	if i < 0 {
		return nil
	}
	return h.players[i]
}

// Peer is the connection of a player in the roster, or nil: the player at the host has none.
func (h *Host) Peer(id PlayerID) *msgs.Peer {
	if p := h.player(id); p != nil {
		return p.peer
	}
	return nil
}

// Roster is everybody who is there, in the order in which they were admitted. It is valid until the next change.
func (h *Host) Roster() []PlayerInfo { return h.roster }

// add puts a player into the roster and the state of the others, and tells everybody.
func (h *Host) add(p *player) {
	p.admitted = true
	h.players = append(h.players, p)
	_ = p.peer.Enter(StateLobby)
	err := h.tellRoster()
	h.catchUp(p) // before the game hears of it, which may start a run
	run := h.run
	tell(h.config.Roster, h.roster)
	h.expel(err)
	if h.run == run {
		h.checkGates()
	}
}

// remove takes a player out of the roster, if it is in there, and tells everybody. Who was waited for is waited for no more.
func (h *Host) remove(p *player) {
	if !p.admitted || h.closed {
		return
	}
	p.admitted = false
	h.players = slices.DeleteFunc(h.players, func(o *player) bool { return o == p })
	if h.batter == p {
		h.turn, h.batter = nil, nil
	}
	h.intro.forget(p.info.ID)
	h.shop.forget(p.info.ID)
	h.changed()
	h.checkGates()
}

// dismiss removes a player at once, and closes its connection, which still delivers what it was told.
func (h *Host) dismiss(p *player) error {
	h.remove(p)
	return p.peer.Conn().Close()
}

// changed tells everybody the roster, and then the game.
func (h *Host) changed() {
	err := h.tellRoster()
	tell(h.config.Roster, h.roster)
	h.expel(err)
}

// tellRoster sends everybody the roster as it is now. The error says who could not be told.
func (h *Host) tellRoster() error {
	h.regroup()
	return Roster{Players: h.roster}.Send(h.all)
}

// regroup makes the roster and the targets of who is in h.players.
func (h *Host) regroup() {
	peers := make([]*msgs.Peer, len(h.players))
	h.roster = make([]PlayerInfo, len(h.players))
	for i, p := range h.players {
		peers[i], h.roster[i] = p.peer, p.info.clone()
	}
	h.all = h.router.Only(peers...)
	for i, p := range h.players {
		p.others = h.router.Only(slices.Concat(peers[:i], peers[i+1:])...)
	}
}

// fits reports whether everybody can be sent a roster in which p is as info says.
func (h *Host) fits(p *player, info PlayerInfo) bool {
	roster := slices.Clone(h.roster)
	if i := slices.Index(h.players, p); i >= 0 {
		roster[i] = info
	} else {
		roster = append(roster, info)
	}
	b, err := (&Roster{Players: roster}).Append(nil)
	if err != nil || len(b) > p.peer.Conn().MaxPayload(transport.ReliableOrdered) {
		return false
	}
	return !slices.ContainsFunc(h.players, func(o *player) bool {
		return o.peer != nil && len(b) > o.peer.Conn().MaxPayload(transport.ReliableOrdered)
	})
}

// setBatter takes the choice of a player. At the host it is SetBatter that does.
func (h *Host) setBatter(in *msgs.In, m *SetBatter) {
	p := playerOf(in.Peer)
	switch {
	case !p.choices.take(in.At, choices):
		h.stats.TooOften++
	case !h.choose(p, m):
		h.stats.TooLarge++
	}
}

func (h *Host) choose(p *player, m *SetBatter) bool {
	info := p.info
	info.BatterID, info.Cosmetics = m.BatterID, slices.Clone(m.Cosmetics)
	if p.peer != nil && !h.fits(p, info) {
		return false
	}
	p.info = info
	h.changed()
	return true
}

// SetBatter chooses the batter of the player at the host.
func (h *Host) SetBatter(batter ItemID, cosmetics ...ItemID) error {
	p := h.player(0)
	if p == nil {
		return fmt.Errorf("derby: nobody plays at the host: set HostConfig.Self")
	}
	m := &SetBatter{batter, cosmetics}
	if _, err := m.Append(nil); err != nil {
		return err
	}
	h.choose(p, m)
	return nil
}

// leave closes the connection of who says goodbye. Its end removes the player.
func (h *Host) leave(in *msgs.In, _ *Leave) { _ = in.Peer.Conn().Close() }
