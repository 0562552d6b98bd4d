package scenario

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/framing"
	"github.com/gannet-net/gannet/framing/handshake"
)

// insider is a client made by hand that has a session with a host, and then does what it likes.
func (a *attacker) insider() *byHand {
	a.Helper()
	b := a.byHand()
	for _, d := range a.asks(b.makesAuth(a.asks)) {
		b.takes(d)
	}
	a.sendsBytes(b.seals("heartbeat"))
	require.NotNil(a, b.session)
	return b
}

// T25: a client sends control frames of every sort as fast as it may, and acks nothing.
func TestAStormOfControlFramesThatAcksNothingCostsNoMemory(t *testing.T) {
	w := newSecureWorld(t)
	h := w.host()
	a := w.attacker(h)
	b := a.insider()
	s := h.session()
	packets := []string{
		"hex 18 REPEAT(41,8) 18 REPEAT(42,8) 18 REPEAT(43,8) 18 REPEAT(44,8)", "hex 07", "hex 19 REPEAT(41,8)", "hex 18 REPEAT(41,8)",
		"hex 11 REPEAT(7F,8)", "reliable 0 again and again",
	}
	l := w.ledger(h)
	storm := func(n int) {
		for i := range n {
			a.sendsBytes(b.seals(packets[i%len(packets)]))
			a.gotBytes()
			w.run(100 * time.Microsecond)
		}
	}
	storm(10_000)
	before := heap()
	in, out := l.in[a.address()], l.out[a.address()]
	storm(size(20_000, 1_000_000))
	require.LessOrEqual(t, heap(), before+1<<20)
	require.NoError(t, s.err)
	require.Equal(t, []string{"again and again"}, s.heard)
	require.LessOrEqual(t, l.out[a.address()]-out, 2*(l.in[a.address()]-in))
	t.Logf("%d bytes in, %d out", l.in[a.address()]-in, l.out[a.address()]-out)
}

// T28: a client acks not only what it gets, but what it could get next, so that it gets more.
func TestAClientThatAcksInAdvanceIsFoundOut(t *testing.T) {
	w := newSecureWorld(t)
	h := w.host()
	a := w.attacker(h)
	b := a.insider()
	s := h.session()
	sent := 0
	for i := 0; s.err == nil; i++ {
		require.Less(t, i, 2000, "it is not found out")
		for range 4 {
			if s.conn.Send(make([]byte, 1000), ordered) == nil {
				sent++
			}
		}
		h.wake()
		w.run(time.Millisecond)
		highest := int64(-1)
		for _, d := range a.gotBytes() {
			if kindOf(d) == handshake.KindSealed {
				highest = max(highest, int64(d[5])|int64(d[6])<<8) // of its number, which begins at 0
			}
		}
		if highest >= 0 {
			a.sendsBytes(b.seals(fmt.Sprintf("hex 06 %02X %02X 00", byte(highest+3), byte((highest+3)>>8))))
		}
	}
	require.ErrorContains(t, s.err, "protocol error")
	require.EqualValues(t, 1, h.drops(framing.DropProtocol))
	t.Logf("found out after %d messages", sent)
}
