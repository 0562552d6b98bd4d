package udp_test

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/transport"
	"github.com/gannet-net/gannet/udp"
)

func TestAForeignPeerExchangesBothKinds(t *testing.T) {
	inBothRoles(t, quiet(), func(f *foreigner) {
		f.sends(says.unreliable(message("a")))
		f.receives("a")
		f.sends(says.reliable(0, message("b")))
		f.wants(says.ack(0))
		f.receives("b")

		send(f.T, f.lib, "c", unreliable)
		f.wants(says.unreliable(message("c")))
		send(f.T, f.lib, "d", ordered)
		f.wants(says.reliable(0, message("d")))
		f.sends(says.ack(0))
		send(f.T, f.lib, "e", ordered)
		f.wants(says.reliable(1, message("e")))
		f.sends(says.ack(1))
	})
}

func TestAForeignPeerMaySendOutOfOrderAndTwice(t *testing.T) {
	inBothRoles(t, quiet(), func(f *foreigner) {
		for _, seq := range []int32{2, 1, 2, 0, 1, 0, 3} {
			f.sends(says.reliable(seq, message(string(rune('a'+seq)))))
			f.wants(says.ack(seq))
		}
		for _, want := range []string{"a", "b", "c", "d"} {
			f.receives(want)
		}
		f.sends(says.unreliable(message("twice")), says.unreliable(message("twice")))
		f.receives("twice")
		f.receives("twice")
	})
}

func TestAForeignPeerGetsAcksInTheWindowAndBehindItOnly(t *testing.T) {
	inBothRoles(t, quiet(), func(f *foreigner) {
		f.sends(says.reliable(0, message("first")))
		f.wants(says.ack(0))
		const next = 1
		for _, beyond := range []int32{next + 1024, next + 5000, math.MaxInt32, next + math.MinInt32} { // the last is 2^31 away, which is ahead
			f.sends(says.reliable(beyond, message("beyond")))
		}
		for _, behind := range []int32{0, -1, -1_000_000, next + math.MinInt32 + 1} {
			f.sends(says.reliable(behind, message("behind")))
			f.wants(says.ack(behind))
		}
		f.sends(says.reliable(next+1023, message("last")))
		f.wants(says.ack(next + 1023))
		f.receives("first")
		f.sends(says.reliable(next, message("second")))
		f.wants(says.ack(next))
		f.receives("second")
	})
}

func TestSequencesOfAForeignPeerWrap(t *testing.T) {
	c := quiet()
	c.FirstSend, c.FirstReceive = math.MaxInt32, math.MaxInt32-1
	inBothRoles(t, c, func(f *foreigner) {
		for i, seq := range []int32{math.MaxInt32 - 1, math.MaxInt32, math.MinInt32, math.MinInt32 + 1} {
			text := string(rune('a' + i))
			f.sends(says.reliable(seq, message(text)))
			f.wants(says.ack(seq))
			f.receives(text)
		}
		for i, seq := range []int32{math.MaxInt32, math.MinInt32, math.MinInt32 + 1} {
			text := string(rune('a' + i))
			send(f.T, f.lib, text, ordered)
			f.wants(says.reliable(seq, message(text)))
			f.sends(says.ack(seq))
		}
	})
}

func TestTheLibraryRepeatsWhatAForeignPeerDoesNotAck(t *testing.T) {
	inBothRoles(t, quiet(), func(f *foreigner) {
		send(f.T, f.lib, "again", ordered)
		send(f.T, f.lib, "once", ordered)
		f.wants(says.reliable(0, message("again")), says.reliable(1, message("once")))
		f.sends(says.ack(1))
		for range 10 {
			f.wants(says.reliable(0, message("again")))
		}

		f.sends(says.ack(0), says.reliable(0, nil)) // late; the answer to the second says that the first was read
		f.wants(says.ack(0))
		require.Zero(f, f.lib.(*udp.Conn).Stats().InFlight)
		send(f.T, f.lib, "new", ordered)
		f.wants(says.reliable(2, message("new")))
	})
}

func TestAForeignPeerMayAckWhatItLikes(t *testing.T) {
	inBothRoles(t, quiet(), func(f *foreigner) {
		f.sends(says.ack(0), says.ack(5), says.ack(-1), says.ack(math.MinInt32))
		require.NoError(f, f.lib.Send(message("m"), transport.SendOptions{Delivery: transport.ReliableOrdered, Receipt: 9}))
		f.wants(says.reliable(0, message("m")))
		f.sends(says.ack(1), says.ack(0), says.ack(0))
		ev, err := f.lib.Receive(f.ctx, nil)
		require.NoError(f, err)
		require.Equal(f, transport.Event{Kind: transport.Outcome, Conn: f.lib, At: ev.At, Receipt: 9, Fate: transport.Delivered}, ev)
	})
}

