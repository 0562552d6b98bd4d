package reliable

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/framing"
	"github.com/gannet-net/gannet/framing/packet"
)

// fill gives the endpoint fragments of a message that never ends, from one sequence up to another.
func (s *packets) fill(stream string, from, to, size int) *packets {
	s.t.Helper()
	for seq := from; seq < to; seq++ {
		mark := "-"
		if seq == 0 {
			mark = "<"
		}
		s.gets(fmt.Sprintf("%s %d%s %s", stream, seq, mark, strings.Repeat("x", size)))
	}
	return s
}

func TestSequencesAreTakenUpToTheEndOfTheWindow(t *testing.T) {
	s := newPackets(t)
	s.gets("ordered 1023 x").drops(framing.DropWindow, "ordered 1024 x")
	s.gets("ordered 0 a").reads("a").gets("ordered 1024 x").drops(framing.DropWindow, "ordered 1025 x")
	s.gets("unordered 1023 x").reads("x").drops(framing.DropWindow, "unordered 1024 x")
	s.gets("sequenced 1023 x").reads("x").gets("sequenced 2047 x").drops(framing.DropWindow, "sequenced 3072 x")
}

func TestPacketBeyondTheCreditIsDroppedWholeAndNotAcked(t *testing.T) {
	s := newPackets(t)
	s.drops(framing.DropWindow, "unreliable u; ordered 0 a; ordered/1 1024 b").quiet()
	require.Empty(t, s.run(200*ms))
	s.gets("ordered 0 a; unreliable u").reads("a", "u").sends("ack @0 and @2")
}

// A stream can have no more than its 1024 sequences in a window, which is less than its 1.5 MiB.
func TestBytesAreTakenUpToTheLimitOfTheSession(t *testing.T) {
	const size, perMessage = 1100, MaxReliableMessage / 1100
	s := newPackets(t, func(c *Config) { c.Loopback = true })
	s.fill("ordered", 0, perMessage, size)
	s.fill("unordered/3", 0, perMessage, size)
	rest := sessionWindow - 2*perMessage*size
	s.drops(framing.DropWindowBytes, "ordered/1 1 "+strings.Repeat("z", rest+1))
	s.drops(framing.DropWindowBytes, "ordered/1 1 "+strings.Repeat("z", rest/2)+"; ordered/1 2 "+strings.Repeat("z", rest-rest/2+1))
	s.gets("ordered/1 1 " + strings.Repeat("z", rest))
	require.Equal(t, sessionWindow, s.e.packets.credit.held)
	s.drops(framing.DropWindowBytes, "ordered/1 2 z").gets("ordered/1 2")
	s.gets("ordered 0< x; unordered/3 5- x") // what came before weighs nothing
	s.fill("sequenced/9", 0, 3, size)        // and sequenced streams have bytes of their own
	s.wait(ms).drops(framing.DropWindowBytes, fmt.Sprintf("ordered %d> end", perMessage))
}

func TestCreditIsToldOnceItIsWorthAFrame(t *testing.T) {
	s := newPackets(t)
	for i := range Window/4 - 1 {
		s.gets(fmt.Sprintf("unordered %d x", i)).events()
		s.wait(2 * ms).poll()
	}
	s.gets("unordered 255 x").wait(5 * ms)
	s.sends(fmt.Sprintf("ack @0 late 20 and @1-32; credit all %d; credit unordered 1280 %d", sessionWindow+256, streamWindow+256))
	s.wait(50 * ms).gets("ack @0").idle()
	require.Empty(t, s.run(500*ms))
}

// uses lets the peer use up the sequences of a stream, and the application read what comes.
func (s *packets) uses(stream string, from, to int) *packets {
	s.t.Helper()
	for i := from; i < to; i++ {
		s.gets(fmt.Sprintf("%s %d x", stream, i)).events()
	}
	return s
}

func unread(n int) func(*Config) { return func(c *Config) { c.UnreadMessages = n } }

func TestStreamThatThePeerUsesUpGetsAWideWindow(t *testing.T) {
	for _, c := range []struct{ unread, window int }{{1000, 1024}, {1025, 1025}, {3000, 3000}, {4096, 4096}, {1 << 20, 4096}} {
		s := newPackets(t, unread(c.unread)).uses("ordered", 0, 1024)
		require.Contains(t, s.poll()[0], fmt.Sprintf("credit ordered %d ", 1024+c.window))
		s.drops(framing.DropWindow, fmt.Sprintf("ordered %d x", 1024+c.window)).gets(fmt.Sprintf("ordered %d x", 1024+c.window-1))
	}
}

