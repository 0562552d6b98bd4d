package reliable

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/framing"
)

func TestEverySizeUpToTheLimitIsSentAndOneMoreIsAnError(t *testing.T) {
	s := newConnected(t)
	for _, c := range []struct {
		mode  Mode
		limit int
	}{{Unreliable, 1199}, {ReliableOrdered, 1195}} {
		for size := range c.limit + 1 {
			require.NoError(t, s.e.Send(s.now, make([]byte, size), SendOptions{Mode: c.mode}))
			d := s.e.PollDatagram(s.wait(time.Millisecond).now, nil)
			f, drop := framing.Parse(d, framing.Host)
			require.Equal(t, framing.Accepted, drop)
			require.Len(t, f.Payload, size)
			if c.mode == ReliableOrdered {
				s.gets(fmt.Sprintf("ack %d", f.Seq))
			}
		}
		var tooLarge *TooLargeError
		require.ErrorAs(t, s.e.Send(s.now, make([]byte, c.limit+1), SendOptions{Mode: c.mode}), &tooLarge)
		require.Equal(t, TooLargeError{c.limit + 1, c.limit}, *tooLarge)
		s.idle()
	}
}

func TestModesAndChannelsThatBaseLacksAreErrors(t *testing.T) {
	s := newConnected(t)
	for mode := range Mode(8) {
		if mode != Unreliable && mode != ReliableOrdered {
			require.ErrorIs(t, s.e.Send(s.now, nil, SendOptions{Mode: mode}), ErrNotOnBase)
		}
	}
	require.ErrorIs(t, s.e.Send(s.now, nil, SendOptions{Channel: 1}), ErrNotOnBase)
	s.idle()
}

func TestSendBeforeTheAcceptIsAnError(t *testing.T) {
	s := newClient(t)
	require.ErrorIs(t, s.e.Send(s.now, nil, SendOptions{}), ErrNotConnected)
}

func TestSequencesCountFromTheFirstAndWrap(t *testing.T) {
	s := newConnected(t, func(c *Config) { c.FirstSend = math.MaxInt32 })
	s.queues(ReliableOrdered, "a").queues(ReliableOrdered, "b").sends("reliable 2147483647 a", "reliable -2147483648 b")
	s.gets("ack -2147483648", "ack 2147483647").idle()
	require.Zero(t, s.e.Stats().InFlight)
}

func TestQueueFullIsExactInMessagesAndBytesAndRecovers(t *testing.T) {
	s := newConnected(t, func(c *Config) { c.SendQueueMessages = 3; c.SendQueueBytes = 1200 })
	s.queues(ReliableOrdered, "a").queues(ReliableOrdered, "b").queues(ReliableOrdered, "c")
	require.Zero(t, s.e.Sendable())
	require.ErrorIs(t, s.e.Send(s.now, nil, SendOptions{Mode: ReliableOrdered}), ErrQueueFull)
	s.sends("reliable 0 a", "reliable 1 b", "reliable 2 c").gets("ack 1")
	require.Equal(t, 1198, s.e.Sendable())
	s.queues(ReliableOrdered, strings.Repeat("x", 1195))
	s.gets("ack 0")
	require.Equal(t, 4, s.e.Sendable())
	require.ErrorIs(t, s.e.Send(s.now, []byte("12345"), SendOptions{Mode: ReliableOrdered}), ErrQueueFull)
	s.queues(ReliableOrdered, "1234")
}

func TestBacklogOfReliableMessagesDoesNotSilenceUnreliableOnes(t *testing.T) {
	s := newConnected(t, func(c *Config) { c.SendQueueMessages = 8 })
	for range 8 {
		s.queues(ReliableOrdered, "x")
	}
	require.ErrorIs(t, s.e.Send(s.now, nil, SendOptions{Mode: ReliableOrdered}), ErrQueueFull)
	s.queues(Unreliable, "1").queues(Unreliable, "2")
	require.ErrorIs(t, s.e.Send(s.now, nil, SendOptions{}), ErrQueueFull, "a quarter of the budget")
}

func TestAtMost256AreInFlight(t *testing.T) {
	s := newConnected(t, func(c *Config) { c.Loopback = true })
	for range 300 {
		s.queues(ReliableOrdered, "x")
	}
	require.Len(t, s.poll(), 256)
	s.gets("ack 100").sends("reliable 256 x")
	s.queues(Unreliable, "u").sends("unreliable u") // reliable never delays unreliable
}

