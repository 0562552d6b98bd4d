package reliable

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/framing"
)

func asHost(c *Config) { c.Role, c.PeerID = framing.Host, 1000 }

// newUnheard returns a client that has not heard its host yet, but for the handshake.
func newUnheard(t *testing.T, change ...func(*Config)) *packets {
	t.Helper()
	s := &packets{script: newScript(t, Config{Role: framing.Client, PeerID: 65535, Sealer: nullSealer{}, HandshakeRTT: 50 * ms}, change)}
	return s.reads("connected")
}

// The first packet of a client confirms the session.

func TestAClientSendsAtOnceAndEvery250MillisecondsUntilItHearsItsHost(t *testing.T) {
	s := newUnheard(t)
	require.Equal(t, uint16(65535), s.e.PeerID())
	require.Equal(t, []string{"0s heartbeat", "250ms heartbeat", "500ms heartbeat"}, s.run(600*ms))
	s.gets("heartbeat")
	require.Equal(t, []string{"837.5ms ack @0 late 255; clock"}, s.run(1500*ms), "from now on only after 15/16 of a second of silence")
}

func TestAMessageConfirmsAsWellAsAHeartbeat(t *testing.T) {
	s := newUnheard(t)
	s.queues(ReliableOrdered, "hello").sends("ordered 0 hello")
	s.run(200 * ms)
	s.queues(Unreliable, "x").poll()
	for _, sent := range s.run(240 * ms) {
		require.NotContains(t, sent, "heartbeat", "a packet left less than 250 ms ago")
	}
	require.Contains(t, strings.Join(s.run(20*ms), "|"), "heartbeat", "as repairs may be what gets lost")
}

func TestADroppedPacketConfirmsNothing(t *testing.T) {
	s := newUnheard(t).sends("heartbeat")
	s.e.HandleDatagram(s.now, []byte{13})
	require.Equal(t, []string{"250ms heartbeat"}, s.run(300*ms))
}

func TestAHostDoesNotConfirm(t *testing.T) {
	s := newUnheard(t, asHost)
	require.Equal(t, []string{"1s heartbeat"}, s.run(1500*ms))
}

func TestPeerIDsOfTheBaseProtocolAreSmall(t *testing.T) {
	require.NoError(t, Config{PeerID: 250}.Check())
	require.ErrorContains(t, Config{PeerID: 251}.Check(), "PeerID is 251")
	require.NoError(t, Config{PeerID: 65535, Sealer: nullSealer{}}.Check())
}

// Challenges and responses.

func TestAChallengeIsAnsweredAtOnce(t *testing.T) {
	s := newPackets(t)
	s.gets("challenge 5").sends("ack @0 and @1; response 5").idle()
	require.Nil(t, s.e.packets.aside, "nothing is kept")
	s.wait(10*ms).gets("unreliable x; challenge 6; challenge 6").queues(Unreliable, "y")
	s.sends("ack @0 and @1-2; response 6; response 6; unreliable y").reads("x")
}

func TestALostResponseIsNotRepaired(t *testing.T) {
	s := newPackets(t)
	s.gets("challenge 5").sends("ack @0 and @1; response 5")
	for _, sent := range s.run(5 * time.Second) {
		require.NotContains(t, sent, "response")
	}
}

func TestAPacketWithAChallengeTooManyHasNoEffect(t *testing.T) {
	s := newPackets(t)
	s.gets("challenge 1; challenge 2; challenge 3", "challenge 4; challenge 5; challenge 6; challenge 7")
	s.drops(framing.DropRate, "challenge 8; unreliable x; challenge 9").quiet()
	s.gets("challenge 8").drops(framing.DropRate, "challenge 9").gets("unreliable y").reads("y")
	s.sends("ack @0 and @2 @4-6; response 1; response 2; response 3; response 4; response 5; response 6; response 7; response 8")
	s.gets("challenge 9")
	require.Contains(t, s.poll()[0], "response 9")
	s.drops(framing.DropRate, strings.Repeat("challenge 1; ", 8)+"challenge 2").idle()
}

