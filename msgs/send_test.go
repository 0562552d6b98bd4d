package msgs_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/msgs"
	"github.com/gannet-net/gannet/transport"
	"github.com/gannet-net/gannet/wire"
)

func TestSendSaysWhatIsWrong(t *testing.T) {
	tb := newTable(t, msgs.Config{})
	ann := tb.joins(1)
	p := tb.Peer(1)
	other := msgs.Catalogue{Name: "other"}
	unknown := msgs.Descriptor{Catalogue: &other, Entry: &msgs.Entry{Name: "Other"}}
	for _, row := range []struct {
		err  error
		is   error
		text string
	}{
		{Move{}.Send(p), msgs.ErrDirection, "message Move not sent: only the other side sends it: declare it from=both if both do"},
		{World{}.Send(p), msgs.ErrState, "message World to player 1 not sent: the session is in none of its states: call Peer.Enter first, " +
			"or wait until the other side asks for it"},
		{Say{Text: strings.Repeat("a", 201)}.Send(p), wire.ErrLimit, "not sent: message Say, field Text: above its limit"},
		{p.SendEncoded(unknown, nil, nil), msgs.ErrNotMounted, "message Other not sent: its catalogue is not among Config.Catalogues"},
		{p.SendEncoded((*Say)(nil).Descriptor(), []byte{1, 2, 3}, nil), msgs.ErrNotThisMessage,
			"message Say not sent: the bytes are too few or too many for it: encode it with Append"},
		{p.SendEncoded((*Say)(nil).Descriptor(), make([]byte, 205), nil), msgs.ErrNotThisMessage,
			"message Say not sent: the bytes are too few or too many for it: encode it with Append"},
		{Say{}.Send(tb.Peer(9)), msgs.ErrNoPeer, "message Say not sent: the peer is nil: it has left, or never joined"},
	} {
		require.ErrorIs(t, row.err, row.is)
		require.EqualError(t, row.err, row.text)
		typed, ok := errors.AsType[*msgs.SendError](row.err)
		require.True(t, ok)
		require.NotEmpty(t, typed.Message)
	}
	require.Empty(t, ann.sent)
	require.Equal(t, uint64(5), tb.Stats().Unsent)
}

func TestErrorsOfTheConnectionNameTheMessageAndThePeer(t *testing.T) {
	tb := newTable(t, msgs.Config{}, everything()...)
	ann := tb.joins(1)
	for _, reason := range []error{transport.ErrQueueFull, &transport.TooLargeError{Size: 9, Limit: 8}, transport.ErrNotOnBase} {
		ann.refuses = reason
		err := Say{}.Send(tb.Peer(1))
		require.ErrorIs(t, err, reason)
		require.EqualError(t, err, "message Say to player 1 not sent: "+reason.Error())
	}
	require.Equal(t, uint64(3), tb.Peer(1).Stats().Unsent)
	require.Zero(t, tb.Stats().Out)
	require.Contains(t, tb.log.String(), "too large", "a full queue before that is nothing to log")
}

// An author may encode once what goes to several targets.
func TestBytesThatTheCallerEncodedStayItsOwn(t *testing.T) {
	tb := newTable(t, msgs.Config{})
	ann, bob := tb.joins(1), tb.joins(2)
	greeting := append(make([]byte, 0, 1024), encoded(&Say{Text: "hello"})...)
	for _, to := range []msgs.Target{tb.All(), tb.Peer(1), tb.Peer(2).Receipt(3), tb.Only(tb.Peer(1))} {
		require.NoError(t, to.SendEncoded((*Say)(nil).Descriptor(), greeting, nil))
		require.NoError(t, Say{Text: "other"}.Send(to))
	}
	require.Equal(t, encoded(&Say{Text: "hello"}), greeting)
	require.Len(t, ann.sent, 6)
	require.Len(t, bob.sent, 4)
}

