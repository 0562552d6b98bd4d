package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/gannet-net/gannet/framing"
	"github.com/gannet-net/gannet/transport"
	"github.com/gannet-net/gannet/udp"
)

// flags are the flags of one command.
type flags struct {
	*flag.FlagSet
	usage  string // what follows "udpecho"
	about  string
	others []*other
}

func newFlags(name, usage, about string) *flags {
	fs := &flags{FlagSet: flag.NewFlagSet(name, flag.ContinueOnError), usage: usage, about: about}
	fs.SetOutput(io.Discard)
	return fs
}

// parse reads args. All mistakes are usage errors.
func (fs *flags) parse(args []string) error {
	err := fs.Parse(args)
	for _, o := range fs.others {
		if o.given {
			return usagef("-%s belongs to %s", o.name, o.form)
		}
	}
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		return usagef("%v", err)
	}
	return err
}

// given reports whether a flag was in the arguments.
func (fs *flags) given(name string) (found bool) {
	fs.Visit(func(f *flag.Flag) { found = found || f.Name == name })
	return found
}

// noMore reports arguments after the flags.
func (fs *flags) noMore() error {
	if fs.NArg() > 0 {
		return usagef("unexpected argument %q", fs.Arg(0))
	}
	return nil
}

// DurationVar is that of the flag package with an error that says what a time without a unit lacks.
func (fs *flags) DurationVar(p *time.Duration, name string, value time.Duration, usage string) {
	*p = value
	fs.Var((*duration)(p), name, usage)
}

type duration time.Duration

func (d *duration) String() string { return time.Duration(*d).String() }

func (d *duration) Set(s string) error {
	value, err := time.ParseDuration(s)
	if err != nil {
		return errors.New("a time has a number and a unit, such as 5ms or 2s")
	}
	*d = duration(value)
	return nil
}

func (fs *flags) help() string {
	var b strings.Builder
	fmt.Fprintf(&b, "usage: udpecho %s\n\n%s\n\n", fs.usage, fs.about)
	fs.VisitAll(func(f *flag.Flag) {
		if _, hidden := f.Value.(*other); hidden {
			return
		}
		value, text := flag.UnquoteUsage(f)
		head := "-" + f.Name
		if value != "" {
			head += " " + value
		}
		if f.DefValue != "" && f.DefValue != "false" {
			text += " (" + f.DefValue + ")"
		}
		fmt.Fprintf(&b, "  %-22s %s\n", head, text)
	})
	return b.String()
}

// other is a flag of another form of the command. It is not in the help, and using it is an error that names the form.
type other struct {
	name, form string
	given      bool
}

func (o *other) String() string   { return "" }
func (o *other) Set(string) error { o.given = true; return nil }

// ofForm registers flags of another form of the command.
func (fs *flags) ofForm(form string, names ...string) {
	for _, name := range names {
		o := &other{name: name, form: form}
		fs.others = append(fs.others, o)
		fs.Var(o, name, "")
	}
}

var baseModes = []transport.Delivery{transport.ReliableOrdered, transport.Unreliable}

// mode is a flag for a delivery mode. modes names those that may be given.
func (fs *flags) mode(modes string) *transport.Delivery {
	mode := transport.ReliableOrdered
	fs.Func("mode", "`MODE` of the messages: "+modes+" (ordered)", func(s string) error {
		for d := transport.Unreliable; d <= transport.ReliableSequenced; d++ {
			if d.String() == s {
				mode = d
				return nil
			}
		}
		return fmt.Errorf("no such mode: use %s", modes)
	})
	return &mode
}

func checkMode(p udp.Protocol, d transport.Delivery) error {
	if p == udp.Base && !slices.Contains(baseModes, d) {
		return usagef("-mode %v: the base protocol has ordered and unreliable: leave out -base", d)
	}
	return nil
}

// checkAddress finds what is wrong with an address before anything is looked up. Port 0 is for listening only.
func checkAddress(name, addr string, zero bool) error {
	_, port, err := net.SplitHostPort(addr)
	if err != nil {
		return usagef("-%s %q: not an address such as 127.0.0.1:7777: %v", name, addr, err)
	}
	n, err := strconv.Atoi(port)
	if err == nil && (n < 0 || n > 65535) {
		free := ""
		if zero {
			free = ", or 0 for a free one"
		}
		return usagef("-%s %q: port %s is out of range: use 1 to 65535%s", name, addr, port, free)
	}
	if (err == nil && n == 0 || port == "") && !zero {
		return usagef("-%s %q: a port is needed: use 1 to 65535", name, addr)
	}
	return nil
}

// listenError names the address that could not be listened on, and tells what to do if another program has it.
func listenError(addr string, err error) error {
	if errors.Is(err, syscall.EADDRINUSE) {
		return fmt.Errorf("listening on %s: %w: another program has this port: choose another one, or port 0 for a free one", addr, err)
	}
	return fmt.Errorf("listening on %s: %w", addr, err)
}

func checkVersion(version string) error {
	if err := framing.CheckVersion(version); err != nil {
		return usagef("-version: %v", err)
	}
	return nil
}

// checkRange reports a number that is out of its range.
func checkRange(name string, value, low, high int) error {
	if value < low || value > high {
		return usagef("-%s %d: must be from %d to %d", name, value, low, high)
	}
	return nil
}

func firstError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
