package scenario

import (
	"math/rand/v2"
	"net/netip"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/framing"
	"github.com/gannet-net/gannet/transport"
)

// crowd is clients that come, one a turn, stay for up to 20 turns, and leave, each at an address of its own. Datagrams of them come also when they are gone.
type crowd struct {
	*raw
	h    *app
	rng  *rand.Rand
	rest int64 // that an id has at least

	came    int
	leaving [21][]netip.AddrPort // by turns
	here    map[uint32]bool      // by ids
	gone    map[uint32]former    // the last that had an id
	left    []netip.AddrPort     // the last ones that did
	before  netip.AddrPort       // who had the id of the newest client

	heard, late, ofBefore int
}

// former is who had an id, and until when.
type former struct {
	addr netip.AddrPort
	at   int64
}

func newCrowd(t *testing.T, rest time.Duration) *crowd {
	w := newWorld(t)
	h := w.host()
	c := &crowd{raw: w.raw("crowd", h), h: h, rng: rand.New(rand.NewPCG(43, 0)), rest: int64(rest), here: map[uint32]bool{}, gone: map[uint32]former{}}
	h.on = c.note
	return c
}

// note is the application of the host.
func (c *crowd) note(ev transport.Event) {
	id, addr, now := ev.Conn.ID(), ev.Conn.RemoteAddr(), c.h.node.Clock()
	switch ev.Kind {
	case transport.Connected:
		last := c.gone[id]
		if c.here[id] || last.addr.IsValid() && now-last.at < c.rest {
			require.Fail(c, "an id is in use, or has not rested", "%d", id)
		}
		c.here[id], c.before = true, last.addr
	case transport.Message:
		if string(ev.Payload) != "hello" {
			require.Fail(c, "what came late was heard", "from %d", id)
		}
		c.heard++
	case transport.Disconnected:
		delete(c.here, id)
		c.gone[id] = former{addr, now}
		c.left = append(c.left, addr)
		c.left = c.left[max(0, len(c.left)-2*framing.MaxPeerID):]
	}
	c.h.sessions = slices.DeleteFunc(c.h.sessions, func(s *session) bool { return s.err != nil })
}

func (c *crowd) turn(pace time.Duration) {
	c.isLate()
	who, turns := victim(c.came), len(c.leaving)
	c.node.Forge(connect, who, c.to)
	c.node.Forge(framing.AppendReliable(nil, 0, []byte("hello")), who, c.to)
	now, then := &c.leaving[c.came%turns], &c.leaving[(c.came+1+c.rng.IntN(turns-1))%turns]
	for _, who := range *now {
		c.node.Forge(framing.AppendDisconnect(nil), who, c.to)
	}
	*now, *then = (*now)[:0], append(*then, who)
	c.came++
	c.w.run(pace)
}

// isLate lets a datagram come of somebody who is gone: of who had the id of the newest client, or of anybody.
func (c *crowd) isLate() {
	who := c.before
	switch {
	case len(c.left) == 0:
		return
	case !who.IsValid() || c.rng.IntN(2) == 0:
		who = c.left[c.rng.IntN(len(c.left))]
	default:
		c.ofBefore++
	}
	c.late++
	c.node.Forge([][]byte{
		framing.AppendReliable(nil, 1, []byte("late")), framing.AppendUnreliable(nil, []byte("late")), framing.AppendAck(nil, 0),
		framing.AppendHeartbeat(nil), framing.AppendDisconnect(nil),
	}[c.rng.IntN(5)], who, c.to)
}

// B33, T43: no id is in use twice, none comes again before it has rested, and what comes late is nobody's. An id rests for 3 s; for longer the fewer clients come.
func TestAPeerIDRestsBeforeItIsGivenAgain(t *testing.T) {
	cycles := size(1000, 1_000_000)
	for _, of := range []struct{ pace, rest time.Duration }{{20 * time.Millisecond, 3 * time.Second}, {300 * time.Millisecond, time.Minute}} {
		c := newCrowd(t, of.rest)
		for range cycles {
			c.turn(of.pace)
		}
		require.EqualValues(t, cycles, c.h.host.Stats().Admitted)
		require.Equal(t, cycles, c.heard)
		require.Equal(t, c.late, c.h.drops(framing.DropNoPeer))
		require.Greater(t, c.ofBefore, cycles/4)
		require.LessOrEqual(t, len(c.here), len(c.leaving))
	}
}
