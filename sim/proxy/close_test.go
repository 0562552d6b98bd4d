package proxy

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/sim"
)

func TestCloseEndsWhatIsOnItsWay(t *testing.T) {
	r := newRig(t, Config{Up: delayed(time.Hour)})
	r.toHost(newEnd(t), 10, empty)
	require.NoError(t, r.proxy.Close())
	require.EqualValues(t, 10, r.proxy.Counts().Up.InFlight)
	require.Zero(t, r.proxy.Counts().Clients)
}

func TestCloseWithoutRunAndTwice(t *testing.T) {
	p, err := New(Config{Listen: "127.0.0.1:0", To: "127.0.0.1:1"})
	require.NoError(t, err)
	require.NoError(t, p.Close())
	require.NoError(t, p.Close())
	require.NoError(t, p.Run(), "after Close it returns at once")
}

func TestMistakesAreNamed(t *testing.T) {
	const host = "127.0.0.1:1"
	taken := newEnd(t).addr().String()
	for _, row := range []struct {
		problem string
		config  Config
	}{
		{taken, Config{Listen: taken, To: host}},
		{"address of the host", Config{Listen: "127.0.0.1:0", To: "nonsense"}},
		{"address to listen on", Config{Listen: "127.0.0.1:70000", To: host}},
		{"Config.To is empty", Config{}},
		{"towards the host", Config{To: host, Up: delayed(-1)}},
		{"towards the clients", Config{To: host, Down: sim.Conditions{Loss: sim.Always + 1}}},
		{"MaxClients", Config{To: host, MaxClients: -1}},
		{"Idle", Config{To: host, Idle: -1}},
		{"Through", Config{To: host, Up: sim.Conditions{Through: sim.New(1).Bottleneck(1, 1)}}},
	} {
		_, err := New(row.config)
		require.ErrorContains(t, err, row.problem)
	}
}
