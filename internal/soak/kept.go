package soak

import (
	_ "embed"
	"fmt"
	"strconv"
	"strings"
	"time"
)

//go:embed testdata/seeds.txt
var keptText string

// Seed is a seed that is kept, and why.
type Seed struct {
	Seed uint64
	Span time.Duration
	Why  string
}

// Kept gives the seeds that once failed, from testdata/seeds.txt.
func Kept() []Seed {
	var all []Seed
	for line := range strings.Lines(keptText) {
		if line = strings.TrimSpace(line); line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		all = append(all, parseSeed(line))
	}
	return all
}

func parseSeed(line string) Seed {
	fields := strings.Fields(line)
	if len(fields) < 3 {
		panic(fmt.Sprintf("soak: seeds.txt: %q: a line has a seed, a span and a reason", line))
	}
	return Seed{must(strconv.ParseUint(fields[0], 10, 64)), must(time.ParseDuration(fields[1])), strings.Join(fields[2:], " ")}
}
