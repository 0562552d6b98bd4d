package udp_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/framing"
)

// kicked is a raw client that was connected, confirmed, thrown out and told so.
func kicked(w *world, h *member) *raw {
	w.t.Helper()
	r := w.raw("client", h)
	r.connect(version)
	r.send([]byte("\x07"))
	h.host.Find(r.addr()).Kick(7, "enough")
	h.node.Wake()
	w.run(200 * time.Millisecond)
	require.Contains(w.t, r.got(), "Disconnect")
	return r
}

func TestLateDataOfAClosedSessionGetsAtMostEightDisconnects(t *testing.T) {
	w := newWorld(t)
	h := w.host(lan())
	r := kicked(w, h)
	for i := range 10 {
		r.send([]byte("\x04late"))
		require.Equal(t, i < 8, len(r.got()) == 1)
	}
	h.wants("1 connected", "1 disconnected: connection kicked: enough")
}

func TestAClosedSessionIsForgottenAfterThreeSeconds(t *testing.T) {
	w := newWorld(t)
	h := w.host(lan())
	r := kicked(w, h)
	w.run(3 * time.Second)
	r.send([]byte("\x07"))
	r.wantsNothing()
}

func TestAPeerThatLeftGetsNoAnswer(t *testing.T) {
	w := newWorld(t)
	h := w.host(lan())
	r := w.raw("client", h)
	r.connect(version)
	r.send([]byte("\x08"))
	r.got()
	r.send([]byte("\x04late"))
	r.send([]byte("\x08"))
	r.wantsNothing()
	h.wants("1 connected", "1 disconnected: connection closed by the peer")
	require.Equal(t, 2, h.drops(framing.DropNoPeer))
}

func TestAConnectOpensANewSessionWhileTheOldSaysGoodbye(t *testing.T) {
	w := newWorld(t)
	h := w.host(lan())
	r := w.raw("client", h)
	r.connect(version)
	r.send([]byte("\x07"))
	h.host.Find(r.addr()).Kick(0, "")
	r.connect(version)
	r.got()
	w.run(500 * time.Millisecond)
	h.wants("1 connected", "1 disconnected: connection kicked", "2 connected")
	require.NotContains(t, r.got(), "Disconnect", "a goodbye of the old session would end the new one")
	r.send([]byte("\x04hello"))
	h.wants("2 message hello")
}

func TestADisconnectThatMeetsOurCloseGetsNoAnswer(t *testing.T) {
	w := newWorld(t)
	h := w.host(lan())
	r := w.raw("client", h)
	r.connect(version)
	r.send([]byte("\x07"))
	send(t, h.host.Conns()[0], "never acknowledged", ordered)
	require.NoError(t, h.host.Conns()[0].Close())
	r.send([]byte("\x08"))
	r.got()
	r.send([]byte("\x04late"))
	r.wantsNothing()
	h.wants("1 connected", "1 disconnected: connection closed locally")
}
