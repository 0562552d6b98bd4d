package chaos

import (
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var files = []string{"run", "stage.sh", "scenes.sh"}

// bash runs the shell, or skips the test where there is none.
func bash(t *testing.T, args ...string) string {
	t.Helper()
	shell, err := exec.LookPath("bash")
	if err != nil || runtime.GOOS == "windows" {
		t.Skip("the script needs bash")
	}
	out, err := exec.CommandContext(t.Context(), shell, args...).CombinedOutput()
	require.NoError(t, err, "%s", out)
	return string(out)
}

func read(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	return string(text)
}

// found gives the first group of each match.
func found(pattern, text string) (all []string) {
	for _, match := range regexp.MustCompile(pattern).FindAllStringSubmatch(text, -1) {
		all = append(all, match[1])
	}
	return all
}

func TestTheScriptIsSoundBash(t *testing.T) {
	for _, file := range files {
		require.Empty(t, bash(t, "-n", file), file)
	}
}

func TestThePageTellsOfAllScenesInTheirOrder(t *testing.T) {
	scenes := strings.Fields(bash(t, "run", "-list"))
	require.NotEmpty(t, scenes)
	require.Equal(t, scenes, found("(?m)^\\| `([a-z0-9-]+)` \\|", read(t, "../../docs/chaos.md")))
}

func TestEachSceneIsAFunctionAndEachFunctionAScene(t *testing.T) {
	var functions []string
	for _, name := range found(`(?m)^scene_([a-z0-9_]+)\(\)`, read(t, "scenes.sh")) {
		functions = append(functions, strings.ReplaceAll(name, "_", "-"))
	}
	require.ElementsMatch(t, strings.Fields(bash(t, "run", "-list")), functions)
}

func TestASceneThatDoesNotExistIsAMistake(t *testing.T) {
	bash(t, "-c", `./run no-such-scene 2>/dev/null; [ $? = 2 ] && ./run -fly 2>/dev/null; [ $? = 2 ]`)
}
