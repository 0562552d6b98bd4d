package system_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/msgs/system"
)

func TestAClientJoinsInEitherOrder(t *testing.T) {
	for name, flow := range map[string]system.Flow{"prompt": system.PromptFlow, "patient": system.PatientFlow} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, func(c *system.ServerConfig) { c.Flow = flow })
			a := w.dial(func(c *system.ClientConfig) { c.Flow = flow })
			w.frames(10)
			b := w.dial(func(c *system.ClientConfig) { c.Flow = flow })
			w.frames(10)
			require.Equal(t, []string{"joined 1", "joined 2"}, w.news)
			require.Equal(t, []string{"accepted 1", "configured", "player 2 joined"}, a.news)
			require.Equal(t, []string{"accepted 2", "configured", "player 1 joined"}, b.news)
		})
	}
}
