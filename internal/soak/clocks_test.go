package soak

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A program takes a step back for no time at all, so what it measures is too short until its clock shows more than ever.
func TestAClockThatWasSetBackStandsForThePrograms(t *testing.T) {
	p := Draw(1, time.Second)
	w := newWorld(&p, &Census{})
	client := &end{w: w, on: &w.players[0].machine}
	client.peer = &end{w: w, on: &w.host.machine, host: true, peer: client}
	dials := func(at time.Duration) { w.nw.RunUntil(int64(at)); client.dialled = w.nw.Now() }

	dials(time.Millisecond)
	w.host.jump(-3 * time.Second)
	dials(2 * time.Second)
	require.False(t, client.clocksRun())
	w.host.jump(-time.Second) // which it shows 4 s after it was first set
	dials(3500 * time.Millisecond)
	require.False(t, client.peer.clocksRun())
	dials(4500 * time.Millisecond)
	require.True(t, client.peer.clocksRun())

	w.host.jump(time.Hour)
	require.False(t, client.clocksRun())
	dials(4501 * time.Millisecond)
	require.True(t, client.clocksRun(), "no longer than it has to")
}

func TestAClockStandsWhileItsMachineSleeps(t *testing.T) {
	p := scene(time.Minute, fault("sleep", 0, 3*time.Second, time.Second))
	w := newWorld(&p, &Census{})
	w.start()
	w.run(2900 * time.Millisecond)
	require.True(t, w.players[0].end.clocksRun())
	w.run(4100 * time.Millisecond)
	require.False(t, w.players[0].end.clocksRun(), "what came before it slept has its ack afterwards, in no time at all")
}
