package reliable

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/framing"
	"github.com/gannet-net/gannet/framing/packet"
)

// newKeeping is newPackets after an Xor that was of no use: from now on messages are kept.
func newKeeping(t *testing.T, change ...func(*Config)) *packets {
	t.Helper()
	return newPackets(t, change...).gets("xor ordered/9 0 a|b").quiet()
}

func (s *packets) rebuilt(n int) *packets {
	s.t.Helper()
	require.EqualValues(s.t, n, s.e.Stats().MessagesRebuilt)
	return s
}

func TestXorTellsTheOneMessageThatDidNotCome(t *testing.T) {
	for _, lost := range []int{0, 1, 2, 3} {
		s := newKeeping(t)
		texts := []string{"zero", "1", "", "three"}
		for i, text := range texts {
			if i != lost {
				s.gets(fmt.Sprintf("ordered/3 %d %s", i, text))
			}
		}
		require.Equal(t, texts[:lost], append([]string{}, s.events()...))
		s.gets("xor ordered/3 0 " + strings.Join(texts, "|")).reads(texts[lost:]...).rebuilt(1)
	}
}

func TestXorCoversAnyTwoToFourMessages(t *testing.T) {
	s := newKeeping(t).gets("ordered 0 a").misses(1).gets("ordered 2 c; xor ordered 0 a|b").reads("a", "b", "c")
	s.misses(1).gets("ordered 4 e", "ordered 5 f; xor ordered 3 ddd|e|f").reads("ddd", "e", "f")
	s.gets("unordered 1 y; xor unordered 0 x|y").reads("y", "x").rebuilt(3)
}

func TestXorCoversSequencesThatGoRound(t *testing.T) {
	s := newKeeping(t, func(c *Config) { c.FirstReceive = 1<<16 - 2 })
	s.gets("ordered 65534 a", "ordered 0 c; xor ordered 65534 a|b|c").reads("a", "b", "c").rebuilt(1)
}

func TestXorOfRepairsInItsPacketCountsThem(t *testing.T) {
	s := newKeeping(t).gets("ordered 5 x").gets("ordered 1 b; xor ordered 0 a|b").reads("a", "b")
	s.gets("ordered 2 c; ordered 3 d; xor ordered 2 c|d").reads("c", "d").rebuilt(1)
}

func TestXorThatTellsNothingNewHasNoEffect(t *testing.T) {
	for name, frames := range map[string][]string{
		"of an unknown stream":               {"xor ordered 0 a|b"},
		"of messages that all came":          {"ordered 0 a", "ordered 1 b", "xor ordered 0 a|b"},
		"of messages that wait":              {"ordered 1 a", "ordered 2 b", "xor ordered 1 a|b"},
		"of two that did not":                {"ordered 0 a", "xor ordered 0 a|b|c"},
		"of none that did":                   {"ordered 0 a", "xor ordered 1 b|c"},
		"that came twice":                    {"ordered 0 a", "xor ordered 0 a|b", "xor ordered 0 a|b"},
		"of one that waits to be read":       {"ordered 1 b", "xor ordered 0 a|b", "xor ordered 0 a|b"},
		"of a fragment":                      {"ordered 0< a", "xor ordered 0 a|b"},
		"of one at the end of the window":    {"ordered 0 a", "unordered 0 a", "xor ordered 1024 a|b"},
		"of one that is larger than is kept": {"ordered 0 " + strings.Repeat("a", paritySize+1), "xor ordered 0 " + strings.Repeat("a", paritySize+1) + "|b"},
	} {
		s := newKeeping(t).gets(frames[:len(frames)-1]...)
		s.events()
		before := s.e.Stats()
		s.gets(frames[len(frames)-1]).quiet()
		require.Equal(t, before.XorsUseless+1, s.e.Stats().XorsUseless, name)
		require.Equal(t, before.MessagesRebuilt, s.e.Stats().MessagesRebuilt, name)
	}
}

func TestLargestMessageThatIsKeptServesAnXor(t *testing.T) {
	large := strings.Repeat("a", paritySize)
	newKeeping(t).gets("ordered 0 "+large, "xor ordered 0 "+large+"|"+strings.Repeat("b", packet.MaxParity)).
		reads(large, strings.Repeat("b", packet.MaxParity))
}

func TestNothingIsKeptBeforeTheFirstXor(t *testing.T) {
	s := newPackets(t).gets("ordered 0 a").reads("a").gets("xor ordered 0 a|b").quiet()
	s.gets("ordered 1 b", "xor ordered 1 b|c").reads("b", "c")
}

func TestMessagesThatCameLastAreKeptInFewBytes(t *testing.T) {
	const kept = recentBytes / (recentHeader + 64)
	for _, more := range []int{kept - 1, kept} {
		s := newKeeping(t).gets("ordered 0 first" + strings.Repeat("x", 59))
		for i := range more {
			s.gets(fmt.Sprintf("unordered %d %s", i, strings.Repeat("y", 64)))
		}
		s.events()
		s.gets("xor ordered 0 first" + strings.Repeat("x", 59) + "|last")
		if more < kept {
			s.reads("last")
		} else {
			s.quiet()
		}
	}
}