func TestAChallengeIsAnsweredWhileClosingAndNotAfter(t *testing.T) {
	s := newPackets(t)
	s.queues(ReliableOrdered, "a").sends("ordered 0 a")
	s.e.Close(s.now)
	s.gets("challenge 5").sends("ack @0 and @1; response 5")
	s.gets("ack @0 and @1").poll()
	require.Equal(t, StateClosed, s.e.State())
	s.drops(framing.DropClosed, "challenge 6")
	for _, sent := range s.run(time.Second) {
		require.NotContains(t, sent, "response")
	}
}

func TestAResponseIsToldOnceAndIsNoEvent(t *testing.T) {
	s := newPackets(t, asHost)
	_, ok := s.e.PollPathResponse()
	require.False(t, ok)
	s.gets("response 5; response 6").quiet()
	random, ok := s.e.PollPathResponse()
	require.True(t, ok)
	require.Equal(t, [8]byte{6}, random, "the last of a packet")
	_, ok = s.e.PollPathResponse()
	require.False(t, ok)
	require.Nil(t, s.e.packets.aside)
	require.Equal(t, []string{"100ms ack @0 late 255 and @1"}, s.run(200*ms))
}

func TestAChallengeIsAlonePacedByNobodyAndSaysNothingOfThePath(t *testing.T) {
	s := newSettled(t, asHost)
	before, deadline := s.e.Stats(), s.e.NextDeadline()
	for range 300 { // across numbers that are left out
		require.Equal(t, "challenge 9", s.decode(s.e.AppendPathChallenge(s.now, nil, [8]byte{9})))
	}
	require.Equal(t, deadline, s.e.NextDeadline(), "nothing follows from it")
	s.wait(400 * ms).gets("ack @0 and @1-5").run(time.Second)
	after := s.e.Stats()
	require.Equal(t, before.RTTSmoothed, after.RTTSmoothed)
	require.Equal(t, before.PacketsLost, after.PacketsLost)
	require.Equal(t, before.MissedPerMille, after.MissedPerMille)
	require.GreaterOrEqual(t, after.DatagramsSent-before.DatagramsSent, uint64(300))
	require.LessOrEqual(t, len(s.e.packets.sent.packets), 512)
}

func TestNoChallengeLeavesWithoutASession(t *testing.T) {
	s := newPackets(t, asHost)
	s.e.Abort(s.now)
	require.Equal(t, []byte("x"), s.e.AppendPathChallenge(s.now, []byte("x"), [8]byte{9}))
	base := newHost(t)
	require.Empty(t, base.e.AppendPathChallenge(base.now, nil, [8]byte{9}))
	_, ok := base.e.PollPathResponse()
	require.False(t, ok)
	base.e.PathChanged(base.now, 0)
}

func TestAChallengeAllocatesNothing(t *testing.T) {
	s := newPackets(t, asHost)
	buf := make([]byte, 0, framing.MaxDatagram)
	s.e.AppendPathChallenge(s.now, buf, [8]byte{})
	require.Zero(t, testing.AllocsPerRun(1000, func() { s.e.AppendPathChallenge(s.now, buf, [8]byte{1}) }))
}

// Tickets.

func (s *packets) gives(text string) *packets {
	s.t.Helper()
	require.NoError(s.t, s.e.SendTicket(s.now, [32]byte{7}, []byte(text)))
	return s
}

func (s *packets) requireTicket(text string) {
	s.t.Helper()
	psk, ticket, ok := s.e.PollTicket()
	require.True(s.t, ok)
	require.Equal(s.t, [32]byte{7}, psk)
	require.Equal(s.t, text, string(ticket))
	_, _, ok = s.e.PollTicket()
	require.False(s.t, ok, "once")
}

func TestATicketLeavesAtOnceAndOnceIfItIsAcked(t *testing.T) {
	s := newPackets(t, asHost)
	s.gives("come back").queues(Unreliable, "x").sends("ticket come back; unreliable x")
	s.wait(50 * ms).gets("ack @0")
	require.Nil(t, s.e.packets.aside, "it is forgotten")
	require.NotContains(t, strings.Join(s.run(5*time.Second), "|"), "ticket")
}

