package archtest

import (
	"fmt"
	"go/ast"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestProgramsInTheReadmeCompile(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root, "README.md"))
	require.NoError(t, err)
	programs := regexp.MustCompile("(?s)```go\n(.*?)```").FindAllSubmatch(text, -1)
	require.NotEmpty(t, programs)

	exports := goList(t, "", "-export", "-deps", "-json=ImportPath,Export", "./udp", "./transport", "log", "os/signal")
	for i, program := range programs {
		f := file{fmt.Sprintf("README.md program %d", i+1), program[1]}
		require.True(t, isFormatted(f), "%s is not formatted", f.path)
		fset := token.NewFileSet()
		tree, err := f.parse(fset)
		require.NoError(t, err)
		typeCheck(t, exports, "readme", fset, []*ast.File{tree})
	}
}