func TestNoSequenceLeavesBeyondThePeersWindow(t *testing.T) {
	s := newConnected(t, func(c *Config) { c.Loopback = true })
	s.queues(ReliableOrdered, "lost").sends("reliable 0 lost")
	for i := 1; i < Window; i++ {
		s.queues(ReliableOrdered, "x").sends(fmt.Sprintf("reliable %d x", i)).gets(fmt.Sprintf("ack %d", i))
	}
	s.queues(ReliableOrdered, "beyond").idle()
	s.gets("ack 0").sends("reliable 1024 beyond")
}

func TestAcksOfWhatIsNotInFlightChangeNothing(t *testing.T) {
	s := newConnected(t)
	before := s.e.Stats()
	for _, seq := range []string{"0", "1", "-1", "1000", "2147483647", "-2147483648"} {
		s.drops(framing.DropAckUnsent, "ack "+seq)
	}
	s.queues(ReliableOrdered, "a").sends("reliable 0 a").wait(50 * time.Millisecond).gets("ack 0")
	for range 1000 {
		s.drops(framing.DropAckAgain, "ack 0")
	}
	s.drops(framing.DropAckUnsent, "ack 1").drops(framing.DropAckUnsent, "ack -1")
	after := s.e.Stats()
	require.Equal(t, before.MessagesAcked+1, after.MessagesAcked)
	require.Zero(t, after.InFlight)
	require.Equal(t, 50*time.Millisecond, after.RTTSmoothed)
}

func TestUnreliableKeepsItsPlaceAndUrgentOvertakes(t *testing.T) {
	s := newConnected(t).queues(Unreliable, "1").queues(ReliableOrdered, "2").queues(Unreliable, "3")
	require.NoError(t, s.e.Send(s.now, []byte("4"), SendOptions{Urgent: true}))
	s.sends("unreliable 4", "unreliable 1", "reliable 0 2", "unreliable 3")
}

func TestTimeToLiveActsBeforeTheFirstTransmissionOnly(t *testing.T) {
	s := newConnected(t)
	ttl := SendOptions{Mode: ReliableOrdered, TTL: 10 * time.Millisecond, Receipt: 1}
	require.NoError(t, s.e.Send(s.now, []byte("withdrawn"), ttl))
	s.wait(10 * time.Millisecond).idle().reads("outcome 1 expired")

	ttl.Receipt = 2
	require.NoError(t, s.e.Send(s.now, []byte("kept"), ttl))
	s.sends("reliable 0 kept").wait(time.Minute / 4).gets("heartbeat")
	require.Contains(t, s.poll(), "reliable 0 kept")
	s.gets("ack 0").reads("outcome 2 delivered")
}

func TestExpiredMessageLeavesNoGapInTheSequences(t *testing.T) {
	s := newConnected(t)
	require.NoError(t, s.e.Send(s.now, []byte("withdrawn"), SendOptions{Mode: ReliableOrdered, TTL: time.Millisecond}))
	s.wait(time.Second/2).queues(ReliableOrdered, "a").sends("reliable 0 a")
}

func TestExpiryIsServedAtItsDeadline(t *testing.T) {
	s := newScript(t, Config{Role: framing.Host, PeerID: 1}, nil).sends("accept 1").reads("connected")
	s.e.held = true // nothing may leave before the peer is heard
	require.NoError(t, s.e.Send(s.now, make([]byte, 100), SendOptions{TTL: 40 * time.Millisecond, Receipt: 9}))
	s.idle()
	require.Equal(t, s.now+int64(40*time.Millisecond), s.e.NextDeadline())
	s.wait(40 * time.Millisecond).idle().reads("outcome 9 expired")
}

func TestTimeToLiveBeyondTheEndOfTimeIsForEver(t *testing.T) {
	s := newConnected(t)
	require.NoError(t, s.e.Send(s.now, []byte("a"), SendOptions{Mode: ReliableOrdered, TTL: math.MaxInt64}))
	s.sends("reliable 0 a")
}