func TestStreamThatIsHandedOverFasterThanItsRoundTripGetsAWideWindow(t *testing.T) {
	s := newPackets(t, unread(5000)).uses("ordered", 0, 256)
	require.Contains(t, s.poll()[0], "credit ordered 1280 ")
	s.wait(time.Duration(s.e.rtt.smoothed) / 2)
	s.uses("ordered", 256, 512)
	require.Contains(t, s.poll()[0], "credit ordered 4608 ")
}

func TestStreamThatIsHandedOverSlowlyKeepsItsWindow(t *testing.T) {
	s := newPackets(t, unread(5000)).uses("ordered", 0, 256)
	require.Contains(t, s.poll()[0], "credit ordered 1280 ")
	s.wait(time.Duration(s.e.rtt.smoothed)/2 + ms).gets("ack @0")
	s.uses("ordered", 256, 512)
	require.Contains(t, s.poll()[0], "credit ordered 1536 ")
}

func TestStreamOfWhichNothingIsReadKeepsItsWindow(t *testing.T) {
	s := newPackets(t, unread(5000)).uses("ordered", 0, 256)
	s.gets("ordered 1023 x") // the last, behind a gap
	require.Contains(t, s.poll()[0], "credit ordered 1280 ")
}

func TestFourStreamsOfASessionHaveAWideWindow(t *testing.T) {
	s := newPackets(t, unread(5000))
	for i := range 4 {
		s.uses(fmt.Sprintf("unordered/%d", i+1), 0, 1024)
		require.Contains(t, s.poll()[0], fmt.Sprintf("credit unordered/%d 5120 ", i+1))
	}
	s.uses("ordered", 0, 1024)
	require.Contains(t, s.poll()[0], "credit ordered 2048 ")
}

func TestSequencedStreamKeepsItsWindow(t *testing.T) {
	s := newPackets(t, unread(5000)).uses("sequenced", 0, 1024)
	require.Contains(t, s.poll()[0], "credit sequenced 2048 ")
}

func TestBytesAreTakenUpToTheLimitOfAStreamWithAWideWindow(t *testing.T) {
	const size = 1100
	s := newPackets(t, unread(5000)).uses("ordered", 0, 1024)
	s.poll()
	last := 1024 + streamWindow/size
	for i := 1024; i < last; i++ {
		s.gets(fmt.Sprintf("ordered %d %s", i+1, strings.Repeat("x", size))) // behind a gap
	}
	s.drops(framing.DropWindowBytes, fmt.Sprintf("ordered %d %s", last+1, strings.Repeat("x", size)))
	s.gets(fmt.Sprintf("unordered/1 0 %s", strings.Repeat("x", size)))
}

func TestMessageOfMoreFragmentsThanThereMayBeEndsTheSession(t *testing.T) {
	for fragments, fits := range map[int]bool{packet.MaxCount: true, packet.MaxCount + 1: false} {
		s := newPackets(t, unread(5000)).uses("ordered", 0, 1024)
		s.poll()
		for i := range fragments {
			mark := "-"
			switch i {
			case 0:
				mark = "<"
			case fragments - 1:
				mark = ">"
			}
			s.give(fmt.Sprintf("ordered %d%s x", 1024+i, mark))
		}
		if fits {
			s.reads(strings.Repeat("x", fragments))
		} else {
			s.ends()
		}
	}
}

func TestSenderHasAtMost4096SequencesInFlight(t *testing.T) {
	s := newPackets(t, func(c *Config) { c.Loopback, c.SendQueueMessages = true, 10000 })
	s.gets(fmt.Sprintf("credit unordered 8000 %d", streamWindow))
	for range 5000 {
		s.queues(ReliableUnordered, "")
	}
	s.poll()
	require.Equal(t, int32(4096), s.e.queue.streams[0].next)
	s.gets("ack @0").poll() // of one that is not the oldest
	require.Equal(t, int32(4096), s.e.queue.streams[0].next)
}

