package udp

import (
	"time"

	"github.com/gannet-net/gannet/internal/deadline"
)

// A machine that sleeps stops its monotonic clock, on most systems, while that of the calendar goes on, and so do the clocks of its peers.
const (
	sleepAtLeast = int64(2 * time.Second) // by which the clocks have to differ
	lookEvery    = int64(20 * time.Millisecond)

	probeEvery  = int64(125 * time.Millisecond)
	probesAwake = 16 // with what else is sent, so many that hardly ever all or all their answers are lost
)

// awake compares the two clocks.
type awake struct {
	now, unix  int64 // when they were compared last
	everLooked bool
}

// lookAwake finds out whether this machine has slept since it looked last, and tells every peer's machine. If one of the clocks is the system's and
// the other is not, their difference means nothing.
func (e *engine) lookAwake() {
	a := &e.awake
	if e.cfg.foreignClock || a.everLooked && e.now >= a.now && e.now-a.now < lookEvery {
		return
	}
	unix := e.cfg.UnixTime()
	slept := (unix-a.unix)*int64(time.Second) - (e.now - a.now)
	if a.everLooked && e.now >= a.now && slept > sleepAtLeast {
		for c := range e.order.all() {
			c.awoke(e.now, slept)
			e.touch(c)
		}
	}
	a.now, a.unix, a.everLooked = e.now, unix, true
}

// probing is how a peer is asked after a sleep whether it is still there: by challenges of its path, which it has to answer.
type probing struct {
	left    int
	at      int64
	highest int64 // packet number that was opened before
}

func (c *Conn) awoke(now, slept int64) {
	c.ep.Slept(now, time.Duration(slept))
	if !c.plain && c.session.sealer != nil {
		c.session.probing = probing{probesAwake, now, c.session.sealer.Highest()}
	}
}

// probe sends what is due of that, and tells when it will be time for more.
func (e *engine) probe(c *Conn) int64 {
	p := &c.session.probing
	switch {
	case p.left == 0:
		return deadline.Never
	case c.session.sealer.Highest() > p.highest:
		p.left = 0
		return deadline.Never
	case e.now < p.at:
		return p.at
	}
	var random [8]byte
	e.random.Read(random[:])
	if d := c.ep.AppendPathChallenge(e.now, e.blank(), random); len(d) > 0 {
		e.write(d, c.remote, c.answerFrom())
	}
	p.left--
	p.at = e.now + probeEvery
	if p.left == 0 {
		return deadline.Never
	}
	return p.at
}