func TestTimeToLiveMayEndAtTimeZero(t *testing.T) {
	s := newConnected(t)
	s.e = New(-1, Config{Role: framing.Host, PeerID: 1})
	s.now = -1
	require.NoError(t, s.e.Send(s.now, []byte("withdrawn"), SendOptions{TTL: 1}))
	s.wait(1).sends("accept 1").reads("connected")
	require.Equal(t, uint64(1), s.e.Stats().MessagesExpired)
}

func TestFullQueueMakesRoomByExpiry(t *testing.T) {
	s := newConnected(t, func(c *Config) { c.SendQueueMessages = 1 })
	require.NoError(t, s.e.Send(s.now, nil, SendOptions{TTL: time.Millisecond}))
	s.wait(time.Millisecond)
	require.NoError(t, s.e.Send(s.now, nil, SendOptions{}))
}

func TestEveryReceiptGetsExactlyOneOutcome(t *testing.T) {
	s := newConnected(t)
	send := func(mode Mode, receipt uint64) {
		require.NoError(t, s.e.Send(s.now, []byte("x"), SendOptions{Mode: mode, Receipt: receipt}))
	}
	send(ReliableOrdered, 1)
	send(Unreliable, 2)
	s.sends("reliable 0 x", "unreliable x").reads("outcome 2 sent")
	send(ReliableOrdered, 3)
	send(Unreliable, 4)
	s.gets("ack 0")
	s.e.Abort(s.now)
	s.reads("outcome 1 delivered", "outcome 3 cancelled", "outcome 4 cancelled", "disconnected: closed locally, 1 undelivered").quiet()
}

func TestUnreadOutcomesCountAgainstTheQueue(t *testing.T) {
	s := newConnected(t, func(c *Config) { c.SendQueueMessages = 8 })
	for i := range uint64(2) {
		require.NoError(t, s.e.Send(s.now, nil, SendOptions{Receipt: i + 1}))
	}
	s.sends("unreliable ", "unreliable ")
	require.ErrorIs(t, s.e.Send(s.now, nil, SendOptions{}), ErrQueueFull)
	s.reads("outcome 1 sent", "outcome 2 sent")
	require.NoError(t, s.e.Send(s.now, nil, SendOptions{}))
}

func TestSendingIsPacedAtTheCeilingInBurstsOfTen(t *testing.T) {
	s := newConnected(t, func(c *Config) { c.SendCeiling = 1_228_000 }) // a full datagram each millisecond
	s.wait(time.Second).poll()
	for range 100 {
		require.NoError(t, s.e.Send(s.now, make([]byte, 1199), SendOptions{}))
	}
	require.InDelta(t, 10, len(s.poll()), 1)
	require.Len(t, s.run(20*time.Millisecond), 20)
}

func TestBufferGivenToSendMayBeReusedAtOnce(t *testing.T) {
	s := newConnected(t)
	buf := []byte("mine")
	require.NoError(t, s.e.Send(s.now, buf, SendOptions{Mode: ReliableOrdered}))
	copy(buf, "ours")
	s.sends("reliable 0 mine")
}

func TestNoPoisonEverReachesTheWireOrTheApplication(t *testing.T) {
	s := newConnected(t)
	for i := range 500 {
		text := fmt.Sprintf("message %d", i)
		s.queues(ReliableOrdered, text).queues(Unreliable, text)
		s.sends(fmt.Sprintf("reliable %d %s", i, text), "unreliable "+text)
		s.gets(fmt.Sprintf("ack %d", i), fmt.Sprintf("reliable %d %s", i, text)).reads(text)
		s.wait(time.Second / 10).poll()
	}
	require.Zero(t, s.e.pool.Outstanding())
}

func TestStatsTellHowLongTheOldestMessageWaits(t *testing.T) {
	s := newConnected(t)
	require.Zero(t, s.e.Stats().QueueAge)
	s.queues(ReliableOrdered, "a").sends("reliable 0 a").wait(40 * time.Millisecond)
	s.queues(ReliableOrdered, "b").sends("reliable 1 b").wait(2 * time.Millisecond).idle()
	require.Equal(t, 42*time.Millisecond, s.e.Stats().QueueAge)
	s.gets("ack 0")
	require.Equal(t, 2*time.Millisecond, s.e.Stats().QueueAge)
}