func TestWhatCompletesWhileAStreamIsStalledIsReadInTheOrderOfItsSequences(t *testing.T) {
	s := newPackets(t, unread(1)).gets("unordered 0 a", "unordered 5 f", "unordered 3 d", "unordered 1< b", "unordered 4 e", "unordered 2> b")
	s.reads("a", "bb", "d", "e", "f")
}

func TestLostCreditIsToldAgainWithTheValuesOfTheTime(t *testing.T) {
	s := newPackets(t)
	for i := range Window / 4 {
		s.gets(fmt.Sprintf("unordered %d x", i)).events()
	}
	require.Contains(t, s.poll()[0], "credit unordered 1280 ")
	first := s.at(0)
	s.wait(10 * ms).gets("unordered 256 x").poll()
	told := strings.Join(s.run(time.Second), "\n")
	require.Contains(t, told, "credit unordered 1281 ", "by the timer")
	s.gets("ack @0").wait(10 * ms)
	require.NotContains(t, strings.Join(s.run(2*time.Second), "\n"), "credit")

	for i := range Window / 4 {
		s.gets(fmt.Sprintf("unordered %d x", 257+i)).events()
	}
	require.Contains(t, s.poll()[0], "credit unordered 1537 ")
	s.wait(100*ms).queues(Unreliable, "x").poll()
	s.wait(50 * ms).gets("ack @0")
	require.Contains(t, s.poll()[0], "credit unordered 1537 ", "because a later packet was acked")
	s.gets(fmt.Sprintf("ack #%d", first)) // an old Credit that was acked says nothing about a new one
	require.Contains(t, strings.Join(s.run(time.Second), "\n"), "credit unordered 1537 ")
}

func TestLimitThatAnAckDoesNotNameIsToldAgainByTheTimer(t *testing.T) {
	s := newPackets(t)
	for i := range Window / 4 {
		s.gets(fmt.Sprintf("unordered %d x", i)).events()
	}
	require.Contains(t, s.poll()[0], "credit unordered 1280 ")
	s.wait(2 * ms)
	for i := range Window / 4 {
		s.gets(fmt.Sprintf("ordered/1 %d x", i)).events()
	}
	told := s.poll()[0]
	require.Contains(t, told, "credit ordered/1 1280 ")
	require.NotContains(t, told, "unordered")
	s.wait(50 * ms).gets("ack @0").idle() // the packet before is not so old that it is lost
	again := strings.Join(s.run(time.Second), "\n")
	require.Contains(t, again, "credit unordered 1280 ")
	require.NotContains(t, again, "ordered/1")
}

func TestLimitsNeverGoBack(t *testing.T) {
	s := newPackets(t)
	s.queues(ReliableOrdered, "x").poll()
	s.gets(fmt.Sprintf("credit all %d; credit ordered 2000 %d", sessionWindow+1000, streamWindow+1000))
	s.gets("credit all 5; credit ordered 100 7").gets(fmt.Sprintf("credit ordered 1999 %d", streamWindow))
	stream := &s.e.queue.streams[0]
	require.Equal(t, int32(2000), stream.limitSeq)
	require.Equal(t, uint32(streamWindow+1000), stream.limit)
	require.Equal(t, uint32(sessionWindow+1000), s.e.packets.credit.limit)
	for range 300 { // nor do they run over
		s.gets(fmt.Sprintf("credit all %d; credit ordered %d %d", uint32(1<<31-1), uint16(32767), uint32(1<<31-1)))
	}
	s.queues(ReliableOrdered, "y")
	require.Contains(t, s.poll()[0], "ordered 1 y")
}

func TestSenderStaysInsideTheCredit(t *testing.T) {
	s := newPackets(t, func(c *Config) { c.Loopback = true })
	for range 1030 {
		s.queues(ReliableUnordered, "")
	}
	s.ackAll(20)
	require.Equal(t, int32(Window), s.e.queue.streams[0].next)
	require.Equal(t, 6, s.e.queue.waiting[1])
	s.gets(fmt.Sprintf("credit unordered 1026 %d", streamWindow)).ackAll(5)
	require.Equal(t, int32(1026), s.e.queue.streams[0].next)

	s = newPackets(t, func(c *Config) { c.Loopback = true })
	s.send(strings.Repeat("x", MaxReliableMessage), SendOptions{Mode: ReliableOrdered})
	s.send(strings.Repeat("y", MaxReliableMessage), SendOptions{Mode: ReliableOrdered})
	s.ackAll(100)
	require.Equal(t, int32(Window), s.e.queue.streams[0].next)
	s.queues(ReliableSequenced, "z").ackAll(1)
	require.Zero(t, s.e.queue.streams[1].sent, "sequenced streams count no bytes")
}

