package derbyrows

import (
	"encoding/hex"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/msgs"
	"github.com/gannet-net/gannet/msgs/derby"
)

// vector is the bytes of one message of testdata/vectors.txt.
type vector struct {
	name  string
	bytes []byte
}

// hexColumn is where the bytes of a field begin.
const hexColumn = 32

func vectors(t *testing.T) (list []vector) {
	text, err := os.ReadFile("testdata/vectors.txt")
	require.NoError(t, err)
	for line := range strings.Lines(string(text)) {
		line = strings.TrimRight(line, "\n")
		switch {
		case line == "" || line[0] == '#':
		case line[0] != ' ':
			list = append(list, vector{name: line})
		default:
			runes := []rune(line)
			b, err := hex.DecodeString(strings.ReplaceAll(string(runes[hexColumn:]), " ", ""))
			require.NoError(t, err, line)
			list[len(list)-1].bytes = append(list[len(list)-1].bytes, b...)
		}
	}
	return list
}

// is holds the bytes of a message against the vector of its name, in both directions.
func is(t *testing.T, name string, m msgs.Message) {
	t.Helper()
	for _, v := range vectors(t) {
		if v.name == name {
			require.Equal(t, hex.Dump(v.bytes), hex.Dump(encoded(m)))
			require.Equal(t, m, decoded(v.bytes))
			return
		}
	}
	require.FailNow(t, "no vector of this name", name)
}

