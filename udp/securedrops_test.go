package udp_test

import (
	"bytes"
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/framing"
	"github.com/gannet-net/gannet/framing/handshake"
	"github.com/gannet-net/gannet/udp"
)

// takes gives all that has come, byte by byte.
func (r *raw) takes() (got [][]byte) {
	buf := make([]byte, 2000)
	for {
		n, from, _, err := r.sock.TryRead(buf)
		require.NoError(r, err)
		if !from.IsValid() {
			return got
		}
		got = append(got, append([]byte(nil), buf[:n]...))
	}
}

func TestAStrangerOfAnotherVersionIsToldSo(t *testing.T) {
	w := newSecureWorld(t)
	h := w.host(keyed())
	r := w.raw("stranger", h)
	who := handshake.Asker{ID: 7, Random: [8]byte{1}}
	r.send(bytes.Replace(handshake.AppendHello(nil, who), []byte("GANNET-1"), []byte("GANNET-9"), 1))
	require.Equal(t, [][]byte{handshake.AppendSecureRefuse(nil, handshake.SecureRefuse{To: who, Code: handshake.RefusedVersion})}, r.takes())
	require.Equal(t, 1, h.drops(framing.DropVersion))
}

func TestADialToAHostOfAnotherVersionSaysSo(t *testing.T) {
	w := newSecureWorld(t)
	node := w.member("newer", nil).node
	sock, err := node.Listen(port)
	require.NoError(t, err)
	newer := &raw{t, w, node, sock, netip.AddrPort{}}
	c := w.client("client", &member{node: node}, udp.Config{DialTimeout: 2 * time.Second})
	w.run(20 * time.Millisecond)
	hello := newer.takes()[0]
	who, drop := handshake.ParseHello(hello)
	require.Equal(t, framing.Accepted, drop)
	newer.to = netip.AddrPortFrom(c.node.Addr(), c.sock.LocalAddr().Port())
	newer.send(handshake.AppendSecureRefuse(nil, handshake.SecureRefuse{To: who, Code: handshake.RefusedVersion}))
	require.Empty(t, c.log, "anybody can say so: it is no reason to stop")
	w.run(3 * time.Second)
	require.ErrorContains(t, c.errs[0], "no connection within 2s: secure: the host refused: version")
}

func TestWhatOthersSendInASessionIsDroppedAndCounted(t *testing.T) {
	w := newSecureWorld(t)
	h := w.host(keyed())
	c := w.member("client", nil)
	config := c.config(knows(), 0)
	sock := &watched{Socket: config.Socket}
	config.Socket = sock
	w.dialWith(c, h, config)
	w.run(time.Second)
	c.say("hello", ordered)
	w.run(time.Second)
	genuine := append([]byte(nil), sock.last...)
	changed := func(at int, bits byte) []byte {
		d := append([]byte(nil), genuine...)
		d[at] ^= bits
		return d
	}
	before := h.host.Stats().Drops
	thief := w.raw("thief", h)
	for range 3 {
		thief.send(genuine)
	}
	thief.send(changed(8, 0x80)) // the epoch after the next
	thief.send(changed(5, 0x40)) // a number that was not sent yet
	thief.send(changed(1, 0xff)) // another session
	thief.send(genuine[:20])
	thief.send(make([]byte, 1201))
	after := h.host.Stats().Drops
	counted := map[framing.Drop]uint64{}
	for drop := range after {
		if n := after[drop] - before[drop]; n > 0 {
			counted[framing.Drop(drop)] = n
		}
	}
	require.Equal(t, map[framing.Drop]uint64{
		framing.DropDuplicate: 3, framing.DropEpoch: 1, framing.DropAuth: 1, framing.DropNoPeer: 1, framing.DropShort: 1, framing.DropOversize: 1,
	}, counted)
	resets := thief.takes()
	require.Len(t, resets, 1)
	require.Equal(t, byte(handshake.KindReset), resets[0][0])
	h.wants("1 connected", "1 message hello")
	c.wants("1 connected")
	require.Equal(t, c.node.Addr(), h.host.Conns()[0].RemoteAddr().Addr())

	// The thief's Reset is for the address of the thief, so it ends nothing.
	thief.to = netip.AddrPortFrom(c.node.Addr(), c.sock.LocalAddr().Port())
	thief.send(resets[0])
	c.node.Wake()
	require.NoError(t, c.conn.Err())
}

func TestWhatIsNoAnswerToItsDialIsDroppedByAClient(t *testing.T) {
	w := newSecureWorld(t)
	h := w.host(keyed())
	c := w.client("client", h, knows())
	w.run(time.Second)
	from := h.node.AddrPort(port)
	to := netip.AddrPortFrom(c.node.Addr(), c.sock.LocalAddr().Port())
	for _, d := range [][]byte{
		handshake.AppendChallenge(nil, &handshake.Challenge{To: handshake.Asker{ID: 9}}),
		handshake.AppendReset(nil, &handshake.Reset{HostID: 1}),
		framing.AppendAccept(nil, 3),
		framing.AppendDisconnect(nil),
		{9},
	} {
		h.node.Forge(d, from, to)
	}
	stranger := w.raw("stranger", h)
	stranger.to = to
	stranger.send(handshake.AppendReset(nil, &handshake.Reset{HostID: 1}))
	w.run(time.Second)
	drops := c.conn.HostStats().Drops
	for drop, n := range map[framing.Drop]uint64{
		framing.DropEcho: 1, framing.DropNoPeer: 2, framing.DropKind: 2, framing.DropDirection: 1,
	} {
		require.Equal(t, n, drops[drop], drop.String())
	}
	c.wants("1 connected")
}