func TestSequencesBindAStreamBeforeItsBytesDo(t *testing.T) {
	require.Less(t, Window*packet.MaxPacket, streamWindow)
}

func TestSenderStaysInsideTheBytesOfAStream(t *testing.T) {
	s := newPackets(t, func(c *Config) { c.Loopback, c.SendQueueBytes = true, 4<<20 })
	s.gets(fmt.Sprintf("credit all %d; credit ordered 4000 %d", 4<<20, streamWindow))
	for range streamWindow/1024 + 1 {
		s.send(strings.Repeat("x", 1024), SendOptions{Mode: ReliableOrdered})
	}
	stream := &s.e.queue.streams[0]
	s.ackAll(20)
	require.Equal(t, int32(streamWindow/1024), stream.next)
	s.gets(fmt.Sprintf("credit ordered 4000 %d", streamWindow+1023)).ackAll(1)
	require.Equal(t, int32(streamWindow/1024), stream.next)
	s.gets(fmt.Sprintf("credit ordered 4000 %d", streamWindow+1024)).ackAll(1)
	require.Equal(t, int32(streamWindow/1024)+1, stream.next)
}

// PROTOCOL.md 13, last paragraph.
func TestSenderHasTwoMegabytesOfSequencedFragmentsInFlightAtMost(t *testing.T) {
	for _, over := range []int{0, 1} {
		s := newPackets(t, func(c *Config) { c.Loopback, c.SendQueueBytes = true, 4<<20 })
		for channel, size := range []int{MaxReliableMessage, MaxReliableMessage - 2000, 2000 + over} {
			s.send(strings.Repeat("x", size), SendOptions{Mode: ReliableSequenced, Channel: uint8(channel), Receipt: uint64(channel + 1)})
		}
		s.poll()
		begun := s.e.queue.streams[2].next
		require.Equal(t, map[int]int32{0: 2, 1: 0}[over], begun)
		require.Equal(t, sessionWindow-over*2000, s.e.packets.credit.sequenced)
		require.ElementsMatch(t, []string{"outcome 1 delivered", "outcome 2 delivered", "outcome 3 delivered"}, s.ackAll(30).events())
		require.Zero(t, s.e.packets.credit.sequenced)
	}
}

func TestReceiverHoldsTwoMegabytesOfSequencedFragmentsAtMost(t *testing.T) {
	const size, each = 1100, MaxReliableMessage / 1100
	s := newPackets(t, func(c *Config) { c.Loopback = true })
	s.fill("sequenced", 0, each, size).fill("sequenced/1", 0, each, size).gets("sequenced/2 1< x")
	rest := sessionWindow - 2*each*size - 1
	s.drops(framing.DropWindowBytes, "sequenced/2 2- "+strings.Repeat("z", rest+1))
	s.gets("sequenced/2 2- "+strings.Repeat("z", rest)).drops(framing.DropWindowBytes, "sequenced/2 3- z")
	s.gets("sequenced/3 0< first", "ordered 1 x")
	require.Equal(t, sessionWindow+len("first"), s.e.packets.credit.heldSequenced)
}

// A game goes on with what else it says while the peer does not read one stream. When that goes on it has its share, and no claim to what it might have had before.
func TestAStreamThatCreditHeldBackHoldsBackNoOtherLater(t *testing.T) {
	s := newPackets(t, func(c *Config) { c.Loopback = true })
	text := strings.Repeat("x", 100)
	say := func(n int, o SendOptions) {
		for range n {
			s.send(text, o)
		}
		s.ackAll(20)
	}
	held, other := SendOptions{Mode: ReliableUnordered}, SendOptions{Mode: ReliableOrdered, Channel: 1}
	say(Window+100, held)
	require.Equal(t, 100, s.e.queue.waiting[1])
	say(500, other)
	s.gets(fmt.Sprintf("credit unordered 3000 %d", streamWindow))
	for range 20 {
		s.send(text, other)
	}
	first := s.poll()[0]
	require.InDelta(t, strings.Count(first, "unordered "), strings.Count(first, "ordered/1 "), 1)
}

