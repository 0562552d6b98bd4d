//go:build !windows

package keyfile

import (
	"fmt"
	"io/fs"
)

// othersMay are the bits of a mode by which somebody else could read or change a file.
const othersMay = 0o077

func checkMode(path string, mode fs.FileMode) error {
	if mode.Perm()&othersMay != 0 {
		return fmt.Errorf("%s has mode %04o: others may know its keys; if that cannot be, run: chmod 600 %s", path, mode.Perm(), path)
	}
	return nil
}
