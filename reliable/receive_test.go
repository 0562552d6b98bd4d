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

func TestSequencesAreComparedBySignedDifference(t *testing.T) {
	for _, c := range []struct {
		a, b int32
		want int64
	}{
		{1, 0, 1},
		{0, 1, -1},
		{math.MinInt32, math.MaxInt32, 1},
		{math.MaxInt32, math.MinInt32, -1},
		{math.MinInt32, 0, 1 << 31}, // exactly half way counts as ahead, from both sides
		{0, math.MinInt32, 1 << 31},
		{-1000, 1000, -2000},
	} {
		require.Equal(t, c.want, seqAfter(c.a, c.b), "%d after %d", c.a, c.b)
	}
}

func TestMessagesAreReleasedInOrderAndEachIsAckedAtOnce(t *testing.T) {
	s := newHost(t)
	s.gets("reliable 1 b").sends("ack 1").quiet()
	s.gets("reliable 2 c").sends("ack 2").quiet()
	s.gets("reliable 0 a").sends("ack 0").reads("a", "b", "c")
}

func TestDuplicatesAreAckedAgainHoweverOld(t *testing.T) {
	s := newHost(t)
	for i := range 2000 {
		s.gets(fmt.Sprintf("reliable %d x", i)).sends(fmt.Sprintf("ack %d", i)).reads("x")
	}
	for _, seq := range []int{1999, 1000, 976, 975, 0} {
		s.drops(framing.DropDuplicate, fmt.Sprintf("reliable %d x", seq)).sends(fmt.Sprintf("ack %d", seq)).quiet()
	}
	s.wait(time.Hour).drops(framing.DropDuplicate, "reliable 0 x").quiet()
}

func TestFirstCopyOfASequenceWins(t *testing.T) {
	s := newHost(t).gets("reliable 1 first").sends("ack 1")
	s.drops(framing.DropDuplicate, "reliable 1 other").sends("ack 1")
	s.gets("reliable 0 a").sends("ack 0").reads("a", "first")
}

func TestWindowIsExactAtItsEdges(t *testing.T) {
	for _, next := range []int32{0, 500, math.MaxInt32 - 3, math.MinInt32, -8} {
		s := newHost(t, func(c *Config) { c.FirstReceive = next })
		s.drops(framing.DropWindow, fmt.Sprintf("reliable %d x", next+Window)).idle()
		s.drops(framing.DropWindow, fmt.Sprintf("reliable %d x", next+math.MinInt32)).idle()
		s.gets(fmt.Sprintf("reliable %d x", next+Window-1)).sends(fmt.Sprintf("ack %d", next+Window-1))
		s.drops(framing.DropDuplicate, fmt.Sprintf("reliable %d x", next-1)).sends(fmt.Sprintf("ack %d", next-1))
		s.gets(fmt.Sprintf("reliable %d x", next)).sends(fmt.Sprintf("ack %d", next)).reads("x")
		s.gets(fmt.Sprintf("reliable %d y", next+Window)).sends(fmt.Sprintf("ack %d", next+Window))
	}
}

func TestBytesStoredOutOfOrderAreBounded(t *testing.T) {
	s := newHost(t, func(c *Config) { c.WindowBytes = 256 << 10 })
	kilobyte := strings.Repeat("k", 1024)
	for i := range 256 {
		s.gets(fmt.Sprintf("reliable %d %s", i+1, kilobyte)).sends(fmt.Sprintf("ack %d", i+1))
	}
	s.drops(framing.DropWindowBytes, "reliable 257 "+kilobyte).idle()
	s.gets("reliable 0 a").sends("ack 0")
	require.Len(t, s.events(), 257)
	s.gets("reliable 257 z").sends("ack 257").reads("z")
}

func TestReaderThatStopsIsBackPressureNotLoss(t *testing.T) {
	s := newHost(t, func(c *Config) { c.UnreadMessages = 3 })
	s.gets("reliable 0 a", "reliable 1 b", "reliable 2 c").sends("ack 0", "ack 1", "ack 2")
	s.drops(framing.DropUnread, "reliable 3 d").idle()
	s.gets("reliable 4 e").sends("ack 4") // stored out of order, and acked because it is kept
	s.reads("a", "b", "c").gets("reliable 3 d").sends("ack 3").reads("d", "e")
}

func TestUnreadBytesAreBoundedExactly(t *testing.T) {
	s := newHost(t, func(c *Config) { c.UnreadBytes = 1200 })
	s.gets("reliable 0 "+strings.Repeat("x", 1190), "reliable 1 0123456789").sends("ack 0", "ack 1")
	s.drops(framing.DropUnread, "reliable 2 x")
	s.gets("reliable 2 ") // nothing takes no room
	require.Len(t, s.events(), 3)
}

