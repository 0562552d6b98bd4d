package derby

import "github.com/gannet-net/gannet/msgs"

// playFeed writes the true sender into a line of the feed, relays it and shows it.
func (h *Host) playFeed(in *msgs.In, m *PlayFeed) {
	p := playerOf(in.Peer)
	if m.Batter == p.info.ID {
		h.expel(in.Relay(p.others))
	} else {
		h.stats.Forged++
		m.Batter = p.info.ID
		h.expel(m.Send(p.others))
	}
	tell(h.config.Game, GameMessage{From: p.info.ID, Message: m, At: float64(in.At) * seconds})
}

// atBatBegin drops who begins an at-bat as somebody else: to correct it would change the bytes of a relay.
func (h *Host) atBatBegin(in *msgs.In, m *AtBatBegin) {
	if m.Batter != playerOf(in.Peer).info.ID {
		h.stats.Forged++
		return
	}
	h.atBat(in, m)
}

func (h *Host) atBatPitch(in *msgs.In, m *AtBatPitch) {
	if len(m.Decoys) > h.config.MaxDecoys {
		h.stats.TooMany++
		return
	}
	h.atBat(in, m)
}

// atBat relays what the current batter does, while an inning is played: the same bytes in the same mode, to everybody else. The host is a spectator as well.
func (h *Host) atBat(in *msgs.In, m msgs.Message) {
	p := playerOf(in.Peer)
	if h.batter != p {
		h.stats.OutOfTurn++
		return
	}
	if err := in.Relay(p.others); in.Delivery.Reliable() {
		h.expel(err)
	}
	at, ok := h.watcher.see(m, float64(in.At)*seconds)
	if !ok {
		h.stats.Stale++
		return
	}
	tell(h.config.Game, GameMessage{From: p.info.ID, Message: m, At: at})
}

// Local is a time of the current batter's clock on that of the host's connections, such as AtBatResult.ContactTime, and false if nothing was heard of the batter.
func (h *Host) Local(t float32) (at float64, ok bool) { return h.watcher.convert(t) }
