package udp_test

import (
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/framing"
	"github.com/gannet-net/gannet/udp"
)

func TestWhomThePolicyLeavesOutIsLoggedOnceInTenSeconds(t *testing.T) {
	w := newWorld(t)
	lines := new(lines)
	h := w.host(udp.Config{Logger: slog.New(slog.NewTextHandler(lines, nil))})
	r := w.raw("stranger", h)
	for range 5 {
		r.connect(version)
	}
	require.Equal(t, 5, h.drops(framing.DropPolicy))
	require.Equal(t, 1, lines.count(r.addr().String()))
	require.Equal(t, 1, lines.count("outside the policy loopback"))
	w.run(10 * time.Second)
	r.connect(version)
	require.Equal(t, 1, lines.count("left_out=4"))
}

func TestAPollThatDoesNothingIsLoggedOnce(t *testing.T) {
	lines := new(lines)
	h := listen(t, udp.Config{Logger: slog.New(slog.NewTextHandler(lines, nil))})
	h.Poll()
	h.Poll()
	require.Equal(t, 1, lines.count("set Config.Driving to udp.GameLoop"))
}
