package msgs_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/msgs"
	"github.com/gannet-net/gannet/transport"
)

const quarter = int64(250 * time.Millisecond)

// malformed routes a message that does not decode.
func (tb *table) malformed(c *conn) { tb.sendsBytes(c, &chat.Entries[0], encodedForbidden()) }

// warnings are the lines of the log that are warnings or worse.
func (tb *table) warnings() (list []string) {
	for _, line := range tb.lines() {
		if !strings.HasPrefix(line, "level=DEBUG") {
			list = append(list, line)
		}
	}
	return list
}

func TestTenMalformedMessagesAreToleratedAndTheEleventhIsAbuse(t *testing.T) {
	var told []msgs.Abuse
	tb := newTable(t, msgs.Config{OnAbuse: func(p *msgs.Peer, a msgs.Abuse) {
		require.Equal(t, uint32(1), p.ID())
		told = append(told, a)
	}}, everything()...)
	ann := tb.joins(1)
	for range 10 {
		tb.malformed(ann)
	}
	require.Empty(t, told)
	tb.malformed(ann)
	require.Len(t, told, 1)
	require.Equal(t, msgs.DropMalformed, told[0].Reason)
	require.Equal(t, "Say", told[0].Message)
	require.ErrorContains(t, told[0].Err, "message Say: Text is")
	require.False(t, told[0].Proven)
	require.Nil(t, ann.ended, "OnAbuse takes the place of the kick")

	for range 10 {
		tb.malformed(ann)
	}
	require.Len(t, told, 1, "told anew only after as many more")
	tb.malformed(ann)
	require.Len(t, told, 2)
	require.Equal(t, uint64(2), tb.Stats().Abuse)
	require.Equal(t, uint64(2), tb.Peer(1).Stats().Abuse)
}

func TestOneMalformedMessageInEachQuarterSecondIsNeverAbuse(t *testing.T) {
	tb := newTable(t, msgs.Config{}, everything()...)
	ann := tb.joins(1)
	tb.at = 1 << 40
	for range 10 {
		tb.malformed(ann)
	}
	for range 1000 {
		tb.at += quarter
		tb.malformed(ann)
	}
	require.Zero(t, tb.Stats().Abuse)
	tb.at += quarter - 1
	tb.malformed(ann)
	require.Equal(t, uint64(1), tb.Stats().Abuse)
}

func TestTheLimitOfMalformedMessagesCanBeSet(t *testing.T) {
	tb := newTable(t, msgs.Config{Malformed: msgs.Limit{Count: 2, Within: time.Second}}, everything()...)
	ann := tb.joins(1)
	tb.malformed(ann)
	tb.malformed(ann)
	require.Zero(t, tb.Stats().Abuse)
	tb.malformed(ann)
	require.Equal(t, uint64(1), tb.Stats().Abuse)
}

func TestAClockThatJumpsBackIsNoAbuse(t *testing.T) {
	tb := newTable(t, msgs.Config{}, everything()...)
	ann := tb.joins(1)
	for _, tb.at = range []int64{0, 1 << 50, -1 << 50, 1 << 60, 5} {
		for range 10 {
			tb.malformed(ann)
		}
	}
	require.Zero(t, tb.Stats().Abuse)
}

func TestAPeerThatProvesItsMessagesIsKickedForAbuse(t *testing.T) {
	for name, ann := range map[string]*conn{"local": {id: 1, local: true}, "authenticated": {id: 1, proves: true}} {
		t.Run(name, func(t *testing.T) {
			tb := newTable(t, msgs.Config{}, everything()...)
			tb.connects(ann)
			bob := tb.joins(2)
			for range 11 {
				tb.malformed(ann)
			}
			require.Equal(t, &transport.DisconnectError{Cause: transport.Kicked, Code: msgs.CodeMalformed, Text: "too many malformed messages"}, ann.ended)
			require.Nil(t, bob.ended, "that peer only")
			lines := tb.warnings()
			require.Len(t, lines, 2)
			require.Contains(t, lines[1], `level=WARN msg="Too many malformed messages from player 1: kicked" reason=malformed message=Say`)
		})
	}
}

// A player may make malformed messages for others, and its host relays them as they are.
func TestAClientDoesNotLeaveItsHostForWhatItRelays(t *testing.T) {
	for name, host := range map[string]*conn{"local": {local: true}, "authenticated": {proves: true}, "base": {}} {
		t.Run(name, func(t *testing.T) {
			tb := newTable(t, msgs.Config{Side: msgs.Client}, msgs.On(ignoreSay))
			tb.connects(host)
			for range 1000 {
				tb.malformed(host)
			}
			require.Nil(t, host.ended)
			require.Equal(t, uint64(1000/11), tb.Stats().Abuse)
			lines := tb.warnings()
			require.Contains(t, lines[len(lines)-1], `msg="Too many malformed messages from the host: not left, because it may relay what another player made"`)
		})
	}
}

// Whoever can forge an address must not be able to throw a player out.
func TestAPeerWhoseMessagesMayBeForgedIsNeverKicked(t *testing.T) {
	tb := newTable(t, msgs.Config{}, everything()...)
	ann := tb.joins(1)
	for range 10_000 {
		tb.malformed(ann)
	}
	require.Nil(t, ann.ended)
	require.Equal(t, uint64(10_000/11), tb.Stats().Abuse)
	lines := tb.warnings()
	require.Len(t, lines, 2, "both are told once, whatever comes")
	require.Contains(t, lines[1], `msg="Too many malformed messages from player 1: not kicked, because a stranger may have sent them"`)
}

