package main

import (
	"bufio"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
)

// result is a line of a benchmark, such as "BenchmarkSend-2  1000  120 ns/op  0 B/op".
type result struct {
	name       string // as it is printed, but for the number of processors
	line       int    // in all
	iterations string
	values     []value
}

type value struct {
	number float64
	unit   string
}

// results are all lines that "go test -bench" has printed, in their order, of one pass or of several.
type results struct {
	lines  []string // those that are no results: goos, pkg and the like; empty where a result stands
	all    []result
	passes map[string][]int // by name: where in all
}

var processors = regexp.MustCompile(`-\d+$`)

func read(in io.Reader) (*results, error) {
	r := &results{passes: map[string][]int{}}
	scan := bufio.NewScanner(in)
	for scan.Scan() {
		one, ok, err := parse(scan.Text())
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", len(r.lines)+1, err)
		}
		if !ok {
			r.lines = append(r.lines, scan.Text())
			continue
		}
		one.line = len(r.lines)
		r.lines = append(r.lines, "")
		r.passes[one.name] = append(r.passes[one.name], len(r.all))
		r.all = append(r.all, one)
	}
	return r, scan.Err()
}

// parse reads a line. ok is false if it is no result.
func parse(line string) (one result, ok bool, err error) {
	fields := strings.Fields(line)
	if len(fields) < 4 || len(fields)%2 != 0 || !strings.HasPrefix(fields[0], "Benchmark") {
		return result{}, false, nil
	}
	one = result{name: processors.ReplaceAllString(fields[0], ""), iterations: fields[1]}
	for i := 2; i < len(fields); i += 2 {
		number, err := strconv.ParseFloat(fields[i], 64)
		if err != nil {
			return result{}, false, fmt.Errorf("%s: %w", one.name, err)
		}
		one.values = append(one.values, value{number, fields[i+1]})
	}
	return one, true, nil
}

// nsPerOp is the time of a result.
func (r result) nsPerOp() (ns float64, ok bool) {
	for _, v := range r.values {
		if v.unit == "ns/op" && v.number > 0 {
			return v.number, true
		}
	}
	return 0, false
}