func TestStoredMessagesWaitForTheReaderToo(t *testing.T) {
	s := newHost(t, func(c *Config) { c.UnreadMessages = 2 })
	s.gets("reliable 1 b", "reliable 2 c", "reliable 3 d", "reliable 0 a")
	require.Equal(t, 2, s.e.Stats().UnreadMessages)
	s.drops(framing.DropDuplicate, "reliable 2 c")
	s.reads("a", "b", "c", "d")
}

func TestWhatWaitedForTheReaderInOrderIsReadAfterThePeerLeft(t *testing.T) {
	s := newHost(t, func(c *Config) { c.UnreadMessages = 2 })
	s.gets("reliable 1 b", "reliable 2 c", "reliable 3 d", "reliable 5 f", "reliable 0 a").sends("ack 1", "ack 2", "ack 3", "ack 5", "ack 0")
	s.gets("disconnect").reads("a", "b", "c", "d", "disconnected: closed by peer, 0 undelivered")
	require.Zero(t, s.e.pool.Outstanding())
}

func TestWhatWaitedForTheReaderIsDiscardedByItsOwnAbort(t *testing.T) {
	s := newHost(t, func(c *Config) { c.UnreadMessages = 1 })
	s.gets("reliable 1 b", "reliable 0 a")
	s.e.Abort(s.now)
	s.reads("disconnected: closed locally, 0 undelivered")
	require.Zero(t, s.e.pool.Outstanding())
}

func TestUnreadLossyMessagesMakeRoomOldestFirst(t *testing.T) {
	s := newHost(t, func(c *Config) { c.UnreadMessages = 3 })
	s.gets("unreliable 1", "unreliable 2", "unreliable 3", "unreliable 4")
	require.Equal(t, uint64(1), s.e.Stats().Drops[framing.DropUnread])
	s.gets("reliable 0 r").sends("ack 0").reads("3", "4", "r")
}

func TestLossyMessageIsDroppedWhenOnlyReliableOnesWait(t *testing.T) {
	s := newHost(t, func(c *Config) { c.UnreadMessages = 1 })
	s.gets("reliable 0 r").drops(framing.DropUnread, "unreliable u").sends("ack 0").reads("r")
}

func TestEmptyMessagesAreMessages(t *testing.T) {
	newHost(t).gets("unreliable ").gets("reliable 0 ").sends("ack 0").reads("", "")
}

func TestReliableAndUnreliableAreReadAsTheyCame(t *testing.T) {
	s := newHost(t).gets("unreliable 1", "reliable 0 2", "unreliable 3", "reliable 1 4")
	s.reads("1", "2", "3", "4")
}

func TestAcksAreSentTwiceOnAPathThatLosesMany(t *testing.T) {
	s := newHost(t)
	for i := range 64 { // the peer repairs every message, so none of our acks seems to arrive
		seq := fmt.Sprint(i)
		s.gets("reliable " + seq + " x").poll()
		s.wait(30*time.Millisecond).drops(framing.DropDuplicate, "reliable "+seq+" x").poll()
	}
	s.run(10 * time.Millisecond)
	require.Greater(t, s.e.Stats().AckLossPerMille, 100)
	s.gets("reliable 64 x").sends("ack 64")
	require.Equal(t, []string{"3ms ack 64"}, s.run(100*time.Millisecond))
}

func TestCopiesOfOneRoundAreNotTakenForLostAcks(t *testing.T) {
	s := newHost(t)
	for i := range 200 {
		seq := fmt.Sprint(i)
		s.gets("reliable " + seq + " x").poll()
		s.wait(8*time.Millisecond).drops(framing.DropDuplicate, "reliable "+seq+" x").poll()
	}
	require.Zero(t, s.e.Stats().AckLossPerMille)
}

func TestInboundBudgetDropsWhatIsAboveTwiceTheCeiling(t *testing.T) {
	s := newHost(t, func(c *Config) { c.SendCeiling = 100_000 })
	taken := 0
	for range 100_000 { // 1 s of heartbeats, 10 microseconds apart
		s.wait(10 * time.Microsecond)
		if s.e.HandleDatagram(s.now, encode(t, "heartbeat")) == framing.Accepted {
			taken++
		}
	}
	const perHeartbeat = 29
	require.InDelta(t, 200_000/perHeartbeat, taken, 50_000/perHeartbeat, "200 kB a second and the burst")
	require.Equal(t, uint64(100_000-taken), s.e.Stats().Drops[framing.DropRate])
}

// A peer chooses the sequences, but not where they lie.
func TestSequencesThatAPeerChoosesDoNotLieInARow(t *testing.T) {
	w := receiveWindow{salt: newPacketWire(&Config{Seed: [32]byte{1}, Pool: &Pool{}}).draw(drawSalt)}
	for i := range int32(768) { // the same low bits twice
		w.store(received{seq: i})
		w.store(received{seq: i + 2048})
	}
	require.Len(t, w.slots, 2048)
	longest, row := 0, 0
	for _, r := range w.slots {
		if row++; !r.held {
			row = 0
		}
		longest = max(longest, row)
	}
	require.Less(t, longest, 300)
}
