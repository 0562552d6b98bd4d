// Command relative reads the results of benchmarks and writes them with each time divided by that of a yardstick of the same pass, so that results
// of two machines, or of a quiet hour and a busy one, can be compared by benchstat. bench/compare calls it.
//
//	go run ./bench/relative <results.txt >relative.txt
//
// The unit ns/op becomes x/op. What is counted, such as allocations and bytes, stays as it is; rates are left out, since the benchmark has a time beside
// them.
package main

import (
	"fmt"
	"io"
	"os"
)

func main() {
	if err := run(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "relative:", err)
		os.Exit(1)
	}
}

func run(in io.Reader, out io.Writer) error {
	all, err := read(in)
	if err != nil {
		return err
	}
	return all.write(out)
}
