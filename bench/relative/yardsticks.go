package main

import (
	"fmt"
	"io"
	"regexp"
	"strings"
)

// yardsticks say what each benchmark is divided by: the first row that its name matches.
var yardsticks = []struct {
	names *regexp.Regexp
	by    string
}{
	{regexp.MustCompile(`^BenchmarkYardstick|^BenchmarkInterfaceCall$`), ``}, // by nothing, and they are left out
	{regexp.MustCompile(`^BenchmarkSealAndOpen/64$`), `BenchmarkYardstickCipher/64`},
	{regexp.MustCompile(`^BenchmarkSealAndOpen/1172$`), `BenchmarkYardstickCipher/1172`},
	{regexp.MustCompile(`^BenchmarkSocket`), `BenchmarkYardstickDatagram`},
	{regexp.MustCompile(`^BenchmarkDirect(InTurn)?$`), `BenchmarkInterfaceCall`},
	{regexp.MustCompile(``), `BenchmarkYardstickCode`},
}

func yardstickOf(name string) string {
	for _, y := range yardsticks {
		if y.names.MatchString(name) {
			return y.by
		}
	}
	return ""
}

// write prints all lines, results as they are relative to their yardsticks.
func (r *results) write(out io.Writer) error {
	for name, places := range r.passes {
		for pass, place := range places {
			line, err := r.relative(name, pass, place)
			if err != nil {
				return err
			}
			r.lines[r.all[place].line] = line
		}
	}
	for _, line := range r.lines {
		if line != "" {
			if _, err := fmt.Fprintln(out, line); err != nil {
				return err
			}
		}
	}
	return nil
}

// relative is the line of a result in a pass, empty if nothing is left of it.
func (r *results) relative(name string, pass, place int) (string, error) {
	by := yardstickOf(name)
	if by == "" {
		return "", nil
	}
	length, err := r.length(by, pass)
	if err != nil {
		return "", fmt.Errorf("%s: %w", name, err)
	}
	var line strings.Builder
	fmt.Fprintf(&line, "%s\t%s", name, r.all[place].iterations)
	kept := false
	for _, v := range r.all[place].values {
		if w, ok := v.relative(length); ok {
			fmt.Fprintf(&line, "\t%.5g %s", w.number, w.unit)
			kept = true
		}
	}
	if !kept {
		return "", nil
	}
	return line.String(), nil
}

// length is the time of a yardstick in a pass.
func (r *results) length(yardstick string, pass int) (float64, error) {
	places := r.passes[yardstick]
	if pass >= len(places) {
		return 0, fmt.Errorf("pass %d has no %s", pass+1, yardstick)
	}
	ns, ok := r.all[places[pass]].nsPerOp()
	if !ok {
		return 0, fmt.Errorf("%s has no time", yardstick)
	}
	return ns, nil
}

var (
	nanoseconds = regexp.MustCompile(`\bns\b`)
	counted     = regexp.MustCompile(`^(B|allocs|x)\b`)
)

// relative divides a time by the length of a yardstick, and takes counts as they are. ok is false for all else.
func (v value) relative(length float64) (w value, ok bool) {
	switch {
	case nanoseconds.MatchString(v.unit):
		return value{v.number / length, nanoseconds.ReplaceAllString(v.unit, "x")}, true
	case counted.MatchString(v.unit):
		return v, true
	}
	return value{}, false
}