func TestOnlyMalformedMessagesAreAbuse(t *testing.T) {
	for _, m := range badMessages {
		var reasons []msgs.Drop
		tb := newTable(t, msgs.Config{OnAbuse: func(_ *msgs.Peer, a msgs.Abuse) {
			require.Error(t, a.Err, "it says what is wrong")
			reasons = append(reasons, a.Reason)
		}}, msgs.On(func(_ *msgs.In, m *Say) { panic("as asked") }))
		ann := tb.joins(1)
		for range 11 {
			tb.Route(m.from(ann))
		}
		if m.want.Malformed() {
			require.Equal(t, []msgs.Drop{m.want}, reasons, m.why)
		} else {
			require.Empty(t, reasons, m.why)
		}
	}
}

func TestMalformedMessagesForTheFrameAreJudgedInIt(t *testing.T) {
	tb := newTable(t, msgs.Config{}, msgs.OnFrame(ignoreSay))
	ann := &conn{id: 1, local: true}
	tb.connects(ann)
	for range 20 {
		tb.malformed(ann)
	}
	require.Nil(t, ann.ended)
	tb.RunFrame()
	require.NotNil(t, ann.ended)
	require.Equal(t, "session=9 malformed=11", tb.drops(), "what it has sent beyond that is not looked at")
}

func TestAMessageThatWaitedForTheFrameIsJudgedByTheTimeOfTheNewest(t *testing.T) {
	tb := newTable(t, msgs.Config{}, msgs.OnFrame(ignoreSay))
	ann := tb.joins(1)
	tb.malformed(ann)
	tb.at += int64(time.Second)
	for range 10 {
		tb.sendsBytes(ann, &chat.Entries[3], []byte{4, 0})
	}
	require.Zero(t, tb.Stats().Abuse)
	tb.RunFrame()
	require.Equal(t, uint64(1), tb.Stats().Abuse)
}

func TestAMalformedMessageIsLoggedOncePerPeerAndReason(t *testing.T) {
	tb := newTable(t, msgs.Config{Malformed: msgs.Limit{Count: 100}}, everything()...)
	for id := uint32(3); id <= 4; id++ {
		c := tb.joins(id)
		for range 5 {
			tb.malformed(c)
			tb.sendsBytes(c, &chat.Entries[3], []byte{4, 0})
		}
		require.Equal(t, []string{
			fmt.Sprintf("level=WARN msg=\"Malformed message from player %d ignored\" reason=malformed message=Say error=\"message Say: Text is \uFFFDforbidden\uFFFD\"", id),
			fmt.Sprintf(`level=WARN msg="Malformed message from player %d ignored" reason=size message=Ready error="has 2 bytes, and can have 1 to 1"`, id),
		}, tb.lines())
	}
	client := newTable(t, msgs.Config{Side: msgs.Client}, msgs.On(ignoreSay), msgs.On(func(*msgs.In, *World) {}), msgs.On(func(*msgs.In, *Map) {}))
	client.malformed(client.joins(9))
	require.Contains(t, client.lines()[0], `msg="Malformed message from the host ignored"`)
}

func TestOtherDropsAreLoggedForWhoLooksClosely(t *testing.T) {
	tb := newTable(t, msgs.Config{}, everything()...)
	ann := tb.joins(1)
	for range 3 {
		tb.sendsBytes(ann, &chat.Entries[0], []byte{99})
		tb.sends(ann, &Shoot{})
	}
	require.Equal(t, []string{
		`level=DEBUG msg="Message from player 1 ignored" reason=unknown message="" error="the catalogue does not have its id; the other side may be newer"`,
		`level=DEBUG msg="Message from player 1 ignored" reason=state message=Shoot error="the session is in none of its states"`,
	}, tb.lines())
}

func TestPeersThatComeAndGoDoNotFloodTheLog(t *testing.T) {
	tb := newTable(t, msgs.Config{}, everything()...)
	for range 1000 {
		c := tb.joins(1)
		tb.malformed(c)
		tb.leaves(c)
		tb.at += int64(time.Millisecond)
	}
	require.Len(t, tb.lines(), 32)
	tb.at += int64(time.Minute)
	tb.malformed(tb.joins(1))
	require.Len(t, tb.lines(), 1)
}

func TestALongErrorIsCutInTheLog(t *testing.T) {
	tb := newTable(t, msgs.Config{}, everything()...)
	require.Error(t, tb.All().SendEncoded((*Say)(nil).Descriptor(), nil, fmt.Errorf("%s", strings.Repeat("long ", 1000))))
	require.Less(t, len(tb.lines()[0]), 500)
}

func TestWhatTheProgramFindsMalformedIsJudgedAlike(t *testing.T) {
	tb := newTable(t, msgs.Config{}, everything()...)
	ann := tb.joins(1)
	ann.proves = true
	d := (*Say)(nil).Descriptor()
	for range 10 {
		tb.Peer(1).Malformed(d, errors.New("the third bit is wrong"))
	}
	require.Equal(t, []string{`level=WARN msg="Malformed message from player 1 ignored" reason=malformed message=Say error="the third bit is wrong"`}, tb.warnings())
	require.Nil(t, ann.ended)
	tb.malformed(ann)
	require.NotNil(t, ann.ended)
	require.Equal(t, "malformed=1", tb.drops())
	require.Equal(t, uint64(10), tb.Stats().Found)
	require.Equal(t, uint64(10), tb.Peer(1).Stats().Found)
	(*msgs.Peer)(nil).Malformed(d, nil)
}