func TestATicketLeavesAgainUntilItIsAcked(t *testing.T) {
	s := newPackets(t, asHost)
	s.gives("t")
	var at []string
	for _, sent := range s.run(3 * time.Second) {
		if strings.Contains(sent, "ticket") {
			at = append(at, strings.Fields(sent)[0])
		}
	}
	require.Len(t, at, 7)
	require.Equal(t, []string{"0s", "227ms"}, at[:2], "two deadlines and what an ack may wait")
	s.gets("ack @0 and @1-6")
	require.Nil(t, s.e.packets.aside)
}

func TestATicketInALostPacketLeavesAtOnce(t *testing.T) {
	s := newPackets(t, asHost)
	s.gives("t").sends("ticket t")
	s.wait(10*ms).queues(ReliableOrdered, "a").sends("ordered 0 a")
	s.wait(60 * ms).gets("ack @0")
	require.Contains(t, strings.Join(s.poll(), "|"), "ticket t")
}

func TestANewerTicketTakesThePlaceOfOneThatWasNotAcked(t *testing.T) {
	s := newPackets(t, asHost)
	s.gives("old").sends("ticket old")
	s.gives("new").wait(50 * ms).gets("ack @0").sends("ticket new")
	s.wait(50 * ms).gets("ack @0")
	require.NotContains(t, strings.Join(s.run(5*time.Second), "|"), "ticket")
}

func TestAClientKeepsTheLastTicketAndItIsNoMessage(t *testing.T) {
	s := newPackets(t)
	_, _, ok := s.e.PollTicket()
	require.False(t, ok)
	s.gets("ticket one; unreliable x", "ticket "+strings.Repeat("2", MaxTicket)).reads("x")
	s.requireTicket(strings.Repeat("2", MaxTicket))
	require.Nil(t, s.e.packets.aside)
	require.Equal(t, []string{"100ms ack @0 late 255 and @1-2"}, s.run(200*ms))
	s.gets("ticket three; disconnect 7 bye").reads("disconnected: closed by peer, 0 undelivered")
	s.requireTicket("three")
}

func TestATicketHasRoomBesideAllElse(t *testing.T) {
	s := newPackets(t, asHost)
	s.queues(Unreliable, strings.Repeat("x", 1100)).gives(strings.Repeat("t", MaxTicket))
	for i := range 200 {
		if i%2 == 0 {
			s.misses(1)
		}
		s.gets("unreliable x")
	}
	s.gets(strings.Repeat("challenge 1; ", 7) + "challenge 2")
	sent := s.poll()
	require.Len(t, sent, 2)
	require.Contains(t, sent[0], "runs")
	require.Contains(t, sent[0], "response 2; ticket ttt")
	require.Contains(t, sent[1], "unreliable xxx")
}

func TestAHostDoesNotTakeATicket(t *testing.T) {
	s := newPackets(t, asHost)
	s.drops(framing.DropProtocol, "unreliable x; ticket t").ends()
}

func TestSendTicketSaysWhatIsWrong(t *testing.T) {
	client, base, host := newPackets(t), newHost(t), newPackets(t, asHost)
	require.ErrorContains(t, client.e.SendTicket(client.now, [32]byte{}, []byte("t")), "only a host")
	require.ErrorContains(t, base.e.SendTicket(base.now, [32]byte{}, []byte("t")), "only a host")
	require.ErrorContains(t, host.e.SendTicket(host.now, [32]byte{}, nil), "has 0 bytes")
	require.ErrorContains(t, host.e.SendTicket(host.now, [32]byte{}, make([]byte, MaxTicket+1)), "has 513 bytes")
	host.gives("t").e.Abort(host.now)
	require.Nil(t, host.e.packets.aside, "it will not leave any more")
	require.ErrorIs(t, host.e.SendTicket(host.now, [32]byte{}, []byte("t")), ErrClosed)
}

// Another path.

