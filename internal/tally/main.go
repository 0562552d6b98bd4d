// Command tally reads what "go test -json" prints and says the same in a few lines: one for each package, all that a failing
// test printed, and at the end "N passed, N failed, N skipped". It counts tests, subtests, examples and fuzz seeds. It exits
// with 1 if something failed or no test ran.
//
//	go test -json ./... | go run ./internal/tally
package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
)

func main() {
	t := newTally(os.Stdout)
	if err := t.read(os.Stdin); err != nil {
		fmt.Fprintln(os.Stderr, "tally:", err)
		os.Exit(1)
	}
	if !t.good() {
		os.Exit(1)
	}
}

// read counts every line of in, then writes the summary.
func (t *tally) read(in io.Reader) error {
	lines := bufio.NewReader(in)
	for {
		line, err := lines.ReadBytes('\n')
		t.line(line)
		if err == io.EOF {
			t.finish()
			return nil
		}
		if err != nil {
			return err
		}
	}
}
