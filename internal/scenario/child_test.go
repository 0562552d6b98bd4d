package scenario

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/udp"
)

// childVariable names the program that a child process is to run.
const childVariable = "GANNET_SCENARIO_CHILD"

// children are the programs. Their first argument is an address.
var children = map[string]func(){
	"client that closes and exits": closeAndExit,
	"host that echoes":             echoUntilKilled,
}

func startChild(t *testing.T, program string, args ...string) (child *exec.Cmd, output *bufio.Scanner) {
	t.Helper()
	child = exec.CommandContext(testContext(t), os.Args[0], args...)
	child.Env = append(os.Environ(), childVariable+"="+program)
	child.Stderr = os.Stderr
	stdout, err := child.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, child.Start())
	return child, bufio.NewScanner(stdout)
}

func closeAndExit() {
	c, err := udp.Dial(context.Background(), os.Args[1], udp.Config{Protocol: udp.Base})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	c.Close()
	os.Exit(0)
}

// quickTimeout is short for a test that stops a process for longer.
const quickTimeout = 300 * time.Millisecond

// echoUntilKilled prints its address and sends every message back.
func echoUntilKilled() {
	h, err := udp.Listen(os.Args[1], udp.Config{Protocol: udp.Base, Timeout: quickTimeout, Heartbeat: quickTimeout / 3})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println(h.Addr())
	for {
		c, err := h.Accept(context.Background())
		if err != nil {
			os.Exit(1)
		}
		go func() {
			for {
				ev, err := c.Receive(context.Background(), nil)
				if err != nil {
					return
				}
				_ = c.Send(ev.Payload, ordered)
			}
		}()
	}
}