func TestNothingIsKeptOnceNoXorCameForLong(t *testing.T) {
	for _, more := range []int{recentLife, recentLife + 1} {
		s := newKeeping(t)
		for i := range more {
			s.gets(fmt.Sprintf("ordered %d %d", i, i)).events()
		}
		require.Equal(t, more > recentLife, s.e.packets.recent == nil)
	}
}

func TestEveryXorKeepsMessagesForLonger(t *testing.T) {
	s := newKeeping(t)
	for i := range recentLife + 1 {
		s.gets(fmt.Sprintf("ordered %d %d", i, i)).events()
		if i == recentLife-1 {
			s.gets("xor ordered/9 0 a|b")
		}
	}
	require.NotNil(t, s.e.packets.recent)
}

func TestMessagesThatNoXorCanCoverPushOutNone(t *testing.T) {
	s := newKeeping(t).gets("ordered 0 a").reads("a")
	for i := range 20 {
		s.gets(fmt.Sprintf("sequenced %d %s", i, strings.Repeat("s", 64)), fmt.Sprintf("unordered %d %s", i, strings.Repeat("l", paritySize+1))).events()
	}
	s.gets("xor ordered 0 a|b").reads("b")
}

func TestXorThatNoMessageFitsEndsTheSession(t *testing.T) {
	for name, f := range map[string]packet.Xor{
		"longer than the parity":     {Count: 2, Lengths: 1 ^ 4, Parity: []byte{1, 2, 3}},
		"more than zeros behind it":  {Count: 2, Lengths: 1 ^ 2, Parity: []byte{1, 2, 3}},
		"one here is longer than it": {Seq: 1, Count: 2, Lengths: 2 ^ 1, Parity: []byte{1}},
	} {
		s := newKeeping(t).gets("ordered 0 a", "ordered 2 cc")
		var b packet.Builder
		b.Reset(nil, packet.MaxPacket)
		b.AppendXor(f)
		drop := s.e.HandleDatagram(s.now, nullSealer{}.Seal(nil, b.Bytes(), s.number))
		require.Equal(t, framing.DropProtocol, drop, name)
		s.ends()
	}
}

// A message of FIRST and LAST cannot be within another.
func TestRebuiltMessageThatFitsNoNeighbourEndsTheSession(t *testing.T) {
	newKeeping(t).gets("ordered 2 c", "ordered 0< a").drops(framing.DropProtocol, "xor ordered 1 b|c").ends()
}

func TestRebuiltMessageCountsAsCreditUsed(t *testing.T) {
	s := newKeeping(t).gets("ordered 0 aa", "xor ordered 0 aa|bbb").reads("aa", "bbb")
	require.EqualValues(t, 5, s.e.packets.credit.taken)
	require.EqualValues(t, 5, s.e.knownStream(0).taken)
	s.gets("ordered 1022 x", "xor ordered 1022 x|y").quiet() // 1023, the last but one of what is allowed now
	s.gets("ordered 1025 z", "xor ordered 1024 w|z", "xor ordered 1025 z|v").rebuilt(3)
	require.False(t, s.e.knownStream(0).window.holds(1026))
}

func TestMessageBeyondTheCreditIsNotRebuilt(t *testing.T) {
	for _, room := range []int{2, 1} {
		s := newKeeping(t).gets("ordered 0 ab", "ordered 2 x").reads("ab")
		s.e.packets.credit.held = sessionWindow - room // as if the others that wait were that large
		s.gets("xor ordered 0 ab|cd").rebuilt(room - 1)
	}
}

// The ack of the Xor says nothing: the sender repairs, and is acked then.
func TestRebuiltMessageIsAckedWhenItComes(t *testing.T) {
	s := newKeeping(t).gets("ordered 0 a").misses(1).gets("ordered 2 c; xor ordered 0 a|b").reads("a", "b", "c")
	require.Equal(t, "ack @0 and @2-4", s.poll()[0])
	s.wait(50 * ms).gets("ordered 1 b").quiet().sends("ack @0 and @1 @3-5")
	require.Zero(t, s.e.Stats().AckLossPerMille, "it does not come because an ack was lost")
	require.EqualValues(t, 1, s.e.Stats().DuplicatesReceived)
}

func TestXorAloneAsksForNoAck(t *testing.T) {
	s := newKeeping(t)
	require.Empty(t, s.run(200*ms))
}

func TestSideThatClosesRebuildsNothing(t *testing.T) {
	s := newKeeping(t).gets("ordered 0 a").reads("a").queues(ReliableOrdered, "x")
	s.poll()
	s.e.Close(s.now)
	s.gets("xor ordered 0 a|b").quiet().rebuilt(0)
}

func TestRebuiltMessageIsTraced(t *testing.T) {
	var traced []TraceKind
	s := newKeeping(t, func(c *Config) { c.Trace = func(ev TraceEvent) { traced = append(traced, ev.Kind) } })
	s.gets("ordered 0 a", "xor ordered 0 a|b")
	require.Equal(t, []TraceKind{TraceReceived, TraceRebuilt}, traced)
	require.Equal(t, "rebuilt", TraceRebuilt.String())
}
