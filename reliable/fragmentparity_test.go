package reliable

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// long is a message of ten fragments.
var long = strings.Repeat("m", 11_000)

// newLosing is newSettled on a path that loses so many of 1000 packets.
func newLosing(t *testing.T, perMille int64, change ...func(*Config)) *packets {
	s := newSettled(t, change...)
	s.e.repair.missed, s.e.repair.account = missScale*perMille/1000, accountCap
	return s
}

// kinds counts the packets with fragments and with parities.
func kinds(sent []string) (fragments, parities int) {
	for _, p := range sent {
		switch {
		case strings.Contains(p, "parity "):
			parities++
		case strings.Contains(p, "mmm"):
			fragments++
		}
	}
	return fragments, parities
}

func TestParitiesGoWithAMessageInFragments(t *testing.T) {
	for name, row := range map[string]struct {
		perMille int64
		budget   int
		mode     Mode
		size     int
		parities int
	}{
		"few losses":                   {21, 130, ReliableOrdered, 11_000, 3},
		"many":                         {50, 130, ReliableOrdered, 11_000, 3},
		"a smaller budget":             {50, 120, ReliableOrdered, 11_000, 2},
		"a larger budget":              {50, 200, ReliableOrdered, 11_000, 4},
		"no budget":                    {50, 100, ReliableOrdered, 11_000, 0},
		"hardly any losses":            {12, 130, ReliableOrdered, 11_000, 0},
		"hardly any, but not repaired": {12, 130, Unreliable, 11_000, 2},
		"none":                         {0, 130, Unreliable, 11_000, 0},
		"two fragments":                {50, 200, Unreliable, 2_000, 0},
		"three fragments":              {50, 200, Unreliable, 3_000, 2},
		"64 fragments":                 {50, 130, ReliableOrdered, 64 * fragmentRoom, 8},
		"65 fragments":                 {50, 130, ReliableOrdered, 64*fragmentRoom + 500, 0},
	} {
		t.Run(name, func(t *testing.T) {
			s := newLosing(t, row.perMille, func(c *Config) { c.Budget, c.SendCeiling = row.budget, -1 })
			s.send(strings.Repeat("m", row.size), SendOptions{Mode: row.mode})
			fragments, parities := kinds(s.poll())
			require.Equal(t, (row.size+fragmentRoom-1)/fragmentRoom, fragments)
			require.Equal(t, row.parities, parities)
			require.EqualValues(t, row.parities, s.e.Stats().ParitiesSent)
		})
	}
}

func TestNoParitiesWhereThePathIsFull(t *testing.T) {
	s := newLosing(t, 50)
	s.e.packets.path.full = true
	s.send(long, SendOptions{Mode: ReliableOrdered})
	_, parities := kinds(s.poll())
	require.Zero(t, parities)
}

// newCovered has sent a message of ten fragments and three parities. Nothing is acked.
func newCovered(t *testing.T) *packets {
	s := newLosing(t, 50, func(c *Config) { c.SendCeiling = -1 })
	s.send(long, SendOptions{Mode: ReliableOrdered, Receipt: 1})
	fragments, parities := kinds(s.poll())
	require.Equal(t, []int{10, 3}, []int{fragments, parities})
	return s.wait(50 * ms)
}

func TestAMessageIsDeliveredOnceAcksNameEnoughOfIt(t *testing.T) {
	s := newCovered(t).gets("ack @0 and @1-2 @4-9").quiet() // three parities and six fragments
	require.Equal(t, 4, s.e.Stats().InFlight)
	s.gets("ack @0 and @1-2 @4-10").reads("outcome 1 delivered")
	require.Zero(t, s.e.Stats().InFlight)
	require.Zero(t, s.e.packets.sharded)
	require.Empty(t, s.run(500*ms), "nothing is repaired that the peer has rebuilt")
}

func TestLostParitiesAreNotSentAgain(t *testing.T) {
	s := newCovered(t).gets("ack @3 and @4-12").reads("outcome 1 delivered")
	for _, sent := range s.run(time.Second) {
		require.NotContains(t, sent, "parity")
	}
}

func TestFragmentsThatParitiesDoNotCoverAreRepaired(t *testing.T) {
	s := newCovered(t).gets("ack @0 and @4-9") // a parity and six fragments; two parities and four fragments are lost
	fragments, parities := kinds(s.run(10 * ms))
	require.GreaterOrEqual(t, fragments, 4)
	require.Zero(t, parities)
	s.wait(50 * ms).gets("ack @0 and @1-31").reads("outcome 1 delivered")
}

func TestParitiesThatWaitAreWithdrawnWithTheirMessage(t *testing.T) {
	s := newLosing(t, 50)
	s.send(long, SendOptions{Mode: ReliableOrdered, Receipt: 1, TTL: time.Second})
	s.send(long, SendOptions{Mode: ReliableUnordered, Receipt: 2, TTL: 10 * ms})
	s.e.sending.paid = s.now + int64(time.Hour) // nothing leaves
	s.wait(20 * ms).poll()
	s.reads("outcome 2 expired")
	require.Equal(t, 13, s.e.queue.waiting[1])
	s.wait(time.Second).poll()
	s.reads("outcome 1 expired")
	require.Zero(t, s.e.queue.waiting[1])
	require.Zero(t, s.e.packets.sharded)
}

