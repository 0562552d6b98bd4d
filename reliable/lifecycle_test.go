package reliable

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/framing"
)

func TestTransitionsAreThoseOfTheProtocol(t *testing.T) {
	want := map[State][]State{
		StateConnecting: {StateConnected, StateClosed},
		StateConnected:  {StateClosing, StateClosed},
		StateClosing:    {StateClosed},
		StateClosed:     nil,
	}
	for from := range StateClosed + 1 {
		for to := range StateClosed + 1 {
			e := &Endpoint{state: from}
			if contains(want[from], to) {
				e.enter(to)
				require.Equal(t, to, e.state)
				continue
			}
			require.Panics(t, func() { e.enter(to) }, "%v to %v", from, to)
		}
	}
}

func contains(states []State, s State) bool {
	for _, x := range states {
		if x == s {
			return true
		}
	}
	return false
}

func TestClientAsksEveryQuarterSecondUntilItIsAnswered(t *testing.T) {
	s := newClient(t)
	require.Equal(t, []string{"0s connect HRD-LOCAL-1", "250ms connect HRD-LOCAL-1", "500ms connect HRD-LOCAL-1"}, s.run(600*time.Millisecond))
	s.gets("accept 9").sends("heartbeat").reads("connected")
	require.Equal(t, uint16(9), s.e.PeerID())
}

func TestDialWithoutAnswerFailsOnceAndSaysGoodbye(t *testing.T) {
	s := newClient(t)
	s.run(10 * time.Second)
	s.reads("dial failed: timed out ").run(time.Second)
	s.quiet().sleeps()
	require.True(t, s.e.Finished())
}

func TestRefusedDialFailsWithTheReasonMadeSafe(t *testing.T) {
	s := newClient(t).sends("connect HRD-LOCAL-1")
	s.gets("refuse ver\x1b[31msion\n").reads("dial failed: refused ver[31msion").idle().sleeps()
}

func TestRefusalIsCutTo64Bytes(t *testing.T) {
	long := make([]byte, 1100)
	for i := range long {
		long[i] = 'x'
	}
	s := newClient(t).sends("connect HRD-LOCAL-1").gets("refuse " + string(long))
	ev, ok := s.e.PollEvent()
	require.True(t, ok)
	require.Equal(t, string(long[:64]), ev.Reason)
}

func TestClientThatGivesUpTellsTheHost(t *testing.T) {
	s := newClient(t).sends("connect HRD-LOCAL-1")
	s.e.Abort(s.now)
	require.Len(t, s.run(time.Second), 8, "eight goodbyes")
	s.reads("dial failed: closed locally ").sleeps()
}

func TestClientThatNeverAskedSaysNothing(t *testing.T) {
	s := newClient(t)
	s.e.Abort(s.now)
	s.idle().reads("dial failed: closed locally ").sleeps()
}

func TestFramesThatOvertakeTheAcceptAreDroppedAndNotAcked(t *testing.T) {
	s := newClient(t).sends("connect HRD-LOCAL-1")
	s.drops(framing.DropEarly, "unreliable x").drops(framing.DropEarly, "reliable 0 x").drops(framing.DropEarly, "ack 0")
	s.drops(framing.DropEarly, "disconnect").drops(framing.DropEarly, "heartbeat")
	s.idle().quiet()
	s.gets("accept 1").sends("heartbeat").gets("reliable 0 x").sends("ack 0").reads("connected", "x")
}

func TestAcceptWithAReservedIDIsIgnored(t *testing.T) {
	s := newClient(t).sends("connect HRD-LOCAL-1")
	s.drops(framing.DropBadID, "accept 0").drops(framing.DropBadID, "accept 251")
	s.gets("accept 250").reads("connected")
}

func TestSecondAcceptAndLateRefuseChangeNothing(t *testing.T) {
	s := newConnected(t)
	s.drops(framing.DropLateAccept, "accept 2").drops(framing.DropLateRefuse, "refuse full").idle().quiet()
	require.Equal(t, uint16(1), s.e.PeerID())
}

