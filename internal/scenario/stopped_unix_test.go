//go:build unix

package scenario

import (
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/udp"
)

// B41: the process of the host is stopped for longer than its own time-out, and goes on.
func TestPeersSurviveAStopOfTheHostsProcess(t *testing.T) {
	child, output := startChild(t, "host that echoes", "127.0.0.1:0")
	defer func() {
		_ = child.Process.Kill()
		_ = child.Wait()
	}()
	require.True(t, output.Scan())
	c, err := udp.Dial(testContext(t), output.Text(), udp.Config{Protocol: udp.Base, Heartbeat: quickTimeout / 6})
	require.NoError(t, err)
	t.Cleanup(func() {
		c.Abort()
		c.Close()
	})
	for _, text := range []string{"before", "after"} {
		require.NoError(t, c.Send([]byte(text), ordered))
		require.Equal(t, text, receiveUDP(t, c))
		if text == "before" {
			require.NoError(t, child.Process.Signal(syscall.SIGSTOP))
			time.Sleep(2*quickTimeout + 200*time.Millisecond)
			require.NoError(t, child.Process.Signal(syscall.SIGCONT))
		}
	}
	time.Sleep(quickTimeout)
	require.NoError(t, c.Err())
}
