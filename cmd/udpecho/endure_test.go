package main

import (
	"os"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// endure runs the command, whose host is this test binary again.
func endure(t *testing.T, args ...string) result {
	t.Helper()
	t.Setenv(asCommand, "1")
	return udpecho(t, append([]string{"endure", "-for", "2s", "-every", "500ms", "-delay", "2ms"}, args...)...)
}

func TestEndureLeavesNothingBehindAndKeepsEveryPromise(t *testing.T) {
	r := endure(t, "-clients", "16", "-json")
	require.Zero(t, r.code, r.out+r.err)
	o := r.object(t)
	require.Equal(t, true, o["pass"])
	require.Empty(t, o["problems"])
	reliable := o["reliable"].(map[string]any)
	require.Positive(t, reliable["sent"])
	require.Equal(t, reliable["sent"], reliable["delivered"])
	require.Zero(t, reliable["duplicates"])
	require.Positive(t, o["network"].(map[string]any)["lost"], "there was something to repair")
	for _, process := range []string{"host", "client_process"} {
		p := o[process].(map[string]any)
		idle, start, end, after := p["idle"].(map[string]any), p["start"].(map[string]any), p["end"].(map[string]any), p["after"].(map[string]any)
		require.Positive(t, p["middle"].(map[string]any)["heap_kib"], process)
		require.LessOrEqual(t, p["heap_growth_kib"], p["heap_growth_allowed_kib"], process)
		for _, what := range []string{"goroutines", "descriptors"} {
			require.LessOrEqual(t, end[what], start[what], "%s of %s", what, process)
			require.LessOrEqual(t, after[what], idle[what], "%s of %s", what, process)
		}
	}
	require.Len(t, o["points"], 4)
	require.Equal(t, o["points"].([]any)[1].(map[string]any)["seconds"], o["middle_seconds"])
	var waited float64
	for _, p := range o["points"].([]any)[2:] {
		waited = max(waited, p.(map[string]any)["waited"].(float64))
	}
	require.Positive(t, waited)
	require.Equal(t, waited, o["second_half_waited"])
}

func TestEndureReportsForPeople(t *testing.T) {
	r := endure(t, "-clients", "2")
	require.Zero(t, r.code, r.out+r.err)
	require.Contains(t, r.out, "2 clients, 60 unreliable and 5 reliable messages a second each way and client, 5 % loss each way")
	require.Contains(t, r.out, "ALL PROMISES HELD, and nothing was left over")
	require.Regexp(t, `clients +middle of play +[\d.]+ +\d+`, r.out)
	require.Regexp(t, `heap +second half: host \S+ KiB, clients \S+ KiB; \d+ and \d+ are allowed, since up to \d+ messages of a client waited\n`, r.out)
	require.Regexp(t, `memory +second half: host \S+ MiB/h, clients \S+ MiB/h; the gate is 1: (within|ABOVE)\n`, r.out)
}

func TestEndureSeesWhatGrows(t *testing.T) {
	e := endurance{endureOptions: &endureOptions{rate: 60}}
	require.NoError(t, e.grown())
	e.end.host.Descriptors, e.after.clients.Goroutines, e.end.clients.HeapKiB = 2, 1, growthKiB+1
	for _, says := range []string{"at the end of play: 2 more descriptors of the host", "after all have left: 1 more goroutines of the clients",
		"the heap of the process of the clients grew by 1025 KiB in the second half of play, which allows 1024"} {
		require.ErrorContains(t, e.grown(), says)
	}
}

// enduredHalves is a run of 64 clients with a point for each half of play, whose heaps of 8 MiB grew in the second one.
func enduredHalves(first, second endurePoint, hostKiB, clientsKiB float64) *endurance {
	e := &endurance{endureOptions: &endureOptions{rate: 60}, clients: make([]*enduringClient, 64), points: []endurePoint{first, second}, half: 1}
	e.middle.host.HeapKiB, e.middle.clients.HeapKiB = 8192, 8192
	e.end.host.HeapKiB, e.end.clients.HeapKiB = 8192+hostKiB, 8192+clientsKiB
	return e
}

// What of a client waits without a stall, and in one of 0.9 s: what it sends in that time.
var calm, stall = endurePoint{Waited: 5}, endurePoint{Waited: 59}

func TestEndureSeesALeakOfAHundredBytesAMessage(t *testing.T) {
	const leaked = 64 * (60 + reliableRate) * 90 * 100 / 1024 // in the second half of three minutes
	require.ErrorContains(t, enduredHalves(calm, calm, leaked, 0).grown(), "the heap of the process of the host")
	require.ErrorContains(t, enduredHalves(calm, calm, 0, leaked).grown(), "the heap of the process of the clients")
}

func TestEndureAllowsTheRoomThatAStallOfTheSecondHalfNeeds(t *testing.T) {
	const left = 7 << 10 // KiB, by such a stall, as measured
	require.NoError(t, enduredHalves(calm, stall, 0, left).grown())
	require.ErrorContains(t, enduredHalves(calm, calm, 0, left).grown(), "heap")
	require.ErrorContains(t, enduredHalves(stall, calm, 0, left).grown(), "heap", "the room that the first half needed is there in the middle")
	require.NoError(t, enduredHalves(calm, endurePoint{Waited: 220}, 1<<10, 13<<10).grown(), "3.4 s, as measured")
}

func TestEndureComparesTheHeapWithTheMiddle(t *testing.T) {
	e := enduredHalves(calm, calm, 0, 0)
	e.start.clients.HeapKiB = 1
	require.NoError(t, e.grown())
	e.start.clients.HeapKiB = 1 << 20
	e.end.clients.HeapKiB += 1 << 14
	require.ErrorContains(t, e.grown(), "grew by 16384 KiB")
}

func TestEndureBoundsTheRoomOfInboxes(t *testing.T) {
	host, clients := enduredHalves(calm, endurePoint{Waited: 1000}, 0, 0).allowedKiB()
	require.EqualValues(t, growthKiB+hostInboxKiB+64*1000*2*messageBytes/1024, host)
	require.EqualValues(t, growthKiB+64*clientInboxKiB+64*1000*2*(messageBytes+relayedBytes)/1024, clients)
}

func TestEndureCountsARiseAsADriftAndNoFall(t *testing.T) {
	drift := func(p99, unreliable [4]float64) bool {
		var r endureReport
		for i := range p99 {
			r.Points = append(r.Points, endurePoint{Seconds: float64(i), P99: p99[i], UnreliableP99: unreliable[i]})
		}
		r.judge()
		return !r.WithinDriftGate
	}
	level, falls, rises := [4]float64{20, 20, 20, 20}, [4]float64{40, 40, 40, 20}, [4]float64{20, 20, 20, 40}
	require.False(t, drift(falls, falls))
	require.False(t, drift(level, falls))
	require.True(t, drift(rises, falls))
	require.True(t, drift(falls, rises))
}

func TestVitalsSeeOpenFilesAndGoroutines(t *testing.T) {
	const many = 50 // what other tests leave may end meanwhile
	before := ownVitals(true)
	stop := make(chan struct{})
	var all sync.WaitGroup
	defer all.Wait()
	defer close(stop)
	for range many {
		f, err := os.Open(os.Args[0])
		require.NoError(t, err)
		defer f.Close()
		all.Go(func() { <-stop })
	}
	now := ownVitals(false)
	require.InDelta(t, before.Goroutines+many, now.Goroutines, many/2)
	require.Positive(t, now.HeapKiB)
	if before.Descriptors > 0 {
		require.InDelta(t, before.Descriptors+many, now.Descriptors, many/2)
		require.Positive(t, now.ResidentMiB)
	}
}
