package bench

import (
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// udpecho is the command, built once, that the tables of latency are made with.
type udpecho struct{ path string }

func buildUDPEcho(t *testing.T) udpecho {
	t.Helper()
	path := filepath.Join(t.TempDir(), "udpecho.exe")
	out, err := exec.CommandContext(t.Context(), "go", "build", "-o", path, "../cmd/udpecho").CombinedOutput()
	require.NoError(t, err, string(out))
	return udpecho{path}
}

// run gives the JSON object that a command prints.
func (u udpecho) run(t *testing.T, args string) (object map[string]any, err error) {
	out, err := exec.CommandContext(t.Context(), u.path, strings.Fields(args)...).Output()
	if err != nil {
		return nil, fmt.Errorf("udpecho %s: %w", args, err)
	}
	return object, json.Unmarshal(out, &object)
}

// runAll runs commands, as many at once as there are processors. The results are in the order of the commands.
func (u udpecho) runAll(t *testing.T, commands []string) []map[string]any {
	t.Helper()
	results, errs := make([]map[string]any, len(commands)), make([]error, len(commands))
	slots := make(chan struct{}, runtime.GOMAXPROCS(0))
	var all sync.WaitGroup
	for i, command := range commands {
		all.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			results[i], errs[i] = u.run(t, command)
		})
	}
	all.Wait()
	require.NoError(t, errors.Join(errs...))
	return results
}
