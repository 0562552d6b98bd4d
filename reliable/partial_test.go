package reliable

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestABeginningTakesAtMostFourTimesWhatCame(t *testing.T) {
	for _, size := range []int{1, 17, 100, 1150, 1170} {
		var pool Pool
		var part partial
		fragment := bytes.Repeat([]byte("x"), size)
		for part.count < 800 {
			part.add(&pool, fragment)
			require.LessOrEqual(t, cap(part.payload), max(4*len(part.payload), 1<<minClass))
		}
		require.Equal(t, bytes.Repeat([]byte("x"), 800*size), part.payload)
		require.Equal(t, 1, pool.Outstanding())
	}
}

func TestAMessageOfFragmentsInOrderTakesAsMuchAsItHas(t *testing.T) {
	for _, n := range []int{3, 5, 20, 800} {
		e := newUsual(t)
		s := &e.packets.streams[0]
		for range n {
			e.takePart(usualNow, s, make([]byte, 1150))
		}
		e.handOver(usualNow, s)
		message := e.unread.reliable.items[1]
		require.Equal(t, 1<<classOf(n*1150), cap(message.payload))
		require.Zero(t, s.part.len())
	}
}

func TestAMessageThatIsNotCompleteIsForgottenWithTheSession(t *testing.T) {
	s := newPackets(t)
	s.gets("ordered 0 hi").reads("hi")
	before := s.e.pool.Outstanding()
	s.gets("ordered 1< ab").gets("ordered 2- cd")
	require.Equal(t, int32(2), s.e.packets.streams[0].part.len())
	require.Equal(t, before+1, s.e.pool.Outstanding())
	s.gets("disconnect 0 bye")
	require.Equal(t, before, s.e.pool.Outstanding())
}

func TestAFragmentThatComesEarlyFindsThoseBeforeIt(t *testing.T) {
	s := newPackets(t)
	s.gets("ordered 0 hi").reads("hi")
	s.gets("ordered 1< ab").gets("ordered 2- cd")
	s.gets("ordered 4> g")
	require.Zero(t, s.e.packets.streams[0].part.len())
	s.gets("ordered 2- cd").gets("ordered 3- ef").reads("abcdefg")
	s.gets("ordered 5< ab").gets("ordered 6> c").reads("abc")
}
