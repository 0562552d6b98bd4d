package reliable

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/framing"
)

// FuzzPeerScript plays a script against one live session of each kind: hostile datagrams, time, and an application that sends, reads and
// leaves. Whatever the script, the session keeps its promises to this side.
//
// Each step is a byte that says what to do and a byte that says how much.
func FuzzPeerScript(f *testing.F) {
	f.Add([]byte{0, 6, 5, 0, 0, 0, 0, 9, 1, 1, 2, 40, 3, 0})
	f.Add([]byte{1, 1, 1, 2, 2, 60, 0, 5, 6, 0, 0, 0, 0, 2, 60, 4, 0, 2, 255})
	f.Add([]byte{0, 1, 8, 3, 0, 0, 1, 4, 5, 0})
	f.Add([]byte{0, 3, 5, 0x18, 0, 2, 40, 1, 200, 2, 1, 3, 0})
	for seed := range uint64(20) {
		f.Add(hostileScript(seed))
	}
	f.Fuzz(func(t *testing.T, script []byte) {
		if len(script) > 4000 {
			return
		}
		playHostilePackets(t, script)
		for _, role := range []framing.Role{framing.Client, framing.Host} {
			playHostile(t, role, script)
		}
	})
}

func playHostile(t *testing.T, role framing.Role, script []byte) {
	cfg := Config{Role: role, PeerID: 1, UnreadMessages: 8, UnreadBytes: 4096, WindowBytes: 4096, SendQueueMessages: 16, Pool: &Pool{Poison: true}}
	s := &hostile{t: t, e: New(start, cfg), now: start}
	for len(script) >= 2 {
		op, n := script[0], int(script[1])
		script = script[2:]
		switch op % 6 {
		case 0:
			n = min(n, len(script))
			s.e.HandleDatagram(s.now, script[:n])
			script = script[n:]
		case 1:
			_ = s.e.Send(s.now, make([]byte, n), SendOptions{Mode: Mode(n % 4), Receipt: uint64(n % 3), TTL: time.Duration(n%5) * time.Millisecond, Urgent: n%7 == 0})
		case 2:
			s.now += int64(n) * int64(time.Millisecond)
		case 3:
			s.readAll()
		case 4:
			s.e.Close(s.now)
		case 5:
			s.e.Abort(s.now)
		}
		s.check()
	}
	s.e.Abort(s.now)
	for range 20 {
		s.now += int64(time.Second)
		s.check()
	}
	s.readAll()
	require.True(t, s.e.Finished())
	require.Zero(t, s.e.pool.Outstanding(), "every buffer is back")
}

// hostile is a session under fuzz and what was seen of it.
type hostile struct {
	t        *testing.T
	e        *Endpoint
	now      int64
	ups, end int
}

// check sends what is due and holds the limits.
func (s *hostile) check() {
	t, e := s.t, s.e
	sender := framing.Host
	if e.cfg.Role == framing.Host {
		sender = framing.Client
	}
	sent := 0
	for d := e.PollDatagram(s.now, nil); len(d) > 0; d = e.PollDatagram(s.now, nil) {
		_, drop := framing.Parse(d, sender)
		require.Equal(t, framing.Accepted, drop)
		sent++
		require.Less(t, sent, 3000, "it never stops sending")
	}
	require.Greater(t, e.NextDeadline(), s.now)
	stats := e.Stats()
	require.LessOrEqual(t, stats.InFlight, MaxInFlight)
	require.LessOrEqual(t, stats.UnreadMessages, 8)
	require.LessOrEqual(t, stats.UnreadBytes, 4096)
	require.LessOrEqual(t, e.window.bytes, 4096)
	require.LessOrEqual(t, stats.QueueMessages, 16+4)
	require.LessOrEqual(t, e.acks.len(), pendingAcks)
}

func (s *hostile) readAll() {
	for {
		ev, ok := s.e.PollEvent()
		if !ok {
			return
		}
		require.Zero(s.t, s.end, "nothing comes after the last event")
		switch ev.Kind {
		case EventConnected:
			s.ups++
			require.Equal(s.t, 1, s.ups)
		case EventMessage:
			require.Equal(s.t, 1, s.ups)
			s.e.Recycle(ev.Payload)
		case EventDisconnected, EventDialFailed:
			require.Equal(s.t, ev.Kind == EventDisconnected, s.ups == 1)
			s.end++
		}
	}
}
