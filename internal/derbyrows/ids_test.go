package derbyrows

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/loopback"
	"github.com/gannet-net/gannet/msgs/derby"
	"github.com/gannet-net/gannet/transport"
)

// pinned are the names of the ids, for ever.
var pinned = map[uint16]string{
	1: "Ping", 2: "Pong",
	10: "Hello", 11: "Welcome", 12: "Refuse", 13: "Roster", 14: "SetBatter", 15: "StartRun", 16: "Leave",
	30: "RoundStart", 31: "TurnStart", 32: "PlayFeed", 33: "TurnEnd", 34: "RoundEnd", 35: "ShopReady", 36: "ReadyState", 37: "IntroDone", 38: "IntroProgress",
	40: "AtBatBegin", 41: "AtBatPose", 42: "AtBatPitch", 43: "AtBatSwing", 44: "AtBatResult",
}

// fingerprints are those of each protocol that there ever was. A payload that changes gets another fingerprint, and so needs another protocol.
var fingerprints = map[string]uint64{
	"DERBY-1": 0x463f2d69287e941f,
}

var idRows = map[string]func(*testing.T){
	"N010": func(t *testing.T) {
		var ids []uint16
		for _, e := range derby.Catalogue.Entries {
			ids = append(ids, e.ID)
		}
		require.Equal(t, []uint16{1, 2, 10, 11, 12, 13, 14, 15, 16, 30, 31, 32, 33, 34, 35, 36, 37, 38, 40, 41, 42, 43, 44}, ids)
	},
	"N011": func(t *testing.T) {
		require.Len(t, derby.Catalogue.Entries, len(pinned))
		for _, e := range derby.Catalogue.Entries {
			require.Equal(t, pinned[e.ID], e.Name)
			require.Equal(t, e.Name, name(kinds[e.ID]()))
		}
	},
	"N012": func(t *testing.T) {
		for _, e := range derby.Catalogue.Entries {
			require.False(t, e.ID >= 17 && e.ID <= 29 || e.ID == 39, "%s has id %d", e.Name, e.ID)
		}
		l := newLobby(t)
		ann := l.joined(1)[0]
		for id := byte(17); id <= 29; id++ {
			ann.bytes([]byte{id}, transport.ReliableOrdered)
		}
		ann.bytes([]byte{39}, transport.ReliableOrdered)
		l.turn()
		require.Equal(t, "unknown=14", l.drops())
	},
	"N013": func(t *testing.T) {
		l := newLobby(t)
		ann := l.joined(1)[0]
		for _, id := range []byte{0, 3, 9, 17, 29} {
			for range 10 {
				ann.bytes([]byte{id, 1, 2, 3}, transport.ReliableOrdered)
			}
		}
		l.turn()
		require.Equal(t, "unknown=50", l.drops())
		require.Zero(t, l.Router().Stats().Abuse, "it may be a newer client")
		require.NotContains(t, l.log.String(), "Malformed")
		require.NoError(t, ann.ended)
		require.Len(t, l.Roster(), 1)

		g := inRun(t)
		for _, id := range []byte{0, 3, 17, 29, 39, 255} {
			g.host.bytes([]byte{id}, transport.ReliableOrdered)
		}
		g.hears(&derby.RoundStart{})
		require.Equal(t, "unknown=6", g.drops())
		require.Equal(t, []string{"RoundStart"}, g.shown)
	},
	"N014": func(t *testing.T) {
		g := inRun(t)
		want := []string{}
		for id := uint16(30); id <= 44; id++ {
			e := kinds[id]
			if e == nil || id == 33 || id == 35 || id == 37 { // those are for the host
				continue
			}
			g.hears(e())
			want = append(want, pinned[id])
		}
		want = slices.DeleteFunc(want, func(s string) bool { return s == "" })
		require.Equal(t, want, g.shown)
	},
	"N015": func(t *testing.T) {
		var many derby.Roster
		for range 255 {
			many.Players = append(many.Players, derby.PlayerInfo{ID: 255})
		}
		order, ids, decoys := make([]derby.PlayerID, 255), make([]derby.PlayerID, 255), make([]derby.Vec3, 255)
		require.EqualValues(t, 255, encoded(&many)[1])
		require.EqualValues(t, 255, encoded(&derby.StartRun{Order: order})[5])
		require.EqualValues(t, 255, encoded(&derby.ReadyState{Ready: ids})[1])
		require.EqualValues(t, 255, encoded(&derby.AtBatPitch{Decoys: decoys})[54])

		many.Players = append(many.Players, derby.PlayerInfo{})
		for _, m := range []interface{ Append([]byte) ([]byte, error) }{
			&many, &derby.StartRun{Order: append(order, 0)}, &derby.ReadyState{Ready: append(ids, 0)}, &derby.IntroProgress{Waiting: append(ids, 0)},
			&derby.AtBatPitch{Decoys: append(decoys, derby.Vec3{})},
		} {
			b, err := m.Append(nil)
			require.ErrorContains(t, err, "above its limit")
			require.Empty(t, b, "a count never wraps")
		}
		require.Error(t, new(derby.ReadyState).Parse([]byte{36, 200, 1, 2, 3}))
		require.Error(t, new(derby.ReadyState).Parse([]byte{36, 0, 1, 2, 3}))

		l := newLobby(t) // whose connections have larger numbers than a byte
		for want := range derby.PlayerID(3) {
			client, host, err := loopback.Pipe(loopback.Config{Driving: transport.GameLoop, ID: 255 + uint32(want)})
			require.NoError(t, err)
			r := &raw{T: t, conn: client, other: host}
			l.peers = append(l.peers, r)
			r.says(&hello)
			l.turn()
			require.Equal(t, []derby.PlayerID{255, 1, 2}[want], last[derby.Welcome](r).Player)
		}
	},
	"N016": func(t *testing.T) {
		require.Equal(t, fingerprints[derby.Catalogue.Protocol], derby.Catalogue.Fingerprint, "a payload has changed: change the protocol string in derby.go, and add a line above")
		require.Len(t, slices.Compact(slices.Sorted(valuesOf(fingerprints))), len(fingerprints))
	},
	"N017": func(t *testing.T) {
		for _, planned := range []string{"ClockPing", "ClockPong", "RoundStarted", "PitchThrown", "Snapshot", "Kick"} {
			require.NotContains(t, derby.Catalogue.Description, " "+planned+" ")
		}
		require.Equal(t, len(pinned), strings.Count(derby.Catalogue.Description, "\nmessage "))
	},
	"N018": func(t *testing.T) {
		for _, e := range derby.Catalogue.Entries {
			require.NotContains(t, e.Name, "Clock")
			require.NotContains(t, e.Name, "Time")
		}
		g := inRun(t) // whose clock shows fractions of a second, and the batter's 5000 seconds
		g.hears(&derby.TurnStart{}, &derby.AtBatBegin{}, &derby.AtBatPose{T: 5000})
		require.Equal(t, []string{"TurnStart", "AtBatBegin", "AtBatPose"}, g.shown)
		require.InDelta(t, float64(g.now)/1e9, g.times[2], 0.02, "the offset is that of the first message")
		require.Empty(t, g.host.names(), "nothing was asked for it")
	},
}

func valuesOf(m map[string]uint64) func(func(uint64) bool) {
	return func(yield func(uint64) bool) {
		for _, v := range m {
			if !yield(v) {
				return
			}
		}
	}
}
