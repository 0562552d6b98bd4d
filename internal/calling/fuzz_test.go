package calling

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	arena "github.com/gannet-net/gannet/internal/testcontract"
	"github.com/gannet-net/gannet/transport"
)

// FuzzCalls plays a script of frames against a server: each is of the owner of the objects or of somebody else, in some mode, on some channel, in some state of the
// session. Whatever it is, it ends as handled or in one counter, and a method runs only where the table of rights has it. At the end an honest call runs.
//
// Each step is a byte that says who and how, a byte that says how long, and so many bytes.
func FuzzCalls(f *testing.F) {
	tb := sit(&testing.T{}, 1) // for the ids alone
	all := []byte{}
	for _, h := range hostiles(tb.scene()) {
		step := append([]byte{how(h.mode, h.channel), byte(len(h.bytes))}, h.bytes...)
		f.Add(step)
		all = append(all, step...)
	}
	f.Add(all)
	for n := range byte(8) {
		step := append([]byte{n<<5 | how(transport.ReliableOrdered, 0), 12}, frame(int(n), on(1), bits(0, 32), bits(0, 28))...)
		f.Add(append(step, step...))
	}
	f.Fuzz(func(t *testing.T, script []byte) {
		if len(script) > 1000 {
			return
		}
		playCalls(t, script)
	})
}

func how(mode transport.Delivery, channel uint8) byte { return byte(mode) | channel<<3 }

func playCalls(t *testing.T, script []byte) {
	tb := sit(t, 2, unlimited)
	rights := tb.rights()
	for len(script) >= 2 {
		how, n := script[0], min(int(script[1]), len(script)-2)
		tb.playsFrame(how, script[2:2+n], rights)
		script = script[2+n:]
	}
	tb.happened()
	tb.passes(time.Minute)
	honest := tb.clients[1]
	if honest.router.Host().Conn().Err() == nil {
		require.NoError(t, arena.LevelRef{}.Hello(honest.Server()))
		tb.plays()
		require.Equal(t, []string{"player 2: hello"}, tb.happened())
	}
}

// playsFrame plays one frame.
func (tb *table) playsFrame(how byte, b []byte, rights []right) {
	mode, channel, owner, playing := transport.Delivery(how&7%5), how>>3&1, how>>4&1 == 0, how>>5&1 == 1
	s := tb.clients[1]
	if owner {
		s = tb.clients[0]
	}
	if s.router.Host().Conn().Err() != nil {
		return
	}
	state := arena.StateLobby
	if playing {
		state = arena.StatePlaying
	}
	require.NoError(tb, s.peer.Enter(state))
	if how>>6 == 3 {
		tb.passes(time.Second)
	}
	ran := len(tb.diary)
	tb.server.ResetStats()
	require.NoError(tb, s.router.Host().Conn().Send(b, transport.SendOptions{Delivery: mode, Channel: channel}))
	tb.plays()
	ends := tb.server.Stats().Handled.Calls + tb.server.Stats().Drops.Total()
	require.EqualValues(tb, 1, ends, "% X: %s", b, tb.server.drops())
	if len(tb.diary) == ran {
		return
	}
	require.Len(tb, tb.diary, ran+1, "% X ran more than one method", b)
	require.Less(tb, int(b[0]&15), len(rights))
	r := rights[b[0]&15]
	require.True(tb, mode == transport.ReliableOrdered || r.unreliable && mode == transport.Unreliable, "%s in mode %v", r.method, mode)
	require.Zero(tb, channel, r.method)
	require.True(tb, owner || !r.owner, "%s by somebody who does not own the object", r.method)
	require.True(tb, playing || !r.playingOnly, "%s in the lobby", r.method)
}