func TestBytesOfTheCallerStayItsOwnAfterAPanicWhileOneIsEncoded(t *testing.T) {
	encodes := func(p *msgs.Peer) {
		p.Buffer()
		panic("Validate")
	}
	for name, c := range map[string]msgs.Config{
		"handler": {Handlers: []msgs.Handler{msgs.On(func(in *msgs.In, _ *Say) { encodes(in.Peer) })}},
		"Joined":  {Joined: encodes, Handlers: []msgs.Handler{msgs.On(ignoreSay)}},
	} {
		t.Run(name, func(t *testing.T) {
			tb := newTable(t, c)
			tb.sends(tb.joins(1), &Say{})
			greeting := append(make([]byte, 0, 1024), encoded(&Say{Text: "hello"})...)
			require.NoError(t, tb.Peer(1).SendEncoded((*Say)(nil).Descriptor(), greeting, nil))
			require.NoError(t, Say{Text: "other"}.Send(tb.Peer(1)))
			require.Equal(t, encoded(&Say{Text: "hello"}), greeting)
		})
	}
}

func TestAClientThatIsNotConnectedIsToldAndTheLogOnce(t *testing.T) {
	tb := newTable(t, msgs.Config{Side: msgs.Client})
	for _, to := range []msgs.Target{tb.Host(), tb.All(), tb.Host().Receipt(3)} {
		err := Say{}.Send(to)
		require.ErrorIs(t, err, transport.ErrNotConnected)
		require.EqualError(t, err, "message Say to the host not sent: "+transport.ErrNotConnected.Error())
	}
	require.Equal(t, uint64(3), tb.Stats().Unsent)
	require.Equal(t, []string{`level=WARN msg="Message not sent" message=Say ` +
		`error="message Say to the host not sent: not connected yet: wait for the Connected event before sending"`}, tb.lines())
}

func TestAPeerThatHasLeftGivesTheReason(t *testing.T) {
	tb := newTable(t, msgs.Config{}, everything()...)
	ann := tb.joins(1)
	p := tb.Peer(1)
	tb.leaves(ann)
	require.ErrorIs(t, Say{}.Send(p), ann.ended)
	require.Empty(t, tb.lines(), "that happens to a correct program, too")
}

func TestAValueThatCannotBeEncodedIsSentToNobody(t *testing.T) {
	tb := newTable(t, msgs.Config{})
	ann, bob := tb.joins(1), tb.joins(2)
	err := Say{Text: "forbidden"}.Send(tb.All())
	require.EqualError(t, err, "not sent: message Say: Text is \u202eforbidden\n")
	require.Empty(t, ann.sent)
	require.Empty(t, bob.sent)
	lines := tb.lines()
	require.Equal(t, `level=WARN msg="Message not sent" message=Say error="not sent: message Say: Text is `+"\uFFFDforbidden\uFFFD\"", lines[len(lines)-1])
}

func TestAPeerThatCannotTakeAMessageHoldsUpNoOther(t *testing.T) {
	tb := newTable(t, msgs.Config{})
	ann, bob, eve, tom := tb.joins(1), tb.joins(2), tb.joins(3), tb.joins(4)
	ann.refuses, eve.refuses = transport.ErrQueueFull, &transport.TooLargeError{Size: 9, Limit: 8}
	err := Say{Text: "hello"}.Send(tb.All())
	require.EqualError(t, err, "message Say to player 1 not sent: "+transport.ErrQueueFull.Error()+
		"\nmessage Say to player 3 not sent: message of 9 bytes is too large: the limit of its delivery mode is 8")
	require.ErrorIs(t, err, transport.ErrQueueFull)
	require.Len(t, bob.sent, 1)
	require.Len(t, tom.sent, 1)
	require.Equal(t, msgs.Count{Messages: 2, Bytes: 18}, tb.Stats().Out)
	require.Equal(t, uint64(2), tb.Stats().Unsent)
}

