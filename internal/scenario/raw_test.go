package scenario

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"net/netip"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/framing"
	"github.com/gannet-net/gannet/sim"
)

// raw is a plain socket that a test scripts datagram by datagram.
type raw struct {
	*testing.T
	w    *world
	node *sim.Node
	sock *sim.Socket
	to   netip.AddrPort // whom it talks to
}

// raw makes a node with a plain socket, without the delay of other links.
func (w *world) raw(name string, to *app) *raw {
	w.Helper()
	return w.rawOn(w.nw.Node(name), 0, to)
}

func (w *world) rawOn(node *sim.Node, own uint16, to *app) *raw {
	w.Helper()
	sock, err := node.Listen(own)
	require.NoError(w, err)
	r := &raw{T: w.T, w: w, node: node, sock: sock}
	if to != nil {
		r.talksTo(to.node, to.address())
	}
	return r
}

func (r *raw) talksTo(node *sim.Node, addr netip.AddrPort) {
	r.to = addr
	r.w.nw.SetBoth(r.node, node, sim.Conditions{})
}

func (r *raw) address() netip.AddrPort { return r.node.AddrPort(r.sock.LocalAddr().Port()) }

// sends sends frames, which arrive at once.
func (r *raw) sends(frames ...string) *raw {
	r.Helper()
	for _, f := range frames {
		r.sendsBytes(encode(r.T, f))
	}
	return r
}

func (r *raw) sendsBytes(d []byte) {
	r.Helper()
	require.NoError(r, r.sock.Write(d, r.to, netip.Addr{}))
	r.w.run(0)
}

// forges sends a datagram that claims to come from somebody else.
func (r *raw) forges(d []byte, from netip.AddrPort) {
	r.node.Forge(d, from, r.to)
	r.w.run(0)
}

// gets requires that exactly these frames have come.
func (r *raw) gets(frames ...string) *raw {
	r.Helper()
	require.Equal(r, append([]string{}, frames...), append([]string{}, r.got()...))
	return r
}

// got is everything that has come.
func (r *raw) got() (words []string) {
	r.Helper()
	for _, d := range r.gotBytes() {
		words = append(words, decode(d))
	}
	return words
}

func (r *raw) gotBytes() (got [][]byte) {
	r.Helper()
	var buf [framing.MaxDatagram + 1]byte
	for {
		n, from, _, err := r.sock.TryRead(buf[:])
		require.NoError(r, err)
		if !from.IsValid() {
			return got
		}
		got = append(got, bytes.Clone(buf[:n]))
	}
}

// asks sends a datagram and gives what came back.
func (r *raw) asks(d []byte) [][]byte {
	r.Helper()
	r.sendsBytes(d)
	return r.gotBytes()
}

// joins makes a session by hand, as a confirmed peer.
func (r *raw) joins() *raw {
	r.Helper()
	r.sends("connect HRD-LOCAL-1", "heartbeat")
	require.Contains(r, r.got()[0], "accept")
	return r
}

// encode turns "reliable 3 hello" into bytes.
func encode(t *testing.T, text string) []byte {
	t.Helper()
	word, rest, _ := strings.Cut(text, " ")
	switch word {
	case "connect":
		return framing.AppendConnect(nil, rest)
	case "accept":
		return framing.AppendAccept(nil, uint8(number(t, rest)))
	case "refuse":
		return framing.AppendRefuse(nil, rest)
	case "unreliable":
		return framing.AppendUnreliable(nil, []byte(rest))
	case "reliable":
		seq, payload, _ := strings.Cut(rest, " ")
		return framing.AppendReliable(nil, number(t, seq), []byte(payload))
	case "ack":
		return framing.AppendAck(nil, number(t, rest))
	case "heartbeat":
		return framing.AppendHeartbeat(nil)
	case "disconnect":
		return framing.AppendDisconnect(nil)
	}
	t.Fatalf("no frame is called %q", word)
	return nil
}

func number(t *testing.T, text string) int32 {
	t.Helper()
	n, err := strconv.ParseInt(text, 10, 32)
	require.NoError(t, err)
	return int32(n)
}

// decode turns bytes into the text that encode takes, and what is no frame into hex.
func decode(d []byte) string {
	f, drop := framing.Parse(d, framing.Host)
	if drop != framing.Accepted {
		f, drop = framing.Parse(d, framing.Client)
	}
	if drop != framing.Accepted {
		return "bytes " + hex.EncodeToString(d)
	}
	switch f.Kind {
	case framing.KindConnect:
		return "connect " + string(f.Text)
	case framing.KindAccept:
		return fmt.Sprintf("accept %d", f.PeerID)
	case framing.KindRefuse:
		return "refuse " + string(f.Text)
	case framing.KindUnreliable:
		return "unreliable " + string(f.Payload)
	case framing.KindReliable:
		return fmt.Sprintf("reliable %d %s", f.Seq, f.Payload)
	case framing.KindAck:
		return fmt.Sprintf("ack %d", f.Seq)
	case framing.KindHeartbeat:
		return "heartbeat"
	}
	return "disconnect"
}

// kindOf is the kind of a datagram, 0 if it has none.
func kindOf(d []byte) framing.Kind {
	if len(d) == 0 {
		return 0
	}
	return framing.Kind(d[0])
}
