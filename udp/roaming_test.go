package udp_test

import (
	"bytes"
	"fmt"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/sim"
	"github.com/gannet-net/gannet/transport"
	"github.com/gannet-net/gannet/udp"
)

// roaming is a client behind a box that takes another port every 5 s, and every 15 s another address as well.
type roaming struct {
	*world
	h, c *member
	box  *sim.NAT
	rtt  time.Duration
}

func newRoaming(t *testing.T, rtt time.Duration) *roaming {
	w := newSecureWorld(t)
	w.nw.SetDefault(sim.Conditions{Delay: rtt / 2})
	r := &roaming{world: w, h: w.host(keyed()), rtt: rtt}
	r.box = w.nw.NAT("box", sim.NATConfig{Outside: []netip.Addr{netip.MustParseAddr("203.0.113.1")}})
	r.c = w.behind(r.box, r.h, knows())
	w.run(time.Second)
	r.c.wants("1 connected")
	r.h.wants("1 connected")
	return r
}

const (
	portChange    = 5 * time.Second
	addressChange = 3 * portChange
)

// change is the n-th of them, and allowed how long it may keep what the host sends from the client.
func (r *roaming) change(n int) (allowed time.Duration) {
	if time.Duration(n)*portChange%addressChange != 0 {
		r.box.Rebind()
		return r.rtt + 50*time.Millisecond
	}
	r.box.SetOutside(netip.AddrFrom4([4]byte{203, 0, 113, byte(1 + n)}))
	return 2*r.rtt + 50*time.Millisecond
}

// peer is the client as its host has it.
func (r *roaming) peer() *udp.Conn { return r.h.host.Conns()[0].(*udp.Conn) }

// frame lets both sides do a frame of 60 Hz.
func (r *roaming) frame() {
	r.c.node.Wake()
	r.h.node.Wake()
	r.run(time.Second / 60)
}

// listener is the application of one side: it keeps what comes in order, and how long it waited for the newest of what may be lost.
type listener struct {
	ordered []string
	at      int64         // when the last unreliable message came, 0 before there was one
	gap     time.Duration // the longest between two
	ended   bool
}

func (r *roaming) listen(m *member) *listener {
	l := new(listener)
	m.on = func(ev transport.Event) {
		switch {
		case ev.Kind != transport.Message:
			l.ended = true
		case ev.Delivery == transport.ReliableOrdered:
			l.ordered = append(l.ordered, string(ev.Payload))
		default:
			if l.at > 0 {
				l.gap = max(l.gap, time.Duration(r.nw.Now()-l.at))
			}
			l.at = r.nw.Now()
		}
	}
	return l
}

func TestNothingIsLostInPlayWhileAClientRoams(t *testing.T) {
	for _, rtt := range []time.Duration{20 * time.Millisecond, 80 * time.Millisecond, 240 * time.Millisecond} {
		t.Run(rtt.String(), func(t *testing.T) {
			r := newRoaming(t, rtt)
			up, down := r.listen(r.h), r.listen(r.c)
			var sent []string
			longest := map[time.Duration]time.Duration{} // by what is allowed
			for n := range 37 {                          // 3 min
				allowed := r.rtt
				if n > 0 {
					allowed = r.change(n)
				}
				up.gap, down.gap = 0, 0
				for i := range int(portChange / (time.Second / 60)) {
					for _, conn := range []transport.Conn{r.c.conn, r.peer()} {
						require.NoError(t, conn.Send(make([]byte, 60), unreliable))
						if i%6 == 0 {
							require.NoError(t, conn.Send(fmt.Append(nil, len(sent)), ordered))
						}
					}
					if i%6 == 0 {
						sent = append(sent, fmt.Sprint(len(sent)))
					}
					r.frame()
				}
				require.LessOrEqual(t, down.gap, allowed, "change %d", n)
				require.LessOrEqual(t, up.gap, 50*time.Millisecond, "a host hears its client wherever it is")
				longest[allowed] = max(longest[allowed], down.gap)
			}
			r.run(2 * time.Second)
			require.Equal(t, sent, up.ordered)
			require.Equal(t, sent, down.ordered)
			require.False(t, up.ended || down.ended)
			require.Equal(t, uint64(36), r.h.host.Stats().Moved)
			t.Logf("round trip %v: silent for at most %v when the port changes, %v when the address does",
				rtt, longest[rtt+50*time.Millisecond], longest[2*rtt+50*time.Millisecond])
		})
	}
}

func TestAClientThatRoamsAndSaysNothingIsReached(t *testing.T) {
	r := newRoaming(t, 80*time.Millisecond)
	up, down := r.listen(r.h), r.listen(r.c)
	var sent []string
	for n := 1; n <= 60; n++ { // 5 min
		r.change(n)
		r.run(time.Duration(n*83) * time.Millisecond)
		sent = append(sent, fmt.Sprint(n))
		require.NoError(t, r.peer().Send(fmt.Append(nil, n), ordered))
		r.frame()
		r.run(portChange - time.Duration(n*83)*time.Millisecond - time.Second/60)
	}
	r.run(2 * time.Second)
	require.Equal(t, sent, down.ordered)
	require.Empty(t, up.ordered)
	require.False(t, up.ended || down.ended)
}

func TestAClientThatHasMovedHearsOfItsEnd(t *testing.T) {
	for _, later := range []time.Duration{0, time.Second} { // while it is said, and when it was said as often as it is
		r := newRoaming(t, 20*time.Millisecond)
		r.c.node.Freeze(later)
		r.box.SetOutside(netip.AddrFrom4([4]byte{203, 0, 113, 9}))
		r.peer().Kick(7, "idle")
		r.run(later)
		r.c.wants()
		send(t, r.c.conn, "still here", ordered)
		r.run(time.Second)
		r.c.wants("1 disconnected: connection closed by the peer: idle")
	}
}

// An address that is not proved gets no more than three times what came from it, and a long text would be more than that.
func TestALongGoodbyeGoesToNoAddressThatIsNotProved(t *testing.T) {
	r := newRoaming(t, 20*time.Millisecond)
	moved := netip.AddrFrom4([4]byte{203, 0, 113, 9})
	r.box.SetOutside(moved)
	told := 0
	r.nw.Watch(func(e sim.Event) {
		if e.Kind == sim.Sent && e.Destination.Addr() == moved {
			told++
		}
	})
	r.peer().Kick(7, strings.Repeat("x", 256))
	send(t, r.c.conn, "still here", ordered)
	r.run(time.Second)
	require.Zero(t, told)
	r.c.wants()
}

func TestGoodbyesGoToNobodyElseWithACopyOfADatagram(t *testing.T) {
	r := newRoaming(t, 20*time.Millisecond)
	var d []byte
	r.nw.Watch(func(e sim.Event) {
		if e.Kind == sim.Sent && e.From == r.c.node {
			d = bytes.Clone(e.Payload)
		}
	})
	send(t, r.c.conn, "the last", ordered)
	r.run(100 * time.Millisecond)
	stranger := r.raw("stranger", r.h)
	r.peer().Kick(7, "idle")
	for range 40 { // while goodbyes are due, each 10 ms
		stranger.send(d)
		r.run(3 * time.Millisecond)
	}
	stranger.wantsNothing()
}