var messageRows = map[string]func(*testing.T){
	"N028": func(t *testing.T) { is(t, "Ping", &derby.Ping{Sent: 12.25}) },
	"N029": func(t *testing.T) { is(t, "Pong", &derby.Pong{Sent: 12.25}) },
	"N030": func(t *testing.T) {
		is(t, "Hello", &derby.Hello{Protocol: "DERBY-1", Version: "1.2", Player: derby.PlayerInfo{Name: "Zoë", BatterID: "ox", Cosmetics: []derby.ItemID{"cap", ""}}})
	},
	"N031": func(t *testing.T) { is(t, "Welcome", &derby.Welcome{Player: 7}) },
	"N032": func(t *testing.T) { is(t, "Refuse", &derby.Refuse{Reason: "full"}) },
	"N033": func(t *testing.T) {
		is(t, "Roster", &derby.Roster{Players: []derby.PlayerInfo{{Name: "Al", Connected: true}, {ID: 255, Name: "Bo", BatterID: "elk", Cosmetics: []derby.ItemID{"hat"}}}})
	},
	"N034": func(t *testing.T) {
		is(t, "SetBatter", &derby.SetBatter{BatterID: "elk", Cosmetics: []derby.ItemID{"hat", "tie"}})
	},
	"N035": func(t *testing.T) {
		is(t, "StartRun", &derby.StartRun{Seed: -2, Order: []derby.PlayerID{3, 1, 2}, ParkID: "bay", Difficulty: 4})
	},
	"N036": func(t *testing.T) { is(t, "Leave", &derby.Leave{}) },
	"N037": func(t *testing.T) { is(t, "RoundStart", &derby.RoundStart{Inning: 2, Pool: 9}) },
	"N038": func(t *testing.T) {
		is(t, "TurnStart", &derby.TurnStart{Batter: 3, TurnIndex: 258, TeamScore: 66051, OutsLeft: 5, Pool: 9})
	},
	"N039": func(t *testing.T) {
		is(t, "PlayFeed", &derby.PlayFeed{Batter: 3, Headline: "Gone!", R: 255, G: 128, B: 1, TeamScore: -1, HomeRun: true, DistanceFt: 412})
	},
	"N040": func(t *testing.T) {
		is(t, "TurnEnd", &derby.TurnEnd{ScoreGained: 16909060, HomeRuns: 6, LongestFt: 95.5})
	},
	"N041": func(t *testing.T) { is(t, "RoundEnd", &derby.RoundEnd{Cleared: true, TeamScore: 258, OutsLeft: 3}) },
	"N042": func(t *testing.T) { is(t, "ShopReady", &derby.ShopReady{}) },
	"N043": func(t *testing.T) { is(t, "ReadyState", &derby.ReadyState{Ready: []derby.PlayerID{4, 2}}) },
	"N044": func(t *testing.T) { is(t, "IntroDone", &derby.IntroDone{}) },
	"N045": func(t *testing.T) {
		is(t, "IntroProgress", &derby.IntroProgress{Done: 1, Total: 3, Waiting: []derby.PlayerID{5, 8}})
	},
	"N046": func(t *testing.T) {
		is(t, "AtBatBegin", &derby.AtBatBegin{Batter: 3, BatUpgradeID: "oak", Outs: 2, RingRadius: 0.75, TeamScore: 258})
	},
	"N047": func(t *testing.T) {
		m := &derby.AtBatPose{T: 1.5, Aim: derby.Vec2{X: 0.5, Y: -0.5}, Hands: derby.Vec3{X: 1, Y: 2, Z: 3}, Direction: derby.Vec3{X: 4, Y: 5, Z: 6}, Twist: -1}
		is(t, "AtBatPose", m)
		require.Len(t, encoded(m), 41)
	},
	"N048": func(t *testing.T) {
		is(t, "AtBatPitch", &derby.AtBatPitch{
			At: 2.5, PitchTypeID: "fast", Release: derby.Vec3{X: 1, Y: 2, Z: 3}, PlateLocation: derby.Vec3{X: 4, Y: 5, Z: 6},
			SpeedMph: 95.5, ReleaseTime: 0.25, FlightTime: 0.5, Wobble: 0.125, IsInZone: true, Effect: 2, BossEffect: 1, ArcAngle: 20,
			Decoys: []derby.Vec3{{X: 7, Y: 8, Z: 9}, {X: 10, Y: 11, Z: 12}},
		})
	},
	"N049": func(t *testing.T) { is(t, "AtBatSwing", &derby.AtBatSwing{PressTime: 3.5}) },
	"N050": func(t *testing.T) {
		missed := derby.AtBatResult{
			At: 3.5, Outcome: 2, TimingOffset: -0.5, TimingQuality: 0.25, ContactQuality: 0.5, Quality: 0.75, LaunchAngleDeg: 1, SprayAngleDeg: -2,
			Zone: 9, HitAim: derby.Vec2{X: 2, Y: 3}, CurveAccel: 4, GravityScale: 1,
		}
		is(t, "AtBatResult without contact", &missed)
		hit := missed
		hit.Outcome, hit.IsGreen, hit.GreenStreak, hit.ExitVelocityMph, hit.LaunchAngleDeg, hit.Zone = 1, true, 255, 100, 32, 5
		hit.MadeContact, hit.ContactTime, hit.BallPosition, hit.BatDirection = true, 4.5, derby.Vec3{X: 5, Y: 6, Z: 7}, derby.Vec3{X: 8, Y: 9, Z: 10}
		hit.Score, hit.IsHomeRun, hit.IsFair, hit.DistanceFt = 513, true, true, 412
		is(t, "AtBatResult", &hit)

		claims := encoded(&missed)
		claims[len(claims)-1] = 1 // contact, and nothing of it
		require.Error(t, new(derby.AtBatResult).Parse(claims))
		denies := encoded(&hit)
		denies[len(encoded(&missed))-1] = 0
		require.True(t, isUnread(new(derby.AtBatResult).Parse(denies)))
		missed.DistanceFt, missed.Score = 412, 3
		require.Len(t, encoded(&missed), 54, "what is not there is not written")
	},
	"N051": func(t *testing.T) {
		for n, want := range map[int]uint8{-5: 0, 0: 0, 1: 1, 254: 254, 255: 255, 256: 255, 1 << 30: 255} {
			b := encoded(&derby.AtBatResult{GreenStreak: derby.ClampStreak(n)})
			require.Equal(t, want, b[23], "a streak of %d", n)
		}
	},
	"N052": func(t *testing.T) {
		b := encoded(&derby.Roster{Players: []derby.PlayerInfo{{ID: 9, Name: "Al", BatterID: "ox", Cosmetics: []derby.ItemID{"c", "dd"}, Connected: true}}})
		require.Equal(t, "\x09\x02\x00Al\x02\x00ox\x02\x01\x00c\x02\x00dd\x01", string(b[2:]))
		full := derby.PlayerInfo{Cosmetics: make([]derby.ItemID, 64)}
		require.NotEmpty(t, encoded(&derby.Roster{Players: []derby.PlayerInfo{full}}))
		full.Cosmetics = append(full.Cosmetics, "")
		_, err := (&derby.Roster{Players: []derby.PlayerInfo{full}}).Append(nil)
		require.ErrorContains(t, err, "Players[0].Cosmetics")
	},
	"N053": func(t *testing.T) {
		g := inRun(t)
		_, known := g.Local(0)
		require.False(t, known)
		g.hears(&derby.TurnStart{}, &derby.AtBatBegin{})
		g.hears(&derby.AtBatPose{T: 100}) // it came at once
		base := float64(g.now-int64(time.Second/60)) * 1e-9
		require.InDelta(t, base, g.times[2], 1e-9)
		g.now += 9e8
		g.hears(&derby.AtBatPitch{At: 100.25}, &derby.AtBatSwing{PressTime: 100.5}, &derby.AtBatResult{At: 100.75})
		require.InDeltaSlice(t, []float64{base + 0.25, base + 0.5, base + 0.75}, g.times[3:6], 1e-9, "however late they came")
		at, known := g.Local(101)
		require.True(t, known)
		require.InDelta(t, base+1, at, 1e-9)

		now := g.now
		g.hears(&derby.AtBatSwing{PressTime: float32(100 + float64(now)*1e-9 - base + 0.25)}) // it came a quarter of a second faster than the first
		at, _ = g.Local(101)
		require.InDelta(t, base+0.75, at, 1e-4, "the fastest message counts")
		g.hears(&derby.TurnStart{Batter: 2}, &derby.AtBatBegin{}, &derby.AtBatPose{T: 7})
		require.InDelta(t, float64(g.now)*1e-9, g.times[len(g.times)-1], 0.02, "the next batter has another clock")

		l := newLobby(t) // the host is a spectator as well
		list := l.joined(2)
		l.plays(list[0])
		for i, clock := range []float32{7000, 5} {
			require.NoError(t, l.StartTurn(derby.TurnStart{Batter: l.id(list[i])}))
			list[i].says(&derby.AtBatBegin{Batter: l.id(list[i])})
			list[i].says(&derby.AtBatPose{T: clock})
			l.turn()
			list[i].says(&derby.AtBatPitch{At: clock})
			l.turn()
			came := float64(l.now-int64(2*time.Second/60)) * 1e-9
			shown := l.lastShownTimes[len(l.lastShownTimes)-1]
			require.InDelta(t, came, shown, 1e-3)
			at, _ := l.Local(clock + 2)
			require.InDelta(t, shown+2, at, 1e-9)
		}
	},
}
