package derbyrows

import (
	"errors"
	"math"
	"testing"

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
