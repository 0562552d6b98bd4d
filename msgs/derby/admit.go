package derby

import (
	"fmt"
	"log/slog"
	"strings"

	"github.com/gannet-net/gannet/msgs"
	"github.com/gannet-net/gannet/wire"
)

// hello admits a client or refuses it with a reason. Whatever it says it gets an answer: a Hello of another protocol may look different but for its first
// field, and who waits for an answer to it would wait for ever.
func (h *Host) hello(in *msgs.In) {
	p := playerOf(in.Peer)
	m, refusal := h.judge(in.Raw)
	if h.closed {
		refusal = "the host has left"
	}
	if refusal == "" {
		p.info = m.Player.clone()
		p.info.Connected = true
		refusal = h.room(p)
	}
	if refusal == "" && h.config.Admit != nil {
		refusal = h.config.Admit(m)
	}
	if refusal != "" {
		h.refuse(in.Peer, refusal)
		return
	}
	_ = Welcome{Player: p.info.ID}.Send(in.Peer)
	h.add(p)
}

// judge reads a Hello, and says what is wrong with it.
func (h *Host) judge(raw []byte) (m *Hello, refusal string) {
	r := wire.NewReader(raw)
	r.Uint8()
	if theirs := string(r.String()); theirs != Catalogue.Protocol {
		return nil, h.mismatch(theirs, string(r.String()))
	}
	m = new(Hello)
	if err := m.Parse(raw); err != nil {
		return nil, "the hello cannot be read: " + err.Error()
	}
	return m, ""
}

// mismatch says which two protocols and builds do not fit.
func (h *Host) mismatch(protocol, version string) string {
	return fmt.Sprintf("the host speaks %s (version %s), you speak %s (version %s)", Catalogue.Protocol, quote(h.config.Version), quote(protocol), quote(version))
}

// quote makes what somebody calls a version fit for a sentence.
func quote(s string) string { return fmt.Sprintf("%q", strings.ToValidUTF8(s[:min(len(s), 32)], "")) }

// room gives a player its number, or says why there is no room for it. It is the number of its connection where that is possible, so that the logs agree.
func (h *Host) room(p *player) (refusal string) {
	if len(h.players) >= h.config.MaxPlayers {
		return fmt.Sprintf("the lobby is full: %d of %d players are there", len(h.players), h.config.MaxPlayers)
	}
	p.info.ID = h.number(p.peer.ID())
	if !h.fits(p, p.info) {
		return "the lobby is full: the roster would not fit into a message"
	}
	return ""
}

// number is a free number from 1 to 255, if possible the wanted one. One is free, as MaxPlayers is at most 255 and Self has 0 or is not there.
func (h *Host) number(wanted uint32) PlayerID {
	if wanted >= 1 && wanted <= 255 && h.player(PlayerID(wanted)) == nil {
		return PlayerID(wanted)
	}
	id := PlayerID(1)
	for id < 255 && h.player(id) != nil {
		id++
	}
	return id
}

// refuse tells a client why it is not admitted, and lets it go.
func (h *Host) refuse(p *msgs.Peer, reason string) {
	h.stats.Refused++
	reason = strings.ToValidUTF8(reason[:min(len(reason), 255)], "")
	if h.config.Logger != nil {
		h.config.Logger.Info("Client refused", slog.String("peer", p.String()), slog.String("reason", reason))
	}
	_ = Refuse{Reason: reason}.Send(p)
	_ = p.Conn().Close()
}
