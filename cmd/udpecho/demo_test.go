package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/framing"
)

func TestDemoKeepsEveryPromise(t *testing.T) {
	for protocol, args := range map[string][]string{
		"GANNET-1: encrypted, and the clients knew the key of the host": nil, "HRD-LOCAL-1: not encrypted": {"-base"},
	} {
		requireKeepsEveryPromise(t, protocol, args...)
	}
}

func requireKeepsEveryPromise(t *testing.T, protocol string, args ...string) {
	r := udpecho(t, append(args, "-clients", "3", "-time", "500ms", "-rate", "100", "-loss", "15", "-delay", "5ms", "-jitter", "3ms", "-dup", "10", "-reorder", "10")...)
	require.Zero(t, r.code, r.out)
	require.Contains(t, r.out, protocol)
	require.Empty(t, r.err)
	require.Contains(t, r.out, "ALL PROMISES HELD")
	require.Contains(t, r.out, "one host and 3 clients")
	require.Contains(t, r.out, "Each client sent 50 reliable and 50 unreliable messages")
	require.Regexp(t, `reliable to the host +150 +150 +0 +0 +0\n`, r.out)
	require.Regexp(t, `reliable back +150 +150 +0 +0 +0\n`, r.out)
	require.Regexp(t, `Of \d+ datagrams \d+ were lost and \d+ duplicated`, r.out)
	require.Contains(t, r.out, "1 clients left by themselves, the host closed the others")
}

func TestDemoAsJSON(t *testing.T) {
	r := udpecho(t, "demo", "-json", "-clients", "2", "-time", "200ms", "-delay", "1ms", "-jitter", "0s")
	require.Zero(t, r.code, r.out)
	o := r.object(t)
	require.Equal(t, true, o["pass"])
	require.Empty(t, o["problems"])
	require.EqualValues(t, 2, o["clients"])
}

func TestDemoInWhichNobodyGetsThroughTriedNothing(t *testing.T) {
	var out bytes.Buffer
	con := console{&out, io.Discard}
	o, err := parseDemo(con, []string{"-loss", "100", "-clients", "1", "-time", "0s"})
	require.NoError(t, err)
	o.patience = 100 * time.Millisecond
	require.EqualError(t, o.perform(t.Context(), con), "no client could connect")
	require.Contains(t, out.String(), "NOTHING WAS TRIED, because no client could connect:\n  connecting client 1")
	require.Contains(t, out.String(), "0 clients were connected instead of 1")
}

func TestDemoFailsIfEchoesDoNotComeInTime(t *testing.T) {
	var out bytes.Buffer
	con := console{&out, io.Discard}
	o, err := parseDemo(con, []string{"-base", "-loss", "0", "-jitter", "0s", "-delay", "300ms", "-clients", "1", "-time", "0s"})
	require.NoError(t, err)
	o.patience = time.Second
	o.relay.Down.Drop = func(d []byte) bool { return d[0] == byte(framing.KindReliable) }
	require.Error(t, o.perform(t.Context(), con))
	require.Contains(t, out.String(), "client 1, back: 1 of 1 ordered messages never arrived")
}

func TestInterruptedDemoHasNoVerdict(t *testing.T) {
	ctx, interrupt := context.WithCancel(t.Context())
	interrupt()
	r := udpechoUntil(ctx, "-clients", "2")
	require.Equal(t, exitRuntime, r.code)
	require.NotContains(t, r.out, "HELD")
	require.Contains(t, r.err, "interrupted before the verdict")
}

func TestVerdictNamesEveryProblem(t *testing.T) {
	d := &demo{demoOptions: &demoOptions{}}
	r := d.report(errors.New("first\nsecond"))
	require.False(t, r.Pass)
	r.Streams[streamNames[0]] = &streamReport{}
	require.Equal(t, "A PROMISE WAS BROKEN:\n  first\n  second\n", r.verdict())
	require.Equal(t, []string{}, d.report(nil).Problems)
}

func TestDemoMessagesHaveAllSizes(t *testing.T) {
	small, large := 1<<30, 0
	for number := range uint32(50_000) {
		small, large = min(small, sizeOf(number)), max(large, sizeOf(number))
	}
	require.Equal(t, numberSize, small)
	require.Equal(t, 1195, large)
}