func TestATargetOfManyPassesOverWhoIsInAnotherStateOrHasLeft(t *testing.T) {
	tb := newTable(t, msgs.Config{})
	ann, bob, eve := tb.joins(1), tb.joins(2), tb.joins(3)
	require.NoError(t, tb.Peer(1).Enter(playing))
	require.NoError(t, tb.Peer(3).Enter(playing))
	eve.end(transport.TimedOut) // and its Disconnected event is still to come
	require.NoError(t, World{Frame: 1}.Send(tb.All()))
	require.Len(t, ann.sent, 1)
	require.Empty(t, bob.sent)
	for stats := range tb.Messages() {
		if stats.Entry.Name == "World" {
			require.Equal(t, uint64(1), stats.PassedOver)
			require.Zero(t, stats.Unsent)
		}
	}
}

func TestTargetsCanBeKept(t *testing.T) {
	tb := newTable(t, msgs.Config{})
	tb.joins(1)
	tb.joins(2)
	ann, bob := tb.Peer(1), tb.Peer(2)
	all, notAnn, notBoth, some, nobody := tb.All(), tb.Except(ann), tb.Except(ann, bob), tb.Only(bob, nil), tb.Only()
	tb.joins(3)
	who := func(to msgs.Target) (who []uint32) {
		require.NoError(t, Say{}.Send(to))
		for p := range tb.Peers() {
			if len(p.Conn().(*conn).payloads()) > 0 {
				who = append(who, p.ID())
			}
		}
		return who
	}
	for range 2 {
		require.Equal(t, []uint32{1, 2, 3}, who(all))
		require.Equal(t, []uint32{2, 3}, who(notAnn))
		require.Equal(t, []uint32{3}, who(notBoth))
		require.Equal(t, []uint32{2}, who(some))
		require.Empty(t, who(nobody))
		require.Equal(t, []uint32{1, 2, 3}, who(tb.Except()))
		require.Equal(t, []uint32{1, 2, 3}, who(tb.Except(nil)))
	}
	tb.leaves(bob.Conn().(*conn))
	require.Empty(t, who(some))
	require.Equal(t, []uint32{1, 3}, who(all))
}

func TestPeersOfAnotherRouterAreNoTargets(t *testing.T) {
	here, there := newTable(t, msgs.Config{}), newTable(t, msgs.Config{})
	ann, bob := here.joins(1), there.joins(1)
	require.NoError(t, Say{}.Send(here.Only(there.Peer(1))))
	require.NoError(t, Say{}.Send(here.Except(there.Peer(1))))
	require.Len(t, ann.sent, 1)
	require.Empty(t, bob.sent)
}

func TestAtAClientEverybodyIsTheHost(t *testing.T) {
	tb := newTable(t, msgs.Config{Side: msgs.Client})
	first := tb.joins(7)
	require.NoError(t, Say{}.Send(tb.All()))
	require.NoError(t, Say{}.Send(tb.Except()))
	require.NoError(t, Say{}.Send(tb.Except(tb.Host())))
	require.Len(t, first.payloads(), 2)
	tb.leaves(first)
	require.ErrorIs(t, Say{}.Send(tb.All()), first.ended)
	second := tb.joins(7)
	require.NoError(t, Say{}.Send(tb.All()))
	require.Len(t, second.sent, 1)
}

// sayAll is a message whose encoding sends another one.
type sayAll struct {
	Say
	first func()
}

func (m *sayAll) Append(b []byte) ([]byte, error) {
	b = append(b, 1, m.From)
	m.first()
	return wire.AppendString(b, m.Text)
}

func TestAMessageMayBeSentWhileAnotherIsEncoded(t *testing.T) {
	tb := newTable(t, msgs.Config{})
	ann := tb.joins(1)
	require.NoError(t, Say{Text: "to have a buffer"}.Send(tb.All()))
	outer := &sayAll{Say{From: 9, Text: "outer"}, func() { require.NoError(t, Say{Text: "inner"}.Send(tb.All())) }}
	b, err := outer.Append(tb.All().Buffer())
	require.NoError(t, tb.All().SendEncoded(outer.Descriptor(), b, err))
	require.Equal(t, []string{string(encoded(&Say{Text: "inner"})), string(encoded(&Say{From: 9, Text: "outer"}))}, ann.payloads()[1:])
}
