package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestTheExamplePlaysFromJoiningToLeaving(t *testing.T) {
	var out strings.Builder
	require.NoError(t, run(&out, 64))

	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	require.Equal(t, "server: player 1 joined", lines[0])
	require.Equal(t, `client: got "hello from player 1"`, lines[1])
	require.Contains(t, lines[2], `client: got "world of frame `)
	require.Equal(t, "server: player 1 left: connection closed by the peer", lines[len(lines)-1])
}
