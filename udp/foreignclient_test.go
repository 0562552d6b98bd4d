package udp_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/transport"
	"github.com/gannet-net/gannet/udp"
)

func TestAForeignClientGetsTheSameAcceptAgain(t *testing.T) {
	t.Parallel()
	f, h := guest(t, quiet())
	f.joins(h)
	require.EqualValues(t, 1, f.lib.ID())
	f.sends(says.connect(foreignVersion), says.connect(foreignVersion))
	f.wants(says.accept(1), says.accept(1))
	require.Len(t, h.Conns(), 1)

	f.sends(says.connect("HRD-LOCAL-2"), says.unreliable(message("still here")))
	f.wants(says.refuse("version"))
	f.receives("still here")
}

func TestAForeignClientWithAnotherVersionIsRefused(t *testing.T) {
	t.Parallel()
	f, h := guest(t, quiet())
	for version, reason := range map[string]string{
		"HRD-LOCAL-2": "version", "HRD-LOCAL-1x": "version", "HRD-LOCAL": "version", "hrd-local-1": "version",
		"v": "v", "v1": "ve", // no answer is larger than its request
	} {
		f.asked = 0
		f.sends(says.connect(version))
		f.wants(says.refuse(reason))
	}
	require.Empty(t, h.Conns())
	f.joins(h)
}

func TestAForeignClientIsRefusedByAFullHost(t *testing.T) {
	t.Parallel()
	c := quiet()
	c.MaxPeers = 1
	first, h := guest(t, c)
	first.joins(h)
	second := newForeigner(t)
	second.library = h.Addr()
	second.sends(says.connect(foreignVersion))
	second.wants(says.refuse("full"))

	first.sends(says.disconnect())
	first.wantsEnd(transport.ClosedByPeer)
	second.joins(h)
}

func TestAForeignClientIsRefusedByTheApplication(t *testing.T) {
	t.Parallel()
	texts := []string{"", "come later", "not without an invitation", "später, Jürgen"}
	c := quiet()
	c.Admit = func(udp.Request) *udp.Refusal {
		text := texts[0]
		texts = texts[1:]
		return &udp.Refusal{Text: text}
	}
	f, _ := guest(t, c)
	for _, reason := range []string{"banned", "come later", "not without", "später, J"} { // cut before half a letter
		f.sends(says.connect(foreignVersion))
		f.wants(says.refuse(reason))
	}
}

func TestAForeignStrangerIsNotAnswered(t *testing.T) {
	t.Parallel()
	f, h := guest(t, quiet())
	f.sends(says.accept(1), says.refuse("no"), says.unreliable(message("m")), says.reliable(0, message("m")), says.ack(0))
	f.sends(says.heartbeat(), says.disconnect())
	f.sends([]byte{1}, []byte{1, 0, 0}, []byte{1, 12, 0, 'H'}, []byte{1, 1, 0, ' '}, []byte{1, 1, 0, 'v', 'v'}) // no Connect
	f.sends(says.connect("123456789012345678901234567890123"))                                                  // longer than any version
	f.sends(says.connect(foreignVersion))
	f.wants(says.accept(1))
	require.Len(t, h.Conns(), 1)
}

func TestAForeignClientComesBackFromTheSamePort(t *testing.T) {
	t.Parallel()
	f, h := guest(t, quiet())
	for id := byte(1); id <= 3; id++ { // an id rests before it is given again
		require.Equal(t, id, f.joins(h))
		f.sends(says.reliable(0, message("hello"))) // sequences begin again in both directions
		f.wants(says.ack(0))
		f.receives("hello")
		send(t, f.lib, "welcome", ordered)
		f.wants(says.reliable(0, message("welcome")))
		if id != 2 {
			f.sends(says.ack(0)) // the second time it leaves without
		}
		f.sends(says.disconnect())
		f.wantsEnd(transport.ClosedByPeer)
		f.rest()
		clear(f.had)
	}
}

func TestAForeignClientThatComesBackWithoutAGoodbyeIsTakenForItself(t *testing.T) {
	t.Parallel()
	f, h := guest(t, quiet())
	f.joins(h)
	f.sends(says.reliable(0, message("before")))
	f.wants(says.ack(0))
	f.sends(says.connect(foreignVersion))
	f.wants(says.accept(1))
	f.sends(says.reliable(0, message("after")), says.reliable(1, message("next")))
	f.wants(says.ack(0), says.ack(1))
	f.receives("before")
	f.receives("next")
}

func TestAForeignClientIsKicked(t *testing.T) {
	t.Parallel()
	f, h := guest(t, quiet())
	f.joins(h)
	kicked := time.Now()
	f.lib.(*udp.Conn).Kick(3, "too fast")
	for range 8 {
		f.wants(says.disconnect())
	}
	f.wantsEnd(transport.Kicked)

	// It has missed all that. For 3 s its session is remembered, and 8 datagrams more are answered.
	for i := range int32(15) {
		f.sends(says.heartbeat(), says.unreliable(nil), says.reliable(i, nil), says.ack(i))
	}
	f.sends(says.connect(foreignVersion))
	answers := 0
	for d := f.next(); d[0] != 2; d = f.next() {
		require.Equal(t, says.disconnect(), d)
		answers++
	}
	if time.Since(kicked) < 3*time.Second {
		require.Equal(t, 8, answers)
	}
	require.EqualValues(t, 2, accept(t, h).ID())
}

func TestAForeignClientThatFellSilentIsToldThatItsSessionIsOver(t *testing.T) {
	t.Parallel()
	f, h := guest(t, udp.Config{Heartbeat: 20e6, Timeout: 100e6})
	f.joins(h)
	f.wantsEnd(transport.TimedOut)
	f.rest()
	f.sends(says.reliable(0, message("I am back")))
	f.wants(says.disconnect())
	require.EqualValues(t, 2, f.joins(h))
}

func TestTheHostClosesWithAForeignClient(t *testing.T) {
	t.Parallel()
	f, h := guest(t, quiet())
	f.joins(h)
	require.NoError(t, h.Close())
	for range 8 {
		f.wants(says.disconnect())
	}
	require.Empty(t, f.rest())
}
