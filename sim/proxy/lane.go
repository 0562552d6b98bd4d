package proxy

import (
	"fmt"
	"math"
	"net/netip"
	"sync"
	"time"

	"github.com/gannet-net/gannet/sim"
)

// lane is one direction for all clients: a simulated network whose time follows the real one.
type lane struct {
	name  string
	began time.Time
	alarm *time.Timer // when something is due next

	mu     sync.Mutex // held while datagrams are delivered, so that they leave in order
	nw     *sim.Network
	tracks []*track
	buf    [maxPayload]byte
}

const maxPayload = 65507

// track is two nodes and the link between them. It serves one client after another.
type track struct {
	from, to *sim.Node
	user     *passage // nil if it is free
}

// passage is the way of one client through a lane.
type passage struct {
	track   *track
	in, out *sim.Socket
	deliver func(datagram []byte)
}

func newLane(name string, seed uint64, c sim.Conditions) *lane {
	l := &lane{name: name, began: time.Now(), alarm: time.NewTimer(math.MaxInt64), nw: sim.New(seed)}
	l.nw.SetDefault(c)
	return l
}

// open makes a way. deliver is called for each datagram that comes out of it, with the lane's lock held; the bytes are lent to it.
func (l *lane) open(deliver func(datagram []byte)) *passage {
	l.mu.Lock()
	defer l.mu.Unlock()
	t := l.freeTrack()
	p := &passage{track: t, in: listen(t.from), out: listen(t.to), deliver: deliver}
	p.out.SetReadBuffer(math.MaxInt)
	t.user = p
	return p
}

func (l *lane) freeTrack() *track {
	for _, t := range l.tracks {
		if t.user == nil {
			return t
		}
	}
	n := len(l.tracks) + 1
	t := &track{
		from: l.nw.Node(fmt.Sprint("from ", l.name, n)),
		to:   l.nw.Node(fmt.Sprint("to ", l.name, n)),
	}
	t.to.Attach(sim.ProcessFunc(func(int64) int64 { return l.arrive(t) }))
	l.tracks = append(l.tracks, t)
	return t
}

func listen(n *sim.Node) *sim.Socket {
	s, err := n.Listen(0)
	if err != nil {
		panic("BUG: proxy: " + err.Error())
	}
	return s
}

// close ends a way. What is still on it finds nobody at the far end: the next user of the track has other ports.
func (l *lane) close(p *passage) {
	l.mu.Lock()
	defer l.mu.Unlock()
	p.track.user = nil
	_, _ = p.in.Close(), p.out.Close()
}

// send puts a datagram on its way. It reports false, and does nothing, if the way was closed.
func (l *lane) send(p *passage, datagram []byte) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if p.track.user != p {
		return false
	}
	l.nw.RunUntil(l.now())
	to := p.track.to.AddrPort(p.out.LocalAddr().Port())
	if err := p.in.Write(datagram, to, netip.Addr{}); err != nil {
		panic("BUG: proxy: " + err.Error())
	}
	l.run()
	return true
}

// arrive hands out what has come to the end of a track.
func (l *lane) arrive(t *track) (next int64) {
	for t.user != nil {
		n, from, _, _ := t.user.out.TryRead(l.buf[:])
		if !from.IsValid() {
			break
		}
		t.user.deliver(l.buf[:n])
	}
	return math.MaxInt64
}

// pump delivers what becomes due, until done.
func (l *lane) pump(done <-chan struct{}) {
	for {
		select {
		case <-l.alarm.C:
			l.mu.Lock()
			l.run()
			l.mu.Unlock()
		case <-done:
			return
		}
	}
}

// run lets everything happen that is due and sets the alarm for what comes next.
func (l *lane) run() {
	l.nw.RunUntil(l.now())
	if next, some := l.nw.Next(); some {
		l.alarm.Reset(time.Duration(next - l.now()))
	}
}

func (l *lane) now() int64 { return int64(time.Since(l.began)) }

// set changes the conditions of all ways from now on.
func (l *lane) set(c sim.Conditions) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.nw.RunUntil(l.now())
	l.nw.SetDefault(c)
	l.run()
}

func (l *lane) counts() sim.Counts {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.nw.Counts()
}
