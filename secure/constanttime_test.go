package secure

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// What a stranger may guess at is compared in a time that does not tell how much of it was right.
func TestGuessesAreComparedInConstantTime(t *testing.T) {
	files, err := filepath.Glob("*.go")
	require.NoError(t, err)
	constant := map[string]bool{}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		require.NotContains(t, string(text), "bytes.Equal", name)
		require.NotContains(t, string(text), "slices.Equal", name)
		constant[name] = strings.Contains(string(text), "hmac.Equal(")
	}
	require.True(t, constant["cookie.go"])
	require.True(t, constant["reset.go"])
}
