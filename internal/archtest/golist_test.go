package archtest

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// listed is what "go list" says about a package.
type listed struct {
	ImportPath string
	Export     string   // file with the package's exported types, with -export
	Deps       []string // all that it depends on
	Module     *struct{ Path string }
}

// module is the path of the module that the package comes from, "" for the standard library.
func (l listed) module() string {
	if l.Module == nil {
		return ""
	}
	return l.Module.Path
}

// listedBefore holds the answers of goList, since the tests ask the same again and again.
var listedBefore = map[string]map[string]listed{}

// goList runs "go list" in the repository for one operating system, "" for this one.
func goList(t *testing.T, goos string, args ...string) map[string]listed {
	question := goos + " " + strings.Join(args, " ")
	if listedBefore[question] == nil {
		listedBefore[question] = decodeList(t, runGoList(t, goos, args))
	}
	return listedBefore[question]
}

func runGoList(t *testing.T, goos string, args []string) []byte {
	cmd := exec.Command("go", append([]string{"list"}, args...)...)
	cmd.Dir = root
	if goos != "" {
		cmd.Env = append(os.Environ(), "GOOS="+goos, "GOARCH=amd64", "CGO_ENABLED=0")
	}
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	require.NoError(t, err, "go list: %s", &stderr)
	return out
}

// decodeList reads the stream of objects that "go list -json" prints.
func decodeList(t *testing.T, out []byte) map[string]listed {
	packages := map[string]listed{}
	for d := json.NewDecoder(bytes.NewReader(out)); d.More(); {
		var l listed
		require.NoError(t, d.Decode(&l))
		packages[l.ImportPath] = l
	}
	return packages
}