func TestAMessageWithParitiesPaysForThemItself(t *testing.T) {
	s := newLosing(t, 50, func(c *Config) { c.SendCeiling = -1 })
	s.e.repair.account = 700
	s.send(long, SendOptions{Mode: ReliableOrdered}).poll()
	require.EqualValues(t, 700, s.e.repair.account)
}

func TestParitiesThatWaitDoNotLeaveOnceAllIsAcked(t *testing.T) {
	s := newLosing(t, 50, func(c *Config) { c.SendCeiling = 20_000 }) // ten packets at once, the next ones 60 ms apart
	s.send(long, SendOptions{Mode: ReliableOrdered, Receipt: 1})
	fragments, parities := kinds(s.poll())
	require.Equal(t, []int{10, 1}, []int{fragments, parities})
	s.wait(50 * ms).gets("ack @1 and @2-10").reads("outcome 1 delivered")
	_, parities = kinds(s.run(time.Second))
	require.Zero(t, parities)
}

// The peer has all of the message, and discards it with the one before it that is missing.
func TestAMessageBehindAGapIsUndeliveredThoughItsParitiesWait(t *testing.T) {
	s := newLosing(t, 50, func(c *Config) { c.SendCeiling = 20_000 })
	s.send("a", SendOptions{Mode: ReliableOrdered}).poll()
	s.send(long, SendOptions{Mode: ReliableOrdered})
	fragments, parities := kinds(s.poll())
	require.Equal(t, []int{10, 1}, []int{fragments, parities})
	s.gets("ack @1 and @2-10")
	s.e.Abort(s.now)
	s.reads("disconnected: closed locally, 2 undelivered")
}

func TestParitiesNeedNoCredit(t *testing.T) {
	s := newLosing(t, 50, func(c *Config) { c.SendCeiling = -1 })
	s.send(long, SendOptions{Mode: ReliableOrdered})
	stream := &s.e.queue.streams[len(s.e.queue.streams)-1]
	stream.limitSeq = stream.next + 10
	fragments, parities := kinds(s.poll())
	require.Equal(t, []int{10, 3}, []int{fragments, parities})
}

func TestEightReliableMessagesMayHaveParities(t *testing.T) {
	s := newLosing(t, 50, func(c *Config) { c.SendCeiling = -1 })
	for range 9 {
		s.send(long, SendOptions{Mode: ReliableOrdered})
	}
	fragments, parities := kinds(s.poll())
	require.Equal(t, []int{90, 24}, []int{fragments, parities})
}

func TestAPeerThatAcksNoParityGetsNoMore(t *testing.T) {
	s := newLosing(t, 50, func(c *Config) { c.SendCeiling = -1 })
	total := 0
	for range 20 {
		s.e.repair.missed = missScale / 20
		s.send(long, SendOptions{Mode: ReliableOrdered})
		_, parities := kinds(s.poll())
		total += parities
		s.wait(50*ms).queues(ReliableUnordered, "x").poll()
		s.wait(50 * ms)
		if parities > 0 {
			s.gets("ack @0 and @4-13")
		} else {
			s.gets("ack @0 and @1-10")
		}
		s.wait(50 * ms).poll()
	}
	require.Equal(t, 18, total, "16 in a row, and what goes with them")
}

func TestALossyMessageThatThePeerRebuiltIsDelivered(t *testing.T) {
	for acked, fate := range map[string]string{
		"@0 and @1-12":        "delivered",
		"@0 and @1-9":         "delivered", // three fragments are lost, three parities are not
		"@0 and @1-8":         "lost",
		"@0 and @1 @3-10 @12": "delivered",
	} {
		s := newLosing(t, 50, func(c *Config) { c.SendCeiling = -1 })
		s.send(long, SendOptions{Mode: Unreliable, Receipt: 1})
		s.poll()
		s.wait(50 * ms).gets("ack " + acked)
		s.wait(20*ms).queues(Unreliable, "x").poll()
		s.wait(50 * ms).gets("ack @0")
		require.Equal(t, []string{"outcome 1 " + fate}, s.events(), acked)
	}
}

func TestBothSidesAgreeOnParities(t *testing.T) {
	for _, mode := range []Mode{Unreliable, Sequenced, ReliableUnordered, ReliableOrdered, ReliableSequenced} {
		for lost := range 13 {
			a := newLosing(t, 50, func(c *Config) { c.SendCeiling = -1 })
			b := New(start, Config{Sealer: nullSealer{}})
			_, _ = b.PollEvent()
			a.send(long, SendOptions{Mode: mode})
			for i := 0; ; i++ {
				d := a.e.PollDatagram(a.now, nil)
				if len(d) == 0 {
					break
				}
				if i%13 != lost && i%13 != (lost+4)%13 && i%13 != (lost+6)%13 {
					require.Zero(t, b.HandleDatagram(a.now, d))
				}
			}
			ev, ok := b.PollEvent()
			require.True(t, ok, "%v, %d", mode, lost)
			require.Equal(t, long, string(ev.Payload))
			b.Recycle(ev.Payload)
			require.Zero(t, b.pool.Outstanding())
		}
	}
}
