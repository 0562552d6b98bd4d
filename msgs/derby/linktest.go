package derby

import (
	"errors"
	"fmt"
	"time"

	"github.com/gannet-net/gannet/msgs"
)

// errNoClock is returned where a time is needed.
var errNoClock = errors.New("derby: a ping needs the time: set Clock to that of the connections, such as udp.Config.Clock")

// link is what pings have told of one connection.
type link struct {
	waiting   int // pings that were not answered
	roundTrip time.Duration
	measured  bool
}

// linkTest makes the handlers that answer pings and time pongs, at any time of a session.
func linkTest(of func(*msgs.Peer) *link) []msgs.Handler {
	return []msgs.Handler{
		msgs.On(func(in *msgs.In, m *Ping) { _ = Pong(*m).Send(in.Peer) }),
		msgs.On(func(in *msgs.In, m *Pong) { of(in.Peer).answered(float64(in.At)*seconds - m.Sent) }),
	}
}

// ping sends a Ping with the time that clock shows.
func (l *link) ping(to msgs.Target, clock func() int64) error {
	if clock == nil {
		return errNoClock
	}
	err := Ping{Sent: float64(clock()) * seconds}.Send(to)
	if err == nil {
		l.waiting++
	}
	return err
}

// answered takes the round trip that a Pong shows. The peer made it up if nobody asked, or if it is below 0 or above an hour.
func (l *link) answered(took float64) {
	if l.waiting == 0 || took < 0 || took > time.Hour.Seconds() {
		return
	}
	l.waiting--
	l.roundTrip, l.measured = time.Duration(took/seconds), true
}

// Ping asks the connection of a player for the round trip.
func (h *Host) Ping(id PlayerID) error {
	p := h.player(id)
	if p == nil {
		return fmt.Errorf("derby: there is no player %d", id)
	}
	return p.link.ping(p.peer, h.config.Clock)
}

// RoundTrip is what the newest answer to a Ping has shown, and false before the first.
func (h *Host) RoundTrip(id PlayerID) (time.Duration, bool) {
	p := h.player(id)
	if p == nil {
		return 0, false
	}
	return p.link.roundTrip, p.link.measured
}

// Ping asks the host for the round trip.
func (c *Client) Ping() error { return c.link.ping(c.router.Host(), c.config.Clock) }

// RoundTrip is what the newest answer to a Ping has shown, and false before the first.
func (c *Client) RoundTrip() (time.Duration, bool) { return c.link.roundTrip, c.link.measured }