func TestRepeatedConnectGetsTheSameAcceptAndKeepsTheSession(t *testing.T) {
	s := newHost(t).gets("reliable 0 a").sends("ack 0").reads("a")
	s.gets("connect HRD-LOCAL-1").sends("accept 7").quiet()
	s.gets("reliable 1 b").sends("ack 1").reads("b")
}

func TestIdleSidesSendAHeartbeatASecondAndNeverAnswerOne(t *testing.T) {
	s := newHost(t)
	for range 5 {
		s.gets("heartbeat").idle()
		s.wait(900 * ms).gets("heartbeat").idle()
		require.Equal(t, []string{"100ms heartbeat"}, s.run(100*ms))
	}
}

func TestSendingAnythingPutsTheHeartbeatOff(t *testing.T) {
	s := newHost(t).wait(900*time.Millisecond).queues(Unreliable, "x").sends("unreliable x")
	require.Equal(t, []string{"1s heartbeat"}, s.run(time.Second))
}

func TestSilentPeerTimesOutAfterTenSeconds(t *testing.T) {
	s := newHost(t)
	s.run(10*time.Second - 1)
	s.quiet()
	s.run(1)
	s.reads("disconnected: timed out, 0 undelivered").idle().sleeps()
}

func TestAnyValidFrameKeepsTheSessionAlive(t *testing.T) {
	for _, frame := range []string{"heartbeat", "unreliable x", "reliable 0 x", "reliable 5000 x"} {
		s := newHost(t)
		s.run(9 * time.Second)
		s.e.HandleDatagram(s.now, encode(t, frame))
		s.run(9 * time.Second)
		require.Equal(t, StateConnected, s.e.State(), frame)
	}
}

func TestMalformedAndForgedFramesDoNotKeepTheSessionAlive(t *testing.T) {
	for _, d := range [][]byte{{}, {0}, {7, 7}, {6, 9, 9, 9, 9}, {5, 0}} {
		s := newHost(t)
		s.run(9 * time.Second)
		require.NotEqual(t, framing.Accepted, s.e.HandleDatagram(s.now, d))
		s.run(2 * time.Second)
		require.Equal(t, StateClosed, s.e.State(), "% x", d)
	}
}

func TestSideThatDidNotRunGivesThePeerOneMoreSecond(t *testing.T) {
	s := newHost(t)
	s.run(time.Second)
	s.wait(5 * time.Minute).poll()
	require.Equal(t, StateConnected, s.e.State())
	s.gets("heartbeat").run(9 * time.Second)
	require.Equal(t, StateConnected, s.e.State(), "it spoke within that second")

	s.wait(5 * time.Minute).poll()
	s.run(999 * time.Millisecond)
	require.Equal(t, StateConnected, s.e.State())
	s.run(time.Millisecond)
	require.Equal(t, StateClosed, s.e.State(), "it did not")
}

func TestSlowPollingDoesNotForgiveASilentPeerForEver(t *testing.T) {
	s := newHost(t)
	for range 14 {
		s.wait(time.Second).poll()
	}
	require.Equal(t, StateClosed, s.e.State())
}

func TestGracefulCloseDeliversFirstThenSaysGoodbyeEightTimes(t *testing.T) {
	s := newConnected(t).queues(ReliableOrdered, "a").queues(ReliableOrdered, "b")
	s.e.Close(s.now)
	s.sends("reliable 0 a", "reliable 1 b").quiet()
	s.gets("ack 0").idle().gets("ack 1")
	s.sends("disconnect").reads("disconnected: closed locally, 0 undelivered")
	require.Equal(t, []string{"10ms disconnect", "20ms disconnect", "30ms disconnect", "40ms disconnect", "50ms disconnect", "60ms disconnect", "70ms disconnect"}, s.run(time.Second))
	s.sleeps()
	require.True(t, s.e.Finished())
}

func TestGracefulCloseTakesNothingNew(t *testing.T) {
	s := newConnected(t).queues(ReliableOrdered, "a")
	s.e.Close(s.now)
	require.ErrorIs(t, s.e.Send(s.now, nil, SendOptions{}), ErrClosed)
	s.drops(framing.DropClosed, "reliable 0 x").drops(framing.DropClosed, "unreliable x")
}

