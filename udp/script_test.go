package udp_test

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"net/netip"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/framing"
	"github.com/gannet-net/gannet/framing/handshake"
	"github.com/gannet-net/gannet/internal/mutants"
	"github.com/gannet-net/gannet/sim"
	"github.com/gannet-net/gannet/udp"
)

// A script is datagrams with pauses before them: each is two bytes, of which the low 11 bits are its length and the others the pause in units of 2 ms, and its bytes.
const (
	scriptLength = 1<<11 - 1
	scriptPause  = 2 * time.Millisecond
)

// scriptOf makes a script of datagrams, with 2 ms before each.
func scriptOf(datagrams ...[]byte) (script []byte) {
	for _, d := range datagrams {
		script = appendStep(script, 1, d)
	}
	return script
}

func appendStep(script []byte, pause int, d []byte) []byte {
	script = binary.LittleEndian.AppendUint16(script, uint16(len(d)|pause<<11))
	return append(script, d...)
}

// nextStep takes a datagram off a script. The last one may be shorter than it should.
func nextStep(script []byte) (d []byte, pause time.Duration, rest []byte) {
	if len(script) < 2 {
		return script, 0, nil
	}
	head := binary.LittleEndian.Uint16(script)
	script = script[2:]
	n := min(int(head&scriptLength), len(script))
	return script[:n], time.Duration(head>>11) * scriptPause, script[n:]
}

// recording is what was sent in a session, each way.
type recording struct{ toHost, toClient [][]byte }

// record plays a session with loss and everything that is sent in one, on a node of its own name in the world of FuzzHostDatagrams, and before any other client is in. skip
// makes the client another one.
func record(t testing.TB, protocol udp.Protocol, skip byte) (r recording) {
	w := newWorld(t)
	w.protocol = protocol
	asked, knows := fuzzedHost(protocol)
	h := w.host(asked)
	h.echoes()
	w.raw("stranger", h)
	w.members += skip
	node := w.member("peer", nil).node
	w.nw.Watch(func(e sim.Event) {
		switch {
		case e.Kind != sim.Sent:
		case e.From == node:
			r.toHost = append(r.toHost, bytes.Clone(e.Payload))
		default:
			r.toClient = append(r.toClient, bytes.Clone(e.Payload))
		}
	})
	c := w.clientOn(node, h, knows)
	w.run(100 * time.Millisecond)
	for i := range 8 {
		c.say("ordered", ordered)
		c.say("lossy", unreliable)
		if i == 4 {
			w.nw.SetDefault(sim.Conditions{Delay: 10 * time.Millisecond, Loss: sim.Percent(30)})
		}
		w.run(50 * time.Millisecond)
	}
	w.run(2 * time.Second) // with heartbeats
	require.NoError(t, c.conn.Close())
	c.node.Wake()
	w.run(time.Second)
	return r
}

// fuzzedHost is how hosts and their clients are set up that are fuzzed.
func fuzzedHost(protocol udp.Protocol) (host, client udp.Config) {
	if protocol == udp.Base {
		return lan(), udp.Config{}
	}
	return keyed(), knows()
}

