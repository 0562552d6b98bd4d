package rpc

import (
	"errors"
	"log/slog"
	"math"
	"slices"
	"strings"

	"github.com/gannet-net/gannet/msgs"
	"github.com/gannet-net/gannet/transport"
)

// never is a time that does not come.
const never = math.MaxInt64

// peer is what a Calls knows of one session.
type peer struct {
	*msgs.Peer
	calls *Calls
	gone  bool
	sees  map[NetID]struct{} // objects whose viewer it is

	limits  limits
	pending []pending // requests of ours that are not answered
	serial  uint16    // of the next one
	serving []serving // requests of its own that are not answered
	seen    seen
	phased  [numPhases]load // what waits of it for each phase
	waits   waits           // and for objects

	direct direct // where the other end is in this process
	last   remembered

	stats PeerStats
}

// watcher is a Calls as its router sees it.
type watcher struct{ *Calls }

func (w watcher) Joined(p *msgs.Peer)          { w.joined(p) }
func (w watcher) Left(p *msgs.Peer, err error) { w.left(p, err) }
func (w watcher) Kicked(p *msgs.Peer)          { w.kicked(p) }

func (c *Calls) joined(of *msgs.Peer) {
	p := &peer{Peer: of, calls: c, limits: newLimits(), sees: map[NetID]struct{}{}}
	c.peers[of] = p
	c.order = append(slices.Clip(c.order), p)
}

// kicked ends direct calls at once: a peer that was kicked is not there any more, though it has not left yet.
func (c *Calls) kicked(of *msgs.Peer) {
	if p := c.peers[of]; p != nil {
		p.cut()
	}
}

// left ends a session: nothing of it runs any more, and nothing waits for it.
func (c *Calls) left(of *msgs.Peer, err error) {
	p := c.peers[of]
	if p == nil {
		return // a client whose dial failed
	}
	p.gone = true
	delete(c.peers, of)
	c.order = slices.DeleteFunc(slices.Clone(c.order), func(other *peer) bool { return other == p })
	for id := range p.sees {
		if found := c.objects.find(id); found != nil {
			found.hide(p)
		}
	}
	p.cut()
	p.serving = nil
	c.waiting.left(p)
	for i := range c.phases {
		if p.phased[i].calls > 0 {
			c.phases[i].left(p)
		}
	}
	p.failAll(ErrGone)
	if end, ok := errors.AsType[*transport.DisconnectError](err); ok && end.Cause == transport.Kicked {
		c.logKick(p, end)
	}
}

// logKick logs what a peer did before it was kicked.
func (c *Calls) logKick(p *peer, end *transport.DisconnectError) {
	var last strings.Builder
	c.recorder.write(&last, lastCalls, p)
	c.config.Logger.Warn("A peer was kicked", slog.String("peer", p.String()), slog.String("reason", printable(end.Text)), slog.String("calls", last.String()))
}
