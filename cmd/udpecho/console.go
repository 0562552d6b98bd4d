package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
)

// console is where a command writes: results to out, progress and errors to err.
type console struct {
	out, err io.Writer
}

func (c console) printf(format string, args ...any) { fmt.Fprintf(c.out, format, args...) }

// notef tells people what is going on.
func (c console) notef(format string, args ...any) { fmt.Fprintf(c.err, format+"\n", args...) }

// json prints the one object of a command that was given -json.
func (c console) json(v any) error {
	b, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(c.out, "%s\n", b)
	return err
}

// finish reports the error that a command ended with and returns the exit status.
func (c console) finish(name string, err error) int {
	code := exitStatus(err)
	if code == exitOK {
		return code
	}
	prefix := "udpecho"
	if name != "" {
		prefix += " " + name
	}
	c.notef("%s: %v", prefix, err)
	if code == exitUsage && name != "" {
		c.notef("run \"%s -h\" for its flags", prefix)
		if name == "demo" {
			c.notef("flags without a command are those of the demo; \"udpecho help\" lists the commands")
		}
	}
	return code
}

// parse reads the flags of a command into fs and prints its help if that is asked for.
func (c console) parse(fs *flags, args []string) error {
	err := fs.parse(args)
	if errors.Is(err, flag.ErrHelp) {
		c.printf("%s", fs.help())
	}
	return err
}