// ackAll lets the peer ack everything that is sent, in so many rounds.
func (s *packets) ackAll(rounds int) *packets {
	for range rounds {
		sent := len(s.sent)
		s.poll()
		for n := len(s.sent) - 1; n >= sent; n -= 60 {
			s.gets(fmt.Sprintf("ack #%d", s.sent[n]))
			for m := n - 1; m > max(sent-1, n-60); m-- {
				s.gets(fmt.Sprintf("ack #%d", s.sent[m]))
			}
		}
		s.wait(10 * ms)
	}
	return s
}

// newDuplex is two endpoints that talk to each other.
func newDuplex(t *testing.T, c Config) *world {
	w := newWorld(t, c)
	w.pump()
	return w
}

// carry lets time pass on a perfect link with applications that read, and gives what side 1 read.
func (w *world) carry(d time.Duration, lose func(d []byte) bool) (read []string) {
	for end := w.now + int64(d); w.now < end; w.now += int64(5 * ms) {
		for side, e := range w.ends {
			for _, datagram := range w.air[side] {
				if lose == nil || !lose(datagram) {
					require.NotEqual(w.t, framing.DropProtocol, w.ends[1-side].HandleDatagram(w.now, datagram))
				}
			}
			w.air[side] = nil
			for ev, ok := e.PollEvent(); ok; ev, ok = e.PollEvent() {
				if ev.Kind == EventMessage {
					if side == 1 {
						read = append(read, string(ev.Payload))
					}
					e.Recycle(ev.Payload)
				}
			}
		}
		w.pump()
	}
	return read
}

func TestLargeMessageAfterFewSmallOnesIsDelivered(t *testing.T) {
	for _, small := range []int{0, 1, 100, 107, 108, 200, 255, 256, 257, 300} {
		w := newDuplex(t, Config{})
		for range small {
			require.NoError(t, w.ends[0].Send(w.now, []byte("s"), SendOptions{Mode: ReliableOrdered}))
			w.pump()
		}
		read := w.carry(200*ms, nil)
		require.Len(t, read, small)
		require.NoError(t, w.ends[0].Send(w.now, make([]byte, MaxReliableMessage), SendOptions{Mode: ReliableOrdered}))
		w.pump()
		read = w.carry(2*time.Second, nil)
		require.Len(t, read, 1, "after %d small ones", small)
		require.Len(t, read[0], MaxReliableMessage)
	}
}

func TestLargeMessagesOnManyChannelsDoNotStopEachOther(t *testing.T) {
	for _, mode := range []Mode{ReliableOrdered, ReliableUnordered, ReliableSequenced} {
		for _, c := range []struct{ count, size int }{{2, MaxReliableMessage}, {3, 690_000}, {5, 400_000}, {20, 100_000}} {
			w := newDuplex(t, Config{})
			chance := 0
			for round := range 3 {
				for i := range c.count {
					o := SendOptions{Mode: mode, Channel: uint8(i)}
					require.NoError(t, w.ends[0].Send(w.now, make([]byte, c.size), o))
				}
				w.pump()
				read := w.carry(4*time.Second, func([]byte) bool { chance++; return chance%20 == 7 })
				require.Len(t, read, c.count, "mode %d, %d messages of %d bytes, round %d", mode, c.count, c.size, round)
			}
		}
	}
}

func TestSupersededMessagesInFragmentsDoNotUseUpTheStream(t *testing.T) {
	w := newDuplex(t, Config{})
	n, last := 0, ""
	lose := func(d []byte) bool { n++; return n%9 == 0 }
	for i := range 200 {
		last = fmt.Sprintf("%03d", i) + strings.Repeat("x", 40_000)
		require.NoError(t, w.ends[0].Send(w.now, []byte(last), SendOptions{Mode: ReliableSequenced}))
		w.pump()
		w.carry(20*ms, lose)
	}
	require.NoError(t, w.ends[0].Send(w.now, []byte("end"), SendOptions{Mode: ReliableSequenced}))
	read := w.carry(time.Second, lose)
	require.NotEmpty(t, read)
	require.Equal(t, "end", read[len(read)-1])
	require.Less(t, w.ends[1].packets.credit.heldSequenced, 1)
}