func TestHeartbeatsOfAForeignPeerAreNotAnswered(t *testing.T) {
	inBothRoles(t, quiet(), func(f *foreigner) {
		f.sends(says.heartbeat(), says.heartbeat(), says.reliable(0, nil))
		f.wants(says.ack(0))
		f.receives("")
	})
}

func TestNonsenseOfAForeignPeerIsNotAnswered(t *testing.T) {
	inBothRoles(t, quiet(), func(f *foreigner) {
		f.sends(nil)
		for kind := 9; kind <= 256; kind++ { // 256 is kind 0
			f.sends([]byte{byte(kind)}, []byte{byte(kind), 0, 0, 0, 0, 0})
		}
		f.sends([]byte{5}, []byte{5, 0, 0, 0}, []byte{6}, []byte{6, 0, 0, 0})                                    // too short
		f.sends([]byte{2, 7, 7}, []byte{6, 0, 0, 0, 0, 0}, []byte{7, 0}, []byte{8, 0})                           // too long
		f.sends([]byte{1}, []byte{1, 255, 255}, []byte{1, 1, 0, 'v', 'v'}, []byte{3, 9, 0, 'r'})                 // lengths that lie
		f.sends(says.reliable(0, payload(1196)), says.unreliable(payload(1200)), says.unreliable(payload(60e3))) // larger than any
		f.sends(says.reliable(0, message("fine")))
		f.wants(says.ack(0))
		f.receives("fine")
	})
}

func TestTheLibraryKeepsAQuietForeignPeerAlive(t *testing.T) {
	c := udp.Config{Heartbeat: 20 * time.Millisecond, Timeout: time.Hour}
	inBothRoles(t, c, func(f *foreigner) {
		for range 3 {
			f.wants(says.heartbeat())
		}
		require.NoError(f, f.lib.Err())
	})
}

func TestASilentForeignPeerTimesOut(t *testing.T) {
	c := udp.Config{Heartbeat: 20 * time.Millisecond, Timeout: 100 * time.Millisecond}
	inBothRoles(t, c, func(f *foreigner) {
		f.wantsEnd(transport.TimedOut)
		for _, d := range f.rest() {
			require.Equal(f, says.heartbeat(), d, "a side that times out says no goodbye")
		}
	})
}

func TestAForeignPeerLeaves(t *testing.T) {
	inBothRoles(t, quiet(), func(f *foreigner) {
		f.sends(says.reliable(0, message("last words")))
		f.wants(says.ack(0))
		f.sends(says.disconnect())
		f.receives("last words")
		f.wantsEnd(transport.ClosedByPeer)
		require.Empty(f, f.rest(), "a Disconnect is not answered")
	})
}

func TestCloseDeliversToAForeignPeerFirst(t *testing.T) {
	c := quiet()
	c.Linger = time.Minute
	inBothRoles(t, c, func(f *foreigner) {
		send(f.T, f.lib, "last words", ordered)
		closed := make(chan error, 1)
		go func() { closed <- f.lib.Close() }()
		for range 5 {
			f.wants(says.reliable(0, message("last words")))
		}
		f.sends(says.ack(0))
		for range 8 {
			f.wants(says.disconnect())
		}
		require.NoError(f, <-closed)
	})
}

func TestCloseEndsWithTheLingerTimeIfAForeignPeerAcksNothing(t *testing.T) {
	c := quiet()
	c.Linger = 50 * time.Millisecond
	inBothRoles(t, c, func(f *foreigner) {
		send(f.T, f.lib, "unheard", ordered)
		f.wants(says.reliable(0, message("unheard")))
		require.Equal(f, &transport.UndeliveredError{Messages: 1}, f.lib.Close())
		for range 8 {
			f.wants(says.disconnect())
		}
	})
}

func TestEverySizePassesToAndFromAForeignPeer(t *testing.T) {
	inBothRoles(t, quiet(), func(f *foreigner) {
		for n := range 1195 + 1 {
			f.sends(says.reliable(int32(n), payload(n)))
			f.wants(says.ack(int32(n)))
			f.receives(string(payload(n)))
			require.NoError(f, f.lib.Send(payload(n), ordered))
			f.wants(says.reliable(int32(n), payload(n)))
			f.sends(says.ack(int32(n)))
		}
		for n := range 1199 + 1 {
			f.sends(says.unreliable(payload(n)))
			f.receives(string(payload(n)))
			require.NoError(f, f.lib.Send(payload(n), unreliable))
			f.wants(says.unreliable(payload(n)))
		}
		require.Equal(f, &transport.TooLargeError{Size: 1196, Limit: 1195}, f.lib.Send(payload(1196), ordered))
		require.Equal(f, &transport.TooLargeError{Size: 1200, Limit: 1199}, f.lib.Send(payload(1200), unreliable))
	})
}

// payload makes n bytes that differ from those of every other size.
func payload(n int) []byte {
	p := make([]byte, n)
	for i := range p {
		p[i] = byte(i*7 + n*13 + i>>8)
	}
	return p
}
