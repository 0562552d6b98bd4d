package udp_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/framing"
	"github.com/gannet-net/gannet/sim"
	"github.com/gannet-net/gannet/udp"
)

// clientStates are how far a client has come when others begin to send in the name of its host.
var clientStates = []struct {
	name   string
	before time.Duration // that everything passes; after that nothing of the host does, until the end
	leaves bool          // with a message that is not acknowledged
	over   bool          // and that was long ago
}{
	{name: "dialling"},
	{name: "answered once", before: 15 * time.Millisecond}, // a Challenge is its last, or an Accept
	{name: "connected", before: time.Second},
	{name: "leaving", before: time.Second, leaves: true},
	{name: "gone", before: time.Second, leaves: true, over: true},
}

// FuzzClientDatagrams plays a script of datagrams to a client in the name of its host, and as somebody else, in each state of the client and on both protocols. Each ends
// in one counter or is taken. On the base protocol there is no event but that of a valid frame in its state; on the secure protocol there is none at all, and when the
// host is heard again all goes on.
func FuzzClientDatagrams(f *testing.F) {
	toHost, toClient := allScripts(f)
	for state := range byte(2 * len(clientStates)) {
		f.Add([]byte{}, state)
		for i, script := range toClient {
			if testing.Short() && i%4 != int(state)%4 {
				continue
			}
			f.Add(script, state)
		}
		f.Add(toHost[state], state)
	}
	f.Fuzz(func(t *testing.T, script []byte, state byte) {
		fuzzClient(t, bothProtocols[state%2], script, int(state/2)%len(clientStates))
	})
}

func fuzzClient(t *testing.T, protocol udp.Protocol, script []byte, at int) {
	w := newWorld(t)
	w.protocol = protocol
	asked, knows := fuzzedHost(protocol)
	knows.Linger, knows.Timeout = time.Minute, time.Minute
	h := w.host(asked)
	h.echoes()
	c := w.client("client", h, knows)
	somebody := w.raw("somebody", h)
	w.reach(c, somebody, h, at)
	acked := false // in the name of the host while the client leaves, which then tells its end once its goodbyes are sent
	for sent := 0; len(script) > 0 && sent < 100; sent++ {
		var d []byte
		var pause time.Duration
		d, pause, script = nextStep(script)
		forged := sent%4 != 3
		may := protocol == udp.Base && forged && mayTell(d, c.log)
		acked = acked || may && clientStates[at].leaves && framing.Kind(d[0]) == framing.KindAck
		seen, before := len(c.log), c.conn.HostStats()
		if forged {
			somebody.node.Forge(d, h.node.AddrPort(port), somebody.to)
		} else {
			require.NoError(t, somebody.sock.Write(d, somebody.to, somebody.node.Addr()))
		}
		w.run(max(pause, time.Millisecond))
		require.True(t, may || len(c.log) == seen || acked && strings.Contains(c.log[seen], "closed locally"), "% x: %v", d, c.log)
		after := c.conn.HostStats()
		require.LessOrEqual(t, after.Drops.Total()-before.Drops.Total(), after.DatagramsReceived-before.DatagramsReceived)
	}
	if protocol == udp.Secure {
		w.goesOn(c, h, at)
	}
}

// reach takes a client to a state in which nothing of the host comes through. somebody's datagrams come to it at once.
func (w *world) reach(c *member, somebody *raw, h *member, at int) {
	state := clientStates[at]
	w.run(state.before)
	w.nw.Cut(h.node, c.node)
	w.nw.SetLink(somebody.node, c.node, sim.Conditions{})
	w.run(10 * time.Millisecond) // in which the last of the host arrives
	if state.leaves {
		c.say("last", ordered)
		require.NoError(w.t, c.conn.Close())
		c.node.Wake()
		w.run(50 * time.Millisecond)
	}
	if state.over {
		w.nw.Heal(h.node, c.node)
		w.run(10 * time.Second)
		w.nw.Cut(h.node, c.node)
	}
	somebody.to = c.node.AddrPort(c.sock.LocalAddr().Port())
}

// mayTell reports whether a datagram in the name of the host can be an event of a client on the base protocol that has told these.
func mayTell(d []byte, told []string) bool {
	f, drop := framing.Parse(d, framing.Client)
	all := strings.Join(told, "\n")
	switch {
	case drop != framing.Accepted, strings.Contains(all, "disconnected"), strings.Contains(all, "failed"):
		return false
	case f.Kind == framing.KindAccept, f.Kind == framing.KindRefuse:
		return len(told) == 0
	case f.Kind == framing.KindHeartbeat:
		return false
	}
	return len(told) > 0
}

// goesOn requires that what was forged has changed nothing.
func (w *world) goesOn(c, h *member, at int) {
	state := clientStates[at]
	w.nw.Heal(h.node, c.node)
	w.run(5 * time.Second)
	switch {
	case state.leaves:
		c.wants("1 connected", "1 disconnected: connection closed locally")
		h.wants("1 connected", "1 message last", "1 disconnected: connection closed by the peer")
	default:
		c.say("and now", ordered)
		w.run(time.Second)
		id := c.conn.ID() // another than the first, if the host heard nothing of the session with that for too long
		c.wants(fmt.Sprint(id, " connected"), fmt.Sprint(id, " message and now"))
	}
}
