package derbyrows

import (
	"errors"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/msgs"
	"github.com/gannet-net/gannet/msgs/derby"
	"github.com/gannet-net/gannet/transport"
)

func TestATimeThatIsNoNumberReachesNobody(t *testing.T) {
	nan := math.Float32bits(float32(math.NaN()))
	for _, m := range []msgs.Message{&derby.AtBatPose{T: 8}, &derby.AtBatPitch{At: 8}, &derby.AtBatSwing{PressTime: 8}, &derby.AtBatResult{At: 8}} {
		b := encoded(m)
		copy(b[1:], []byte{byte(nan), byte(nan >> 8), byte(nan >> 16), byte(nan >> 24)})
		l := newLobby(t)
		list := l.joined(2)
		l.plays(list[0])
		list[0].says(&derby.AtBatBegin{Batter: 1})
		l.turn()
		l.forget()
		list[0].bytes(b, m.Descriptor().Entry.Delivery)
		l.turn()
		require.Empty(t, list[1].names())
		require.Empty(t, l.shown)

		g := inRun(t)
		g.hears(&derby.TurnStart{}, &derby.AtBatBegin{})
		g.host.bytes(b, m.Descriptor().Entry.Delivery)
		g.turn()
		require.Equal(t, []string{"TurnStart", "AtBatBegin"}, g.shown, "and no client takes it from its host")
	}
}

func TestEachDialThatFailsEndsASession(t *testing.T) {
	var ends []error
	c, err := derby.NewClient(derby.ClientConfig{Ended: func(err error) { ends = append(ends, err) }})
	require.NoError(t, err)
	for range 2 {
		c.Router().Route(transport.Event{Kind: transport.DialFailed, Err: errors.New("nobody is there")})
	}
	require.Len(t, ends, 2)
}

func TestAFloodOfOnePlayerReachesTheOthersAtABoundedRate(t *testing.T) {
	for name, c := range map[string]struct {
		message msgs.Message
		most    int // in a second of a flood
	}{
		"choices":        {&derby.SetBatter{BatterID: "elk"}, 20 + 4},
		"feed":           {&derby.PlayFeed{Batter: 1}, 240 + 120},
		"forged feed":    {&derby.PlayFeed{Batter: 2}, 240 + 120},
		"swings at bat":  {&derby.AtBatSwing{}, 240 + 120},
		"poses at bat":   {&derby.AtBatPose{}, 240 + 120},
		"pitches at bat": {&derby.AtBatPitch{}, 240 + 120},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLobby(t)
			list := l.joined(2)
			l.plays(list[0])
			heard := 0
			for range 60 {
				for range 20 {
					list[0].says(c.message)
				}
				l.turn()
				heard += len(list[1].names())
			}
			require.InDelta(t, c.most, heard, 4)
			require.EqualValues(t, 1200-heard, l.Stats().TooOften)
			l.forget()
			list[1].says(&derby.SetBatter{BatterID: "ox"})
			list[1].says(&derby.PlayFeed{Batter: 2})
			l.turn()
			require.Equal(t, []string{"Roster", "PlayFeed"}, list[0].names(), "nobody else pays for it")
		})
	}
}

func TestWhoDoesNotSayHelloInTimeReadsWhyAndGoes(t *testing.T) {
	l := newLobby(t, func(c *derby.HostConfig) { c.HelloWithin = 3 * time.Second })
	ann, silent, short := l.joins(), l.connects(), l.connects()
	l.forget()
	short.bytes([]byte("\x0a\x07\x00DERBY-9"), transport.ReliableOrdered) // a Hello of another form, shorter than any of this one
	l.turn()
	l.Tick(l.now)
	l.Tick(l.now + int64(3*time.Second) - 1)
	l.turn()
	require.NoError(t, silent.ended)
	quick := l.connects()
	l.Tick(l.now + int64(3*time.Second))
	quick.says(&hello)
	l.turn()
	for _, r := range []*raw{silent, short} {
		require.Equal(t, `no hello that the host knows came within 3s: it speaks DERBY-1 (version "1.0")`, last[derby.Refuse](r).Reason)
		require.Equal(t, []string{"Refuse"}, r.names())
		require.Error(t, r.ended)
	}
	l.Tick(l.now + int64(time.Hour))
	l.turn()
	require.NoError(t, ann.ended)
	require.NoError(t, quick.ended, "his time began later, and he said it")
	require.Len(t, l.Roster(), 2)
	require.EqualValues(t, 2, l.Stats().Refused)
}

func TestAClockThatJumpsBackSilencesNobody(t *testing.T) {
	l := newLobby(t)
	l.now = int64(time.Hour)
	list := l.joined(2)
	l.plays(list[0])
	list[1].says(&derby.PlayFeed{Batter: 2})
	l.turn()
	l.now = 0
	list[1].says(&derby.PlayFeed{Batter: 2})
	l.turn()
	require.Equal(t, []string{"PlayFeed", "PlayFeed"}, list[0].names())
}
