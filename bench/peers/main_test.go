package main

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/bench/peers/drivers"
	"github.com/gannet-net/gannet/bench/peers/workload"
)

func TestMain(m *testing.M) {
	if workload.IsProcess() {
		if workload.Serve(drivers.Find, os.Stdin, os.Stdout) != nil {
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

func TestOneCommandPrintsTablesOrJSON(t *testing.T) {
	var tables, object bytes.Buffer
	require.NoError(t, run([]string{"-short", "-repeats", "2", "-workload", "echo", "-peers", "rawudp"}, &tables, io.Discard))
	require.Contains(t, tables.String(), "## echo")
	require.Contains(t, tables.String(), "rawudp-gso-sealed")

	require.NoError(t, run([]string{"-short", "-repeats", "2", "-workload", "many", "-peers", "gannet", "-json"}, &object, io.Discard))
	var got struct {
		Figures []struct {
			Peer    string
			Repeats int
		}
	}
	require.NoError(t, json.Unmarshal(object.Bytes(), &got))
	require.NotEmpty(t, got.Figures)
	require.Equal(t, 2, got.Figures[0].Repeats)
}

func TestNamesChoose(t *testing.T) {
	name := func(s string) string { return s }
	all := []string{"kcp", "kcp-fec", "quic", "quic-msg", "kcpx"}
	for list, want := range map[string][]string{
		"":             all,
		"kcp":          {"kcp", "kcp-fec"},
		"quic-msg,kcp": {"kcp", "kcp-fec", "quic-msg"},
	} {
		got, err := chosen(all, list, name)
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
	_, err := chosen(all, "kcp,nobody", name)
	require.ErrorContains(t, err, "nobody")
}

func TestEveryOtherRepeatGoesBackwards(t *testing.T) {
	all := drivers.All()
	first, last := all[0].Name, all[len(all)-1].Name
	require.NotEqual(t, first, last)
	require.Equal(t, []string{first, last, first}, []string{inTurn(all, 0)[0].Name, inTurn(all, 1)[0].Name, inTurn(all, 2)[0].Name})
	require.Equal(t, first, all[0].Name, "the list itself stays")
}

func TestMistakesInFlagsAreNamed(t *testing.T) {
	for _, args := range [][]string{{"-repeats", "0"}, {"more"}, {"-workload", "nothing"}, {"-peers", "nobody"}, {"-nonsense"}} {
		require.Error(t, run(args, io.Discard, io.Discard), args)
	}
}