func TestEstimatesStartAnewOnAnotherPath(t *testing.T) {
	s := newSettled(t, asHost)
	for range 40 { // half of the packets get lost
		s.queues(ReliableUnordered, "x").poll()
		s.wait(60*ms).queues(ReliableUnordered, "x").poll()
		s.wait(60 * ms).gets("ack @0")
	}
	require.Positive(t, s.e.Stats().MissedPerMille)
	s.e.PathChanged(s.now, 20*ms)
	after := s.e.Stats()
	require.Equal(t, 20*ms, after.RTTSmoothed)
	require.Equal(t, 20*ms, after.RTTMin)
	require.Zero(t, after.MissedPerMille)
	s.e.PathChanged(s.now, 0)
	require.Zero(t, s.e.Stats().RTTMin, "as at the start of a session whose handshake says nothing")
	require.Equal(t, time.Duration(initialRTT+minMargin), s.e.Stats().Deadline)
}

func TestAcksOfTheOldPathSayNothingOfTheNewOne(t *testing.T) {
	s := newSettled(t, asHost)
	s.queues(ReliableUnordered, "old").poll()
	s.e.PathChanged(s.now, 20*ms)
	s.wait(15*ms).queues(ReliableUnordered, "new").poll()
	s.wait(10 * ms).gets("ack @1")
	require.Equal(t, 20*ms, s.e.Stats().RTTSmoothed, "the packet took the old path")
	require.Equal(t, 1, s.e.Stats().InFlight, "but it arrived")
	s.wait(10 * ms).gets("ack @0")
	require.Equal(t, 20*ms, s.e.Stats().RTTSmoothed)
	s.queues(ReliableUnordered, "newer").poll()
	s.wait(28 * ms).gets("ack @0")
	require.Equal(t, 21*ms, s.e.Stats().RTTSmoothed)
}

func TestALateAckOfTheOldPathIsNoDelayOfThePeer(t *testing.T) {
	s := newSettled(t, asHost)
	before := s.e.packets.path.delay
	s.queues(ReliableUnordered, "old").poll()
	s.e.PathChanged(s.now, 20*ms)
	s.wait(500 * ms).gets("ack @0 late 8")
	require.Equal(t, before, s.e.packets.path.delay)
}

func TestWhatTheOldPathLosesIsRepairedAndNotCounted(t *testing.T) {
	s := newSettled(t, asHost)
	s.queues(ReliableUnordered, "a").queues(ReliableUnordered, "b").poll()
	s.wait(10 * ms)
	s.e.PathChanged(s.now, 20*ms)
	s.wait(2*ms).queues(ReliableUnordered, "c").poll()
	s.wait(20 * ms).gets("ack @0")
	sent := strings.Join(s.poll(), "|")
	require.Contains(t, sent, " a;")
	require.Contains(t, sent, " b")
	require.Positive(t, s.e.Stats().PacketsLost)
	require.Zero(t, s.e.Stats().MissedPerMille)
}

func TestWhatIsInFlightIsDueWithinARoundTripOfTheNewPath(t *testing.T) {
	s := newPackets(t, asHost, func(c *Config) { c.HandshakeRTT = 400 * ms })
	s.queues(ReliableOrdered, "a").sends("ordered 0 a")
	s.wait(100 * ms)
	s.e.PathChanged(s.now, 20*ms)
	require.Equal(t, []string{"26ms ordered 0 a"}, s.run(40 * ms)[:1])
}

func TestAnOutageEndsWithThePath(t *testing.T) {
	s := newSettled(t, asHost)
	for range 10 {
		s.queues(ReliableOrdered, "x")
		s.run(50 * ms)
	}
	s.run(4 * time.Second)
	require.True(t, s.e.repair.outage)
	s.gets("heartbeat") // from elsewhere
	s.e.PathChanged(s.now, 20*ms)
	require.False(t, s.e.repair.outage)
	require.Len(t, s.poll(), 1, "all that is overdue leaves at once")
	s.wait(20 * ms).gets("ack @0")
	require.Zero(t, s.e.Stats().InFlight)
	require.Equal(t, uint64(1), s.e.Stats().Outages, "and what the old path swallowed makes no new one")
}
