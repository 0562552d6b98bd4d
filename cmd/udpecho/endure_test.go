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
		for _, what := range []string{"goroutines", "descriptors"} {
			require.LessOrEqual(t, end[what], start[what], "%s of %s", what, process)
			require.LessOrEqual(t, after[what], idle[what], "%s of %s", what, process)
		}
	}
	require.Len(t, o["points"], 4)
}

func TestEndureReportsForPeople(t *testing.T) {
	r := endure(t, "-clients", "2")
	require.Zero(t, r.code, r.out+r.err)
	require.Contains(t, r.out, "2 clients, 60 unreliable and 5 reliable messages a second each way and client, 5 % loss each way")
	require.Contains(t, r.out, "ALL PROMISES HELD, and nothing was left over")
	require.Regexp(t, `memory +second half: host \S+ MiB/h, clients \S+ MiB/h; the gate is 1: (within|ABOVE)\n`, r.out)
}

func TestEndureSeesWhatGrows(t *testing.T) {
	e := endurance{endureOptions: &endureOptions{rate: 60}}
	require.NoError(t, e.grown())
	e.end.host.Descriptors, e.after.clients.Goroutines, e.end.clients.HeapKiB = 2, 1, growthKiB+1
	for _, says := range []string{"at the end of play: 2 more descriptors of the host", "after all have left: 1 more goroutines of the clients",
		"the heap of the process of the clients grew by 1025 KiB"} {
		require.ErrorContains(t, e.grown(), says)
	}
	e.clients, e.points = make([]*enduringClient, 64), []endurePoint{{P99: 1000}}
	require.NotContains(t, e.grown().Error(), "heap", "a stall of a second lets queues grow")
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
