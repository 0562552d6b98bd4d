package keyfile

import "io/fs"

// checkMode finds nothing: access lists say who may read a file here, and modes do not show them.
func checkMode(string, fs.FileMode) error { return nil }
