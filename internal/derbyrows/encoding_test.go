package derbyrows

import (
	"errors"
	"go/parser"
	"go/token"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/msgs"
	"github.com/gannet-net/gannet/msgs/derby"
	"github.com/gannet-net/gannet/msgs/layout"
	"github.com/gannet-net/gannet/transport"
	"github.com/gannet-net/gannet/wire"
)

var encodingRows = map[string]func(*testing.T){
	"N001": func(t *testing.T) {
		for id, kind := range kinds {
			if m := kind(); id != 12 { // each but Refuse can be sent as its zero value, and Refuse as well
				require.EqualValues(t, id, encoded(m)[0], name(m))
			}
		}
		require.EqualValues(t, 12, encoded(&derby.Refuse{Reason: "x"})[0])
		require.Equal(t, layout.Bytes, derby.Catalogue.Codec)
	},
	"N002": func(t *testing.T) {
		b := encoded(&derby.TurnStart{Batter: 1, TurnIndex: 0x0302, TeamScore: 0x07060504, OutsLeft: 8, Pool: 9})
		require.Equal(t, []byte{31, 1, 2, 3, 4, 5, 6, 7, 8, 9}, b)
		require.Equal(t, []byte{34, 1, 0xfe, 0xff, 0xff, 0xff, 3}, encoded(&derby.RoundEnd{Cleared: true, TeamScore: -2, OutsLeft: 3}))
		require.Equal(t, []byte{43, 0, 0, 0xc0, 0x3f}, encoded(&derby.AtBatSwing{PressTime: 1.5}))
		require.Equal(t, []byte{1, 0, 0, 0, 0, 0, 0, 0xf8, 0x3f}, encoded(&derby.Ping{Sent: 1.5}))
		require.Error(t, new(derby.RoundEnd).Parse([]byte{34, 2, 0, 0, 0, 0, 3}), "a bool is 0 or 1")
	},
	"N003": func(t *testing.T) {
		b := encoded(&derby.AtBatPose{Aim: derby.Vec2{X: 1, Y: 2}, Hands: derby.Vec3{X: 1, Y: 2, Z: 4}})
		require.Equal(t, []byte{0, 0, 0x80, 0x3f, 0, 0, 0, 0x40}, b[5:13])
		require.Equal(t, []byte{0, 0, 0x80, 0x3f, 0, 0, 0, 0x40, 0, 0, 0x80, 0x40}, b[13:25])
	},
	"N004": func(t *testing.T) {
		require.Equal(t, "\x0c\x03\x00\xe2\x82\xac", string(encoded(&derby.Refuse{Reason: "€"})))
		require.Equal(t, "\x0c\xff\x00"+strings.Repeat("x", 255), string(encoded(&derby.Refuse{Reason: strings.Repeat("x", 255)})))
		for _, bad := range []string{"\xff", "\xc0\x80", "\xed\xa0\x80", "\xe2\x82", "\xf5\x80\x80\x80"} {
			b := append([]byte{12, byte(len(bad)), 0}, bad...)
			require.ErrorIs(t, new(derby.Refuse).Parse(b), wire.ErrText, "% x", bad)
		}
	},
	"N005": func(t *testing.T) {
		for _, folder := range []string{"../../msgs/derby", "../../wire"} {
			files, err := os.ReadDir(folder)
			require.NoError(t, err)
			for _, f := range files {
				if !strings.HasSuffix(f.Name(), ".go") || strings.HasSuffix(f.Name(), "_test.go") {
					continue
				}
				tree, err := parser.ParseFile(token.NewFileSet(), folder+"/"+f.Name(), nil, parser.ImportsOnly)
				require.NoError(t, err)
				for _, spec := range tree.Imports {
					require.NotEqual(t, `"reflect"`, spec.Path.Value, f.Name())
				}
			}
		}
		pose := derby.AtBatPose{T: 1}
		b := encoded(&pose)
		require.Zero(t, testing.AllocsPerRun(100, func() {
			b, _ = pose.Append(b[:0])
			_ = pose.Parse(b)
		}))
	},
	"N006": func(t *testing.T) {
		for _, v := range vectors(t) {
			for n := range len(v.bytes) {
				err := kinds[uint16(v.bytes[0])]().Parse(v.bytes[:n])
				require.Error(t, err, "%s cut to %d bytes", v.name, n)
				var field *layout.FieldError
				require.True(t, errors.As(err, &field) || n == 0 || isUnread(err), "%s cut to %d bytes: %v", v.name, n, err)
			}
		}
	},
	"N007": func(t *testing.T) {
		l := newLobby(t)
		ann := l.joined(3)[2]
		ann.bytes([]byte{14, 5, 0, 'x', 'y'}, transport.ReliableOrdered)
		ann.says(&derby.SetBatter{BatterID: "elk"})
		l.turn()
		require.Contains(t, l.log.String(), "Malformed message from player 3 ignored")
		require.EqualValues(t, "elk", l.Roster()[2].BatterID, "the next message was handled")
		require.NoError(t, ann.ended)
	},
	"N008": func(t *testing.T) {
		require.Equal(t, 256, cap(newLobby(t).ToAll().Buffer()))
		// A message of any size is written, whether the buffer had room for it or not, and what was in the buffer before stays.
		for n := range 256 {
			m := &derby.AtBatPitch{Decoys: make([]derby.Vec3, n)}
			b, err := m.Append(make([]byte, 3, 256))
			require.NoError(t, err)
			require.Len(t, b, 3+55+12*n)
		}
	},
	"N009": func(t *testing.T) {
		var got []byte
		r, err := msgs.NewRouter(msgs.Config{
			Side: msgs.Host, Catalogues: []msgs.Mount{{Catalogue: &derby.Catalogue}},
			Handlers: []msgs.Handler{msgs.On(func(in *msgs.In, m *derby.Ping) { got = append(got, in.Raw...) })},
		})
		require.NoError(t, err)
		c := newGuest(t).conn
		r.Route(transport.Event{Kind: transport.Connected, Conn: c})
		want := encoded(&derby.Ping{Sent: 12.25})
		r.Route(transport.Event{Kind: transport.Message, Conn: c, Payload: want, Delivery: transport.ReliableOrdered})
		require.Equal(t, want, got)
	},
}

func isUnread(err error) bool {
	var unread *msgs.UnreadError
	return errors.As(err, &unread)
}