func TestEveryStreamOfASessionCanBeUsed(t *testing.T) {
	w := newDuplex(t, Config{})
	for round := range 3 {
		for channel := range uint8(Channels) {
			for _, mode := range []Mode{ReliableOrdered, ReliableUnordered, ReliableSequenced} {
				for range Window / 4 * 3 / 2 / 3 {
					require.NoError(t, w.ends[0].Send(w.now, []byte("x"), SendOptions{Mode: mode, Channel: channel}))
				}
			}
			w.pump()
			w.carry(20*ms, nil)
		}
		w.carry(time.Second, nil)
		require.True(t, w.ends[0].queue.empty(), "round %d", round)
	}
	require.Len(t, w.ends[1].packets.streams, 3*Channels)
	drops := w.ends[1].Stats().Drops
	require.Zero(t, drops.Total())
}

func TestLimitsOfAllStreamsAreToldInSeveralPackets(t *testing.T) {
	s := newPackets(t)
	for channel := range uint8(Channels) {
		for _, mode := range []packet.Mode{packet.Ordered, packet.Unordered, packet.Sequenced} {
			r := s.e.receiveStream(packet.StreamOf(channel, mode))
			r.tell, s.e.packets.credit.tell = true, true
		}
	}
	told := s.gets("heartbeat").poll()
	require.Len(t, told, 3)
	require.Equal(t, 3*Channels, strings.Count(strings.Join(told, " "), "credit ordered")+strings.Count(strings.Join(told, " "), "credit unordered")+
		strings.Count(strings.Join(told, " "), "credit sequenced"))
}

// T25: credit that is withheld, asked for or repeated without end costs nothing.
func TestStormOfCreditFramesCostsNothing(t *testing.T) {
	s := newPackets(t)
	var storm []string
	for i := range 120 {
		storm = append(storm, fmt.Sprintf("credit ordered/%d %d 9000000", i%63+1, 1100+i))
	}
	for range 5 {
		s.gets(strings.Join(storm, "; ")).poll()
	}
	before := heapBytes()
	sent := s.e.Stats().DatagramsSent
	plain := s.encode(strings.Join(storm, "; "))
	for range 2000 {
		s.wait(ms / 10)
		d := nullSealer{}.Seal(nil, plain, s.number)
		s.number++
		s.e.HandleDatagram(s.now, d)
		for len(s.e.PollDatagram(s.now, nil)) > 0 {
		}
	}
	require.Less(t, s.e.Stats().DatagramsSent-sent, uint64(120), "acks at 2 ms")
	require.LessOrEqual(t, heapBytes()-before, int64(2000*1300+120*1300), "no more than this test takes for its datagrams")
	require.Equal(t, StateConnected, s.e.State())
}

func TestReaderThatStopsIsToldNothingNewAndLosesNothing(t *testing.T) {
	w := newDuplex(t, Config{UnreadMessages: 10})
	sent := 0
	for range 400 {
		for range 10 {
			if w.ends[0].Send(w.now, []byte(fmt.Sprint(sent)), SendOptions{Mode: ReliableOrdered}) == nil {
				sent++
			}
		}
		w.pump()
		for side := range w.ends {
			for _, d := range w.air[side] {
				w.ends[1-side].HandleDatagram(w.now, d)
			}
			w.air[side] = nil
		}
		w.pump()
		w.now += int64(10 * ms)
	}
	require.LessOrEqual(t, w.ends[1].Stats().UnreadMessages, 10)
	require.LessOrEqual(t, w.ends[1].packets.streams[0].window.count, Window)
	read := w.carry(3*time.Second, nil)
	require.Equal(t, numbers(sent), read)
}

func TestMessageLargerThanAllTheRoomIsReadAlone(t *testing.T) {
	for _, mode := range []Mode{ReliableOrdered, ReliableUnordered, ReliableSequenced, Unreliable, Sequenced} {
		w := newDuplex(t, Config{UnreadBytes: 4096})
		require.NoError(t, w.ends[0].Send(w.now, make([]byte, 50_000), SendOptions{Mode: mode}))
		w.pump()
		require.Len(t, w.carry(time.Second, nil), 1, "mode %d", mode)
	}
}
