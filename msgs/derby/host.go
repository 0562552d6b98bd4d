package derby

import (
	"errors"
	"fmt"

	"github.com/gannet-net/gannet/msgs"
)

// Host is a lobby at its host: it admits players, knows the roster, relays, and keeps the rules of the run that the messages need. It belongs to the goroutine of its router.
type Host struct {
	config HostConfig
	router *msgs.Router

	players []*player // admitted, in that order
	roster  []PlayerInfo
	all     msgs.Target // who is admitted
	stats   Stats
	closed  bool

	run     *StartRun   // nil: no run
	round   *RoundStart // nil: no inning is played
	turn    *TurnStart  // nil: nobody is at the plate
	batter  *player     // likewise
	cleared RoundEnd    // by which the shop opened
	intro   gate
	shop    gate
	watcher spectator
}

// NewHost makes a lobby, with Self in it. The error says what is wrong with c.
func NewHost(c HostConfig) (*Host, error) {
	if err := c.complete(); err != nil {
		return nil, err
	}
	h := &Host{config: c}
	var err error
	h.router, err = msgs.NewRouter(msgs.Config{
		Side: msgs.Host, Catalogues: append([]msgs.Mount{{Catalogue: &Catalogue}}, c.Also...), Handlers: h.handlers(), Logger: c.Logger,
		Joined: func(p *msgs.Peer) { p.Data = &player{peer: p} },
		Left:   func(p *msgs.Peer, _ error) { h.remove(playerOf(p)) },
	})
	if err != nil {
		return nil, err
	}
	if c.Self != nil {
		h.players = []*player{{info: c.Self.clone(), admitted: true}}
		h.players[0].info.ID, h.players[0].info.Connected = 0, true
	}
	h.regroup()
	return h, nil
}

// handlers are all that the host acts on.
func (h *Host) handlers() []msgs.Handler {
	return append(linkTest(func(p *msgs.Peer) *link { return &playerOf(p).link }),
		msgs.OnRaw((*Hello)(nil).Descriptor(), h.hello),
		msgs.On(h.setBatter),
		msgs.On(h.leave),
		msgs.OnFrame(h.playFeed),
		msgs.OnFrame(h.turnEnd),
		msgs.OnFrame(h.shopReady),
		msgs.OnFrame(h.introDone),
		msgs.OnFrame(h.atBatBegin),
		onFrame[AtBatPose](h.atBat),
		msgs.OnFrame(h.atBatPitch),
		onFrame[AtBatSwing](h.atBat),
		onFrame[AtBatResult](h.atBat),
	)
}

// Router is what events of connections go to. Its peers are the connections, admitted or not.
func (h *Host) Router() *msgs.Router { return h.router }

// Stats returns the counters since the lobby was made.
func (h *Host) Stats() Stats { return h.stats }

// Kick tells a player why it has to go, and ends its session.
func (h *Host) Kick(id PlayerID, reason string) error {
	p := h.player(id)
	if p == nil || p.peer == nil {
		return fmt.Errorf("derby: there is no player %d to kick", id)
	}
	err := Refuse{Reason: reason}.Send(p.peer)
	return errors.Join(err, h.dismiss(p))
}

// Close says to everybody that the host leaves, and closes their connections, which still delivers that. The lobby is over: it admits nobody any more, and the roster stays as it was.
func (h *Host) Close() error {
	h.closed = true
	errs := []error{Leave{}.Send(h.router.All())}
	for p := range h.router.Peers() {
		errs = append(errs, p.Conn().Close())
	}
	return errors.Join(errs...)
}