// orders are scripts of what was recorded: as it was, backwards, each datagram twice, halves laid into each other, without each third, and shuffled.
func orders(ds [][]byte) (scripts [][]byte) {
	ds = ds[:min(len(ds), 90)]
	backwards, twice, thinned := slices.Clone(ds), [][]byte{}, [][]byte{}
	slices.Reverse(backwards)
	for i, d := range ds[:min(len(ds), 45)] {
		twice = append(twice, d, d)
		if i%3 != 2 {
			thinned = append(thinned, d)
		}
	}
	var laid [][]byte
	for i, half := 0, len(ds)/2; i < half; i++ {
		laid = append(laid, ds[half+i], ds[i])
	}
	scripts = [][]byte{scriptOf(ds...), scriptOf(backwards...), scriptOf(twice...), scriptOf(laid...), scriptOf(thinned...)}
	for seed := range uint64(3) {
		shuffled := slices.Clone(ds)
		rand.New(rand.NewPCG(seed, 0)).Shuffle(len(ds), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
		scripts = append(scripts, scriptOf(shuffled...))
	}
	return scripts
}

// mutantScripts have the mutants of the first datagram of each kind that was recorded.
func mutantScripts(t testing.TB, recorded [][]byte) (scripts [][]byte) {
	seen := map[byte]bool{}
	for _, d := range recorded {
		if seen[d[0]] {
			continue
		}
		seen[d[0]] = true
		all, err := mutants.Of(d, mutants.Layouts[d[0]])
		require.NoError(t, err)
		var script []byte
		for _, m := range all {
			script = appendStep(script, 25, m.Datagram) // within the rate of handshakes
		}
		scripts = append(scripts, script)
	}
	return scripts
}

// handmade are a datagram of each kind of the base protocol, and such of the secure protocol as are seldom sent.
func handmade() [][]byte {
	return [][]byte{
		framing.AppendConnect(nil, framing.BaseVersion), framing.AppendAccept(nil, 3), framing.AppendRefuse(nil, "full"), framing.AppendRefuse(nil, "\x1b[31m\x07"),
		framing.AppendUnreliable(nil, []byte("u")), framing.AppendReliable(nil, 0, []byte("r")), framing.AppendAck(nil, 0), framing.AppendHeartbeat(nil), framing.AppendDisconnect(nil),
		handshake.AppendReset(nil, &handshake.Reset{HostID: 1}),
		handshake.AppendSecureRefuse(nil, handshake.SecureRefuse{To: handshake.Asker{ID: 1}, Code: handshake.RefusedFull}),
	}
}

// allScripts are the seeds of both targets of datagrams, each way.
func allScripts(t testing.TB) (toHost, toClient [][]byte) {
	for _, protocol := range bothProtocols {
		r := record(t, protocol, 3)
		toHost, toClient = append(toHost, orders(r.toHost)...), append(toClient, orders(r.toClient)...)
		toHost = append(toHost, mutantScripts(t, r.toHost)...)
		toClient = append(toClient, mutantScripts(t, r.toClient)...)
	}
	for _, script := range mutantScripts(t, handmade()) {
		toHost, toClient = append(toHost, script), append(toClient, script)
	}
	return toHost, toClient
}

// The seeds have each kind of datagram in each direction in which it goes, as it is and changed.
func TestSeedsOfDatagramsHaveEveryKindAndItsMutants(t *testing.T) {
	toHost, toClient := allScripts(t)
	for _, side := range []struct {
		scripts [][]byte
		at      framing.Role
		kinds   []framing.Kind
	}{
		{toHost, framing.Host, []framing.Kind{1, 4, 5, 6, 7, 8, 9, 11, 13}},
		{toClient, framing.Client, []framing.Kind{2, 3, 4, 5, 6, 7, 8, 10, 12, 13, 14, 15}},
	} {
		whole, broken := map[framing.Kind]int{}, map[framing.Kind]int{}
		for _, script := range side.scripts {
			for len(script) > 0 {
				var d []byte
				if d, _, script = nextStep(script); len(d) == 0 {
					continue
				}
				if reads(d, side.at) {
					whole[framing.Kind(d[0])]++
				} else {
					broken[framing.Kind(d[0])]++
				}
			}
		}
		for _, kind := range side.kinds {
			require.NotZero(t, whole[kind], "%d to %v", kind, side.at)
			require.True(t, broken[kind] > 0 || kind == framing.KindUnreliable, "%d to %v", kind, side.at) // which may have any payload
		}
	}
}

// What was recorded comes from the address of the peer that is fuzzed, and gets as far as a session that nobody confirms.
func TestARecordedHandshakeIsAnsweredButNobodyJoins(t *testing.T) {
	w := newSecureWorld(t)
	h := w.host(keyed())
	w.raw("stranger", h)
	peer := w.raw("peer", h)
	kinds := map[byte]bool{}
	w.nw.Watch(func(e sim.Event) {
		if e.Kind == sim.Sent && e.Destination == peer.addr() {
			kinds[e.Payload[0]] = true
		}
	})
	w.client("safe", h, knows())
	w.run(time.Second)
	for _, d := range record(t, udp.Secure, 3).toHost {
		require.NoError(t, peer.sock.Write(d, peer.to, netip.Addr{}))
		w.run(scriptPause)
	}
	require.True(t, kinds[byte(handshake.KindChallenge)])
	require.True(t, kinds[byte(handshake.KindSecureAccept)])
	h.wants("1 connected")
}

// reads reports whether a datagram is one that goes to a role, whatever there is to be said against it.
func reads(d []byte, at framing.Role) bool {
	kind, drop := handshake.Head(d, at)
	if drop == framing.DropKind {
		_, drop = framing.Parse(d, at)
	}
	if drop != framing.Accepted {
		return false
	}
	switch kind {
	case handshake.KindHello:
		_, drop = handshake.ParseHello(d)
	case handshake.KindChallenge:
		_, drop = handshake.ParseChallenge(d)
	case handshake.KindAuth:
		_, drop = handshake.ParseAuth(d)
	case handshake.KindSecureAccept:
		_, drop = handshake.ParseSecureAccept(d)
	case handshake.KindSealed:
		_, drop = handshake.ParseSealed(d)
	case handshake.KindReset:
		_, drop = handshake.ParseReset(d)
	case handshake.KindSecureRefuse:
		_, drop = handshake.ParseSecureRefuse(d)
	}
	return drop == framing.Accepted
}
