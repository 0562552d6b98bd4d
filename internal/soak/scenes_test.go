package soak

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestWhoIsSparedHasNoFaultMeanwhile(t *testing.T) {
	before := Fault{Kind: kindOf("roam"), At: 9 * time.Second}
	after := Fault{Kind: kindOf("crash"), At: 20 * time.Second, For: time.Second}
	another := Fault{Kind: kindOf("leave"), At: 15 * time.Second, Player: 1}
	stranger := Fault{Kind: kindOf("guest"), At: 15 * time.Second, Player: theHost}
	p := Plan{Faults: []Fault{
		before, after, another, stranger,
		{Kind: kindOf("sleep"), At: 8 * time.Second, For: 3 * time.Second},
		{Kind: kindOf("leave"), At: 15 * time.Second},
		{Kind: kindOf("host restart"), At: 19 * time.Second, Player: theHost},
	}}
	p.spare(0, 10*time.Second, 20*time.Second)
	require.Equal(t, []Fault{before, after, another, stranger}, p.Faults)
}

func TestReadersStopForLongAndTheWayLosesAsTheyReadAgain(t *testing.T) {
	p := Draw(48, 5*time.Minute) // heavy, and with a flood
	scenes := 0
	for i, loss := range p.Faults {
		stopped := slices.ContainsFunc(p.Faults[:i], func(f Fault) bool {
			return f.Kind == kindOf("consumer stopped") && f.At+f.For == loss.At+millis(50) && f.For >= 18*time.Second
		})
		if loss.Kind == kindOf("loss") && stopped {
			scenes++
		}
	}
	require.GreaterOrEqual(t, scenes, 2)
}

func TestPlayersMoveBeforeTheyHearOfTheEpochThatTheHourBegins(t *testing.T) {
	p := Draw(16, 5*time.Minute) // heavy, secure, and without a flood
	scenes := 0
	for i, move := range p.Faults {
		jumped := slices.ContainsFunc(p.Faults[:i], func(f Fault) bool {
			return f.Kind == kindOf("clock forward an hour") && f.Player == theHost && f.At <= move.At && move.At <= f.At+p.links.Delay
		})
		if (move.Kind == kindOf("roam") || move.Kind == kindOf("NAT port rebind")) && jumped {
			scenes++
		}
	}
	require.GreaterOrEqual(t, scenes, 3)
}