func TestClosingSideStillAcksWhatItHasDelivered(t *testing.T) {
	s := newConnected(t).queues(ReliableOrdered, "a").sends("reliable 0 a")
	s.gets("reliable 0 x").sends("ack 0").reads("x")
	s.e.Close(s.now)
	s.drops(framing.DropDuplicate, "reliable 0 x").sends("ack 0")
	s.drops(framing.DropClosed, "reliable 1 y").idle()
}

func TestLingerEndsAndCountsWhatWasNotDelivered(t *testing.T) {
	s := newConnected(t).queues(ReliableOrdered, "a").queues(ReliableOrdered, "b")
	s.e.Close(s.now)
	s.gets().poll()
	s.gets("ack 0").run(3 * time.Second)
	s.reads("disconnected: closed locally, 1 undelivered")
}

func TestAbortTellsThePeerAtOnceAndReportsWhatIsLost(t *testing.T) {
	s := newConnected(t).queues(ReliableOrdered, "a")
	s.e.Abort(s.now)
	s.sends("disconnect").reads("disconnected: closed locally, 1 undelivered")
}

func TestPeersGoodbyeComesAfterWhatItSentInOrder(t *testing.T) {
	s := newHost(t).gets("reliable 0 a", "reliable 1 b", "reliable 3 d", "unreliable u", "disconnect")
	s.reads("a", "b", "u", "disconnected: closed by peer, 0 undelivered").idle().sleeps()
	s.drops(framing.DropClosed, "reliable 2 c").quiet()
	require.Zero(t, s.e.pool.Outstanding())
}

func TestRepeatedGoodbyeIsOneEvent(t *testing.T) {
	s := newHost(t).gets("disconnect").reads("disconnected: closed by peer, 0 undelivered")
	s.gets("disconnect", "disconnect").quiet().idle()
}

func TestBothSidesMayLeaveInTheSameInstant(t *testing.T) {
	s := newConnected(t).queues(ReliableOrdered, "a")
	s.e.Close(s.now)
	s.gets("disconnect").reads("disconnected: closed locally, 1 undelivered").idle().sleeps()

	s = newConnected(t)
	s.e.Abort(s.now)
	s.sends("disconnect").gets("disconnect").reads("disconnected: closed locally, 0 undelivered").idle().sleeps()
}

func TestKickIsToldAsSuch(t *testing.T) {
	s := newHost(t)
	s.e.Kick(s.now)
	s.sends("disconnect").reads("disconnected: kicked, 0 undelivered")
}

func TestNothingIsSentOnceTheSocketFailed(t *testing.T) {
	s := newHost(t).queues(ReliableOrdered, "a")
	s.e.Fail(s.now)
	s.idle().reads("disconnected: socket failed, 1 undelivered").sleeps()
}

func TestClosingTwiceIsClosingOnce(t *testing.T) {
	s := newConnected(t)
	s.e.Close(s.now)
	s.e.Close(s.now)
	s.e.Abort(s.now)
	s.sends("disconnect").reads("disconnected: closed locally, 0 undelivered").quiet()
}

func TestUnconfirmedPeerIsDroppedAfterFiveSeconds(t *testing.T) {
	s := newScript(t, Config{Role: framing.Host, PeerID: 1}, nil).sends("accept 1")
	s.run(5*time.Second - 1)
	require.Equal(t, StateConnected, s.e.State())
	s.run(1)
	s.reads("connected", "disconnected: timed out, 0 undelivered").idle()
}

// The client of a session that ends while it still asks would take the Accept, or another Connect of it make a second session, which it takes for the first.
func TestUnconfirmedPeerIsKeptAsLongAsItAsks(t *testing.T) {
	s := newScript(t, Config{Role: framing.Host, PeerID: 1, Timeout: 6 * time.Second}, nil).sends("accept 1")
	for range 3 {
		s.run(4 * time.Second)
		s.gets("connect HRD-LOCAL-1").sends("accept 1")
	}
	s.run(5*time.Second - 1)
	require.Equal(t, StateConnected, s.e.State())
	s.run(1)
	s.reads("connected", "disconnected: timed out, 0 undelivered").idle()
}

