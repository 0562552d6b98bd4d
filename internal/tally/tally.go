package main

import (
	"encoding/json"
	"fmt"
	"io"
)

// event is a line of "go test -json", see "go doc test2json".
type event struct {
	Action  string
	Package string
	Test    string // "" if the event is about the whole package
	Output  string
}

// tally counts the tests of a run and tells about those that did not pass.
type tally struct {
	out      io.Writer
	packages map[string]*pkg // those that have not ended

	passed, skipped int
	failed          int // tests, and packages that failed without a failing test, such as those that do not build
}

// pkg is one package under test.
type pkg struct {
	printed map[string]string // by test that has not ended
	failed  bool              // a test of it did
}

func newTally(out io.Writer) *tally {
	return &tally{out: out, packages: map[string]*pkg{}}
}

// good reports whether tests ran and all of them passed.
func (t *tally) good() bool { return t.passed > 0 && t.failed == 0 }

// line takes one line of the run. One that is not an event is shown as it is.
func (t *tally) line(line []byte) {
	var e event
	switch {
	case len(line) == 0:
	case json.Unmarshal(line, &e) != nil:
		t.out.Write(line)
	case e.Package == "": // the build of a package
		io.WriteString(t.out, e.Output)
	case e.Test == "":
		t.packageEvent(e)
	default:
		t.testEvent(e)
	}
}

func (t *tally) packageEvent(e event) {
	p := t.open(e.Package)
	switch e.Action {
	case "output":
		if e.Output != "PASS\n" {
			io.WriteString(t.out, e.Output)
		}
	case "fail":
		t.unfinished(e.Package, p)
		if !p.failed {
			t.failed++
		}
		delete(t.packages, e.Package)
	case "pass", "skip":
		delete(t.packages, e.Package)
	}
}

func (t *tally) testEvent(e event) {
	p := t.open(e.Package)
	switch e.Action {
	case "run":
		p.printed[e.Test] = ""
	case "output":
		p.printed[e.Test] += e.Output
		return
	case "pass":
		t.passed++
	case "skip":
		t.skipped++
	case "fail":
		t.failed++
		p.failed = true
		io.WriteString(t.out, p.printed[e.Test])
	default: // pause, cont, attr: the test goes on
		return
	}
	if e.Action != "run" {
		delete(p.printed, e.Test)
	}
}

// open returns the state of the package, which its first event makes.
func (t *tally) open(path string) *pkg {
	p := t.packages[path]
	if p == nil {
		p = &pkg{printed: map[string]string{}}
		t.packages[path] = p
	}
	return p
}

// unfinished shows the tests of a package that began and never ended, as after an exit or a time-out.
func (t *tally) unfinished(path string, p *pkg) {
	for test, text := range p.printed {
		fmt.Fprintf(t.out, "%s: %s did not end\n%s", path, test, text)
	}
}

// finish writes the summary. A package without an end makes the run a failure.
func (t *tally) finish() {
	for path, p := range t.packages {
		t.unfinished(path, p)
		t.failed++
	}
	fmt.Fprintf(t.out, "%d passed, %d failed, %d skipped\n", t.passed, t.failed, t.skipped)
}
