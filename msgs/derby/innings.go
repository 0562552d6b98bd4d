package derby

import (
	"fmt"
	"slices"

	"github.com/gannet-net/gannet/msgs"
)

// StartRun starts a run with everybody who is there, and waits until all have read the intro. Its order is about players of the roster.
func (h *Host) StartRun(m StartRun) error {
	for _, id := range m.Order {
		if h.player(id) == nil {
			return fmt.Errorf("derby: StartRun: player %d is not in the roster", id)
		}
	}
	if _, err := m.Append(nil); err != nil {
		return err
	}
	h.EndRun()
	m.Order = slices.Clone(m.Order)
	h.run = &m
	err := m.Send(h.all)
	for _, p := range h.players {
		h.enterRun(p)
	}
	h.expel(err)
	h.intro.wait()
	h.checkGates()
	return err
}

func (h *Host) enterRun(p *player) {
	if p.peer != nil {
		_ = p.peer.Enter(StateRun)
	}
}

// EndRun ends a run. Nothing is sent: each player knows by the last RoundEnd. Who comes from now on waits in the lobby for the next run.
func (h *Host) EndRun() {
	h.run = nil
	h.intro, h.shop = gate{}, gate{}
	h.endInning()
}

func (h *Host) endInning() {
	h.round, h.turn, h.batter = nil, nil, nil
}

// StartRound begins an inning.
func (h *Host) StartRound(m RoundStart) error {
	if h.run == nil {
		return fmt.Errorf("derby: StartRound: there is no run: call StartRun first")
	}
	h.endInning()
	h.round = &m
	return h.announce(&m, m.Send)
}

// StartTurn sends the next batter to the plate, who is in the roster.
func (h *Host) StartTurn(m TurnStart) error {
	batter := h.player(m.Batter)
	switch {
	case h.round == nil:
		return fmt.Errorf("derby: StartTurn: no inning is played: call StartRound first")
	case batter == nil:
		return fmt.Errorf("derby: StartTurn: player %d is not in the roster", m.Batter)
	}
	h.turn, h.batter = &m, batter
	h.watcher.see(&m, 0)
	return h.announce(&m, m.Send)
}

// EndRound ends an inning. If it was cleared everybody is waited for in the shop.
func (h *Host) EndRound(m RoundEnd) error {
	if h.round == nil {
		return fmt.Errorf("derby: EndRound: no inning is played: call StartRound first")
	}
	h.endInning()
	err := h.announce(&m, m.Send)
	if m.Cleared {
		h.shop.wait()
		h.checkGates()
	}
	return err
}

// announce sends what the host has decided, and lets it act on its own copy.
func (h *Host) announce(m msgs.Message, send func(msgs.Target) error) error {
	err := send(h.all)
	tell(h.config.Game, GameMessage{Message: m})
	h.expel(err)
	return err
}

// catchUp tells who comes in the middle of a run where it stands. Such a player watches, and bats when a later run has it in its order.
func (h *Host) catchUp(p *player) {
	if h.run == nil {
		return
	}
	h.expel(h.run.Send(p.peer))
	h.enterRun(p)
	if h.round != nil {
		h.expel(h.round.Send(p.peer))
	}
	if h.turn != nil {
		h.expel(h.turn.Send(p.peer))
	}
}

// Batter is who is at the plate, and false between turns, and after a batter has left.
func (h *Host) Batter() (PlayerID, bool) {
	if h.batter == nil {
		return 0, false
	}
	return h.batter.info.ID, true
}

// turnEnd takes the end of a turn from the current batter.
func (h *Host) turnEnd(in *msgs.In, m *TurnEnd) {
	p := playerOf(in.Peer)
	if h.batter != p {
		h.stats.OutOfTurn++
		return
	}
	h.endTurn(p.info.ID, m, float64(in.At)*seconds)
}

// EndTurn ends the turn of the player at the host.
func (h *Host) EndTurn(m TurnEnd) error {
	if h.batter == nil || h.batter.peer != nil {
		return fmt.Errorf("derby: EndTurn: the player at the host is not at the plate")
	}
	h.endTurn(0, &m, 0)
	return nil
}

func (h *Host) endTurn(from PlayerID, m *TurnEnd, at float64) {
	h.batter = nil
	tell(h.config.Game, GameMessage{From: from, Message: &TurnEnd{ScoreGained: m.ScoreGained}, At: at})
}

func (h *Host) shopReady(in *msgs.In, _ *ShopReady) { h.pass(&h.shop, playerOf(in.Peer).info.ID) }
func (h *Host) introDone(in *msgs.In, _ *IntroDone) { h.pass(&h.intro, playerOf(in.Peer).info.ID) }

// ShopReady is what the player at the host says when done in the shop.
func (h *Host) ShopReady() { h.pass(&h.shop, 0) }

// IntroDone is what the player at the host says after the intro.
func (h *Host) IntroDone() { h.pass(&h.intro, 0) }

func (h *Host) pass(g *gate, id PlayerID) {
	if !g.mark(id) {
		h.stats.OutOfPhase++
		return
	}
	h.checkGates()
}

// checkGates tells everybody who is waited for, and goes on where nobody is. It is called whenever a player is done, comes or goes.
func (h *Host) checkGates() {
	if h.intro.open {
		done, waiting := h.intro.split(h.roster)
		m := &IntroProgress{Done: uint8(len(done)), Total: uint8(len(h.roster)), Waiting: waiting}
		_ = h.announce(m, m.Send)
	}
	if h.shop.open {
		ready, _ := h.shop.split(h.roster)
		m := &ReadyState{Ready: ready}
		_ = h.announce(m, m.Send)
	}
	if h.intro.pass(h.roster) && h.config.IntroOver != nil {
		h.config.IntroOver()
	}
	if h.shop.pass(h.roster) && h.config.ShopOver != nil {
		h.config.ShopOver()
	}
}
