package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

// asCommand in the environment makes the test binary behave as udpecho, so that tests can run it as a process of its own.
const asCommand = "RUN_AS_UDPECHO"

func TestMain(m *testing.M) {
	if os.Getenv(asCommand) != "" {
		main()
	}
	goleak.VerifyTestMain(m)
}

// watchdog is how long a test waits for what should come at once.
const watchdog = 20 * time.Second

// result is what a command left behind.
type result struct {
	code     int
	out, err string
}

// udpecho runs a command within the test.
func udpecho(t *testing.T, args ...string) result {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), watchdog)
	defer cancel()
	r := udpechoUntil(ctx, args...)
	require.NoError(t, ctx.Err(), "it took longer than %v", watchdog)
	return r
}

// udpechoUntil runs a command that is stopped as by a signal when ctx ends.
func udpechoUntil(ctx context.Context, args ...string) result {
	var out, err bytes.Buffer
	code := run(ctx, console{&out, &err}, args)
	return result{code, out.String(), err.String()}
}

// object reads the one JSON object that is all of the output.
func (r result) object(t *testing.T) map[string]any {
	t.Helper()
	var object map[string]any
	d := json.NewDecoder(strings.NewReader(r.out))
	require.NoError(t, d.Decode(&object), r.out)
	require.ErrorIs(t, d.Decode(&object), io.EOF, "more than one object")
	return object
}

// child is udpecho as a process of its own.
type child struct {
	t     *testing.T
	cmd   *exec.Cmd
	lines *bufio.Reader // of its standard output
	err   lockedBuffer
}

func start(t *testing.T, args ...string) *child {
	t.Helper()
	c := &child{t: t, cmd: exec.Command(os.Args[0], args...)}
	c.cmd.Env = append(os.Environ(), asCommand+"=1")
	c.cmd.Stderr = &c.err
	out, err := c.cmd.StdoutPipe()
	require.NoError(t, err)
	c.lines = bufio.NewReader(out)
	require.NoError(t, c.cmd.Start())
	watch := time.AfterFunc(watchdog, func() { _ = c.cmd.Process.Kill() })
	t.Cleanup(func() {
		watch.Stop()
		_ = c.cmd.Process.Kill()
		_ = c.cmd.Wait()
	})
	return c
}

// line reads the next line of standard output.
func (c *child) line() string {
	c.t.Helper()
	s, err := c.lines.ReadString('\n')
	require.NoError(c.t, err, c.err.String())
	return strings.TrimSuffix(s, "\n")
}

// listening reads the address that a host or a proxy prints first.
func (c *child) listening() string {
	c.t.Helper()
	addr, found := strings.CutPrefix(c.line(), "listening ")
	require.True(c.t, found)
	return addr
}

// says waits until the text is in standard error.
func (c *child) says(text string) {
	c.t.Helper()
	require.Eventually(c.t, func() bool { return strings.Contains(c.err.String(), text) }, watchdog, time.Millisecond, text)
}

func (c *child) signal(s os.Signal) {
	c.t.Helper()
	require.NoError(c.t, c.cmd.Process.Signal(s))
}

// ends waits for the process and returns what it left behind.
func (c *child) ends() result {
	c.t.Helper()
	rest, err := io.ReadAll(c.lines)
	require.NoError(c.t, err)
	err = c.cmd.Wait()
	if exit := (*exec.ExitError)(nil); !errors.As(err, &exit) {
		require.NoError(c.t, err)
	}
	return result{c.cmd.ProcessState.ExitCode(), string(rest), c.err.String()}
}

// lockedBuffer is a buffer that is written by one goroutine and read by another.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}