func TestUnconfirmedPeerIsDroppedInTimeThoughNothingMayBeSent(t *testing.T) {
	s := newScript(t, Config{Role: framing.Host, PeerID: 1}, nil).sends("accept 1").queues(Unreliable, string(make([]byte, 1000)))
	require.Empty(t, s.run(5*time.Second))
	s.reads("connected", "disconnected: timed out, 0 undelivered").sleeps()
}

func TestUnconfirmedPeerGetsAtMostItsBudget(t *testing.T) {
	s := newScript(t, Config{Role: framing.Host, PeerID: 1}, nil)
	require.Equal(t, framing.Accepted, s.e.HandleDatagram(s.now, encode(t, "connect HRD-LOCAL-1")))
	for range 20 {
		s.queues(ReliableOrdered, "twenty bytes of text")
		s.queues(Unreliable, "twenty bytes of text")
	}
	for range 4999 {
		s.wait(time.Millisecond).poll()
	}
	require.LessOrEqual(t, s.e.Stats().BytesSent, uint64(64))
	require.NotZero(t, s.e.Stats().BytesSent)

	s.gets("heartbeat").poll()
	require.Greater(t, s.e.Stats().BytesSent, uint64(800), "a peer that was heard gets everything")
}

func TestForgedAckDoesNotConfirmAPeer(t *testing.T) {
	s := newScript(t, Config{Role: framing.Host, PeerID: 1}, nil).sends("accept 1")
	s.drops(framing.DropAckUnsent, "ack 0")
	require.False(t, s.e.Confirmed())
}

func TestClockThatRunsBackwardsStandsStill(t *testing.T) {
	s := newConnected(t).queues(ReliableOrdered, "a").sends("reliable 0 a")
	s.wait(-time.Hour).idle().gets("ack 0")
	require.GreaterOrEqual(t, s.e.Stats().RTTMin, time.Duration(0))
	require.GreaterOrEqual(t, s.e.Stats().Deadline, 4*time.Millisecond)
	s.wait(time.Hour).queues(ReliableOrdered, "b").sends("reliable 1 b")
}

func TestUnconfirmedSessionEndsWhenAHostAnswers(t *testing.T) {
	s := newScript(t, Config{Role: framing.Host, PeerID: 1}, nil).sends("accept 1")
	s.drops(framing.DropDirection, "accept 9").idle().reads("connected", "disconnected: closed by peer, 0 undelivered").sleeps()

	s = newScript(t, Config{Role: framing.Host, PeerID: 1}, nil).sends("accept 1")
	require.Equal(t, framing.DropDirection, s.e.HandleDatagram(s.now, []byte{2, 9, 9}))
	require.Equal(t, StateConnected, s.e.State(), "that is no Accept")

	s = newHost(t)
	s.drops(framing.DropDirection, "accept 9").run(time.Second)
	require.Equal(t, StateConnected, s.e.State(), "a client that was heard is one")
}

func TestClientThatIsToldOffAtOnceSaysNothingMore(t *testing.T) {
	s := newClient(t).sends("connect HRD-LOCAL-1").gets("accept 1", "disconnect").idle().sleeps()
	s.reads("connected", "disconnected: closed by peer, 0 undelivered")
}

// What the peer has behind a gap it discards when nothing more comes.
func TestMessagesBehindOneThatIsMissingAreUndelivered(t *testing.T) {
	s := newConnected(t).queues(ReliableOrdered, "a").queues(ReliableOrdered, "b").queues(ReliableOrdered, "c").queues(ReliableOrdered, "d")
	s.poll()
	s.gets("ack 0", "ack 2", "ack 3")
	s.e.Close(s.now)
	s.run(4 * time.Second)
	s.reads("disconnected: closed locally, 3 undelivered")

	p := newPackets(t)
	opening := int64(-1)
	for _, m := range []Mode{ReliableOrdered, ReliableUnordered} {
		for _, text := range []string{"a", strings.Repeat("b", 3000), "c"} {
			p.queues(m, text)
			p.poll()
			if opening < 0 {
				opening = p.at(0)
			}
		}
	}
	first := slices.Index(p.sent, opening)
	for _, n := range p.sent[first+1:] {
		p.gets(fmt.Sprintf("ack #%d", n))
	}
	p.e.Abort(p.now)
	p.reads("disconnected: closed locally, 3 undelivered")
}
