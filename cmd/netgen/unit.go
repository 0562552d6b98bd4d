package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
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
	folder string
	more   map[string]bool // moreSamples and the like that the tests of the user declare
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
	u.folder = filepath.Dir(u.pkg.GoFiles[0])
	locked, _ := readLock(u.path(lockFile)) // what is wrong with it is told when it is written
	u.cat = scan(u.pkg, locked, &u.problems)
	u.checkOtherFiles()
	files, err := u.outputs()
	switch {
	case err != nil:
		u.general("%v", err)
	case u.failed() || !u.schema && !u.owns(files):
	case u.schema:
		u.printSchema()
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
	if len(u.pkg.GoFiles) == 0 && len(u.list) == 0 {
		for _, e := range u.pkg.Errors {
			u.general("%s", e.Msg)
		}
	}
	if len(u.pkg.GoFiles) == 0 && len(u.list) == 0 {
		u.general("there are no Go files")
	}
	return len(u.list) == 0
}

// outputs makes the files of the package, and the lock last: it is written only when all else could be.
func (u *unit) outputs() ([]output, error) {
	switch {
	case u.failed():
		return nil, nil
	case u.cat == nil:
		return u.leftovers()
	}
	var files []output
	for _, part := range []struct {
		name string
		emit func() ([]byte, error)
	}{
		{codeFile, func() ([]byte, error) { return emit(u.cat) }},
		{testFile, func() ([]byte, error) { return emitTest(u.cat, u.more) }},
		{callFile, func() ([]byte, error) { return emitCalls(u.cat) }},
	} {
		if part.name == callFile && len(u.cat.methods) == 0 {
			files = append(files, u.leftover(callFile)...)
			continue
		}
		source, err := part.emit()
		if err != nil {
			return nil, err
		}
		files = append(files, output{u.path(part.name), source})
	}
	return append(files, output{u.path(lockFile), u.lock()}), nil
}

// leftover is a file of ours that is to go, if it is there.
func (u *unit) leftover(name string) []output {
	if source, err := os.ReadFile(u.path(name)); err == nil && isOurs(source) {
		return []output{{u.path(name), nil}}
	}
	return nil
}

// leftovers are files of a package without directives. What netgen wrote is to go; the lock stays, since ids that were used once stay used.
func (u *unit) leftovers() (files []output, err error) {
	for _, name := range ours {
		files = append(files, u.leftover(name)...)
	}
	if len(files) == 0 && !u.isWide() {
		err = errors.New("there is no net: directive: write //net:catalogue protocol=NAME-1 above a package clause")
	}
	return files, err
}

// isWide reports whether the packages were not named one by one, so that some may have no catalogue.
func (u *unit) isWide() bool {
	for _, pattern := range u.patterns {
		if strings.Contains(pattern, "...") {
			return true
		}
	}
	return false
}

// lock checks the catalogue against the lock file and gives the file as it is to be.
func (u *unit) lock() []byte {
	path := u.path(lockFile)
	l, wrong := readLock(path)
	if wrong != nil {
		u.errorAt(path, wrong.line, "%s", wrong.text)
		return nil
	}
	if len(l.blocks) == 0 && u.wasGenerated() {
		u.errorf(u.cat.pos, "%s is missing, but there is a %s, so there was one: restore it (git checkout %s); to begin anew, delete %s as well",
			lockFile, codeFile, lockFile, codeFile)
		return nil
	}
	k := &locking{&u.problems, l, u.cat}
	k.update()
	return []byte(l.text)
}

func (u *unit) wasGenerated() bool {
	source, err := os.ReadFile(u.path(codeFile))
	return err == nil && isOurs(source)
}

// owns reports files of the user that have the name of one of ours.
func (u *unit) owns(files []output) bool {
	for _, f := range files {
		source, err := os.ReadFile(f.path)
		if err == nil && strings.HasSuffix(f.path, ".go") && !isOurs(source) {
			u.general("%s is not netgen's, which would overwrite it: give it another name", relative(u.dir, f.path))
		}
	}
	return !u.failed()
}

func (u *unit) path(name string) string { return filepath.Join(u.folder, name) }

func (u *unit) printSchema() {
	if u.cat == nil {
		return
	}
	text, err := schemaOf(u.cat)
	if err != nil {
		u.general("%v", err)
		return
	}
	u.stdout.Write(text)
}

// compare reports the files that are not what they should be.
func (u *unit) compare(files []output) {
	for _, f := range files {
		old, err := os.ReadFile(f.path)
		name := relative(u.dir, f.path)
		switch {
		case f.source == nil:
			what := "messages"
			if filepath.Base(f.path) == callFile {
				what = "calls"
			}
			u.general("%s is left of %s that are gone: run go generate", name, what)
		case err != nil:
			u.general("%s is missing: run go generate", name)
		case !bytes.Equal(normal(old), f.source):
			line, is, want := firstDifference(string(normal(old)), string(f.source))
			u.general("%s is stale: run go generate\n\tline %d is    %s\n\tbut is to be %s", name, line, is, want)
		}
	}
}

// firstDifference finds the first line in which two texts differ.
func firstDifference(a, b string) (line int, inA, inB string) {
	as, bs := strings.Split(a, "\n"), strings.Split(b, "\n")
	for line < len(as) && line < len(bs) && as[line] == bs[line] {
		line++
	}
	return line + 1, lineOf(as, line), lineOf(bs, line)
}

func lineOf(lines []string, i int) string {
	if i < len(lines) {
		return lines[i]
	}
	return "(the end)"
}

// normal undoes what git does to line ends on some systems.
func normal(source []byte) []byte { return bytes.ReplaceAll(source, []byte("\r\n"), []byte("\n")) }

// write brings the files to what they are to be.
func (u *unit) write(files []output) {
	for _, f := range files {
		old, err := os.ReadFile(f.path)
		switch {
		case f.source == nil:
			err = os.Remove(f.path)
		case err == nil && bytes.Equal(normal(old), f.source):
		case err == nil || errors.Is(err, fs.ErrNotExist):
			err = os.WriteFile(f.path, f.source, 0o666)
		}
		if err != nil {
			u.general("%v", err)
			return
		}
	}
}
