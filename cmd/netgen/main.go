package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
)

func main() {
	dir, err := os.Getwd()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(run(dir, os.Args[1:], os.Stdout, os.Stderr))
}

// options are what the command line asks for.
type options struct {
	check, schema bool
	patterns      []string
}

// run is the program without its surroundings. It returns the exit status.
func run(dir string, args []string, stdout, stderr io.Writer) int {
	o, err := parseOptions(args, stderr)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case err != nil:
		return 2
	}
	pkgs, fset, err := load(dir, o.patterns)
	if err != nil {
		fmt.Fprintln(stderr, "netgen:", err)
		return 1
	}
	status := 0
	for _, p := range pkgs {
		u := &unit{problems: problems{fset: fset, dir: dir}, options: o, pkg: p, stdout: stdout, more: map[string]bool{}}
		u.process()
		u.print(stderr)
		if u.failed() {
			status = 1
		}
	}
	return status
}

var errUsage = errors.New("wrong usage")

func parseOptions(args []string, stderr io.Writer) (options, error) {
	var o options
	flags := flag.NewFlagSet("netgen", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.BoolVar(&o.check, "check", false, "write nothing; exit with 1 if a file is not what would be written")
	flags.BoolVar(&o.schema, "schema", false, "write nothing; print the catalogue as JSON")
	flags.Usage = func() {
		fmt.Fprintln(stderr, "usage: go tool netgen [-check] [-schema] [packages]")
		flags.PrintDefaults()
	}
	if err := flags.Parse(args); err != nil {
		return o, err
	}
	if o.check && o.schema {
		fmt.Fprintln(stderr, "netgen: -check and -schema do not go together")
		return o, errUsage
	}
	o.patterns = flags.Args()
	if len(o.patterns) == 0 {
		o.patterns = []string{"."}
	}
	return o, nil
}
