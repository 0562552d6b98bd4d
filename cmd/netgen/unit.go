package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/tools/go/packages"
)

// unit is the work on one package.
type unit struct {
	problems
	options
	pkg    *packages.Package
	stdout io.Writer
	cat    *catalogue
}

// output is a file as it is to be. A nil source means that it is not to be there.
type output struct {
	path   string
	source []byte
}

func (u *unit) process() {
	if !u.readable() {
		return
	}
	u.cat = scan(u.pkg, &u.problems)
	if u.failed() {
		return
	}
	files, err := u.outputs()
	switch {
	case err != nil:
		u.general("%v", err)
	case u.failed():
	case u.check:
		u.compare(files)
	default:
		u.write(files)
	}
}

// general reports what is about the package as a whole.
func (u *unit) general(format string, args ...any) {
	u.list = append(u.list, problem{text: fmt.Sprintf("netgen: %s: %s", u.pkg.PkgPath, fmt.Sprintf(format, args...))})
}

// readable reports what keeps the package from being read at all. That it does not type-check is none of it, since it uses what is not written yet.
func (u *unit) readable() bool {
	for _, e := range u.pkg.Errors {
		if e.Kind == packages.ParseError {
			u.list = append(u.list, problem{text: strings.TrimPrefix(e.Error(), u.dir+string(filepath.Separator))})
		}
	}
	if len(u.pkg.Syntax) == 0 && len(u.list) == 0 {
		for _, e := range u.pkg.Errors {
			u.general("%s", e.Msg)
		}
		if len(u.list) == 0 {
			u.general("there are no Go files")
		}
	}
	return len(u.list) == 0
}

// outputs makes the files of the package.
func (u *unit) outputs() ([]output, error) {
	code, err := emit(u.cat)
	if err != nil {
		return nil, err
	}
	return []output{{u.path(codeFile), code}}, nil
}

func (u *unit) path(name string) string {
	return filepath.Join(filepath.Dir(u.pkg.GoFiles[0]), name)
}

// compare reports the files that are not what they should be.
func (u *unit) compare(files []output) {
	for _, f := range files {
		old, err := os.ReadFile(f.path)
		switch {
		case err != nil && f.source != nil:
			u.general("%s is missing: run go generate", relative(u.dir, f.path))
		case !bytes.Equal(normal(old), f.source):
			u.general("%s is stale: run go generate", relative(u.dir, f.path))
		}
	}
}

// normal undoes what git does to line ends on some systems.
func normal(source []byte) []byte { return bytes.ReplaceAll(source, []byte("\r\n"), []byte("\n")) }

// write writes what is not there yet.
func (u *unit) write(files []output) {
	for _, f := range files {
		old, err := os.ReadFile(f.path)
		if err == nil && bytes.Equal(normal(old), f.source) {
			continue
		}
		if err := os.WriteFile(f.path, f.source, 0o666); err != nil {
			u.general("%v", err)
		}
	}
}
