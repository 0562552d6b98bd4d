package rpc

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"runtime/debug"
	"strings"
	"unicode"

	"github.com/gannet-net/gannet/msgs/layout"
)

var background = context.Background()

// handled counts a frame that was handled.
func (in *In) handled() {
	n := len(in.raw)
	in.calls.stats.Handled.add(n)
	in.peer.stats.Handled.add(n)
	if in.route != nil {
		in.route.stats.Handled.add(n)
	}
	in.record(Handled)
}

// drop ends a call that does not run: it is counted, judged, and its caller is told if it waits.
func (in *In) drop(why Drop, err error) {
	c, p, rt := in.calls, in.peer, in.route
	c.stats.Drops[why]++
	p.stats.Drops[why]++
	if rt != nil {
		rt.stats.Drops[why]++
	}
	if why != DropPanic { // it was recorded when that was logged
		in.record(why)
	}
	if in.request {
		in.refuse(drops[why].status)
	}
	switch {
	case drops[why].malformed:
		p.Malformed(c.config.Carrier.of(c.other), in.explain(why, err))
	case why == DropTarget || why == DropType || why == DropWaiting:
		in.report(why)
	}
}

// refuse answers a request that does not run.
func (in *In) refuse(s status) {
	in.request = false
	if in.begun { // else another one that has its serial may be
		in.peer.served(in.serial, in.caller)
	}
	if s != noStatus && !in.peer.gone {
		_ = in.peer.reply(in.route, in.serial, in.caller, s, nil, nil) // if it cannot be sent the caller has its deadline
	}
}

// report tells of a call whose object is not there: one with missing=error each time, one whose object is of another kind, which both sides should know better, and one that has waited in
// vain to who looks closely.
func (in *In) report(why Drop) {
	c, rt := in.calls, in.route
	level := slog.LevelWarn
	switch {
	case rt.Missing == Report, why == DropType:
	case why == DropWaiting:
		level = slog.LevelDebug
	default:
		return
	}
	if !rt.missLogged {
		rt.missLogged = true
		c.config.Logger.Log(background, level, "Call to an object that is not there", slog.String("method", rt.Name), slog.String("id", in.id.String()),
			slog.String("from", in.peer.String()), slog.String("reason", why.String()))
	}
	if rt.Missing == Report && c.config.OnMissing != nil {
		c.guard("OnMissing", in.peer, func() { c.config.OnMissing(in.peer.Peer, rt.Name, in.id) })
	}
}

// malformedCall is what is wrong with a call. It is put into words when somebody asks, since most of what a hostile peer sends is counted and no more.
type malformedCall struct {
	route *route
	why   Drop
	bits  int // of its arguments
	err   error
}

func (m *malformedCall) Error() string {
	name := "call"
	if m.route != nil {
		name += " " + m.route.Name
	}
	switch m.why {
	case DropEmpty:
		return name + ": it has no whole head"
	case DropUnknown:
		return name + ": no method has its index: compare the contracts of both sides"
	case DropMode:
		return name + ": it came in another mode or on another channel than its contract says"
	case DropSize:
		return fmt.Sprintf("%s: its arguments have %d bits, and can have %d to %d", name, m.bits, m.route.Args.MinBits, m.route.Args.MaxBits)
	}
	return fmt.Sprintf("%s: %v", name, m.err)
}

// Unwrap returns what the arguments are wrong with, nil if it is about something else.
func (m *malformedCall) Unwrap() error { return m.err }

// explain says what is wrong with a malformed call.
func (in *In) explain(why Drop, err error) error {
	return &malformedCall{in.route, why, len(in.raw)*8 - in.start, err}
}

// fails counts and logs what a method returned.
func (in *In) fails() {
	rt := in.route
	rt.stats.Failed++
	if !rt.errLogged {
		rt.errLogged = true
		in.calls.config.Logger.Warn("A method returned an error", slog.String("method", rt.Name), slog.String("from", in.peer.String()), slog.String("error", printable(in.failed)))
	}
}

// unanswerable logs results that could not be sent.
func (rt *route) unanswerable(c *Calls, err error) {
	if !rt.errLogged {
		rt.errLogged = true
		c.config.Logger.Warn("An answer could not be sent", slog.String("method", rt.Name), slog.String("error", printable(err)))
	}
}

// panicked logs the first panic of each method, with the stack, and the calls before it.
func (in *In) panicked(value any) {
	c, rt := in.calls, in.route
	in.record(DropPanic)
	if rt.panicLogged {
		return
	}
	rt.panicLogged = true
	var last strings.Builder
	c.Record(&last, lastCalls)
	c.config.Logger.Error("A method panicked", slog.String("method", rt.Name), slog.String("from", in.peer.String()), slog.String("panic", printable(value)),
		slog.String("stack", string(debug.Stack())), slog.String("calls", last.String()))
}

// lastCalls is how many of the calls before a panic are logged.
const lastCalls = 16

// guard calls a function of the game and survives its panic.
func (c *Calls) guard(name string, p *peer, f func()) {
	defer func() {
		if v := recover(); v != nil {
			c.panicked(name, p, v)
		}
	}()
	f()
}

// panicked logs the first panic of each function of the game, with the stack.
func (c *Calls) panicked(name string, p *peer, value any) {
	c.stats.Panics++
	if c.first("panic " + name) {
		c.config.Logger.Error("A function panicked", slog.String("function", name), slog.String("peer", p.String()), slog.String("panic", printable(value)),
			slog.String("stack", string(debug.Stack())))
	}
}

// failure is a call that could not be encoded or decoded. In which argument is looked for when somebody asks.
type failure struct {
	route  *route
	fields []layout.Field
	bytes  []byte
	start  int
	offset int // where it ended, in bits
	err    error
}

// blame is what is wrong with fields of a method that begin at bit start of b, which is copied, and that failed at bit offset.
func (rt *route) blame(fields []layout.Field, b []byte, start, offset int, err error) error {
	return &failure{rt, fields, bytes.Clone(b), start, offset, err}
}

func (f *failure) Error() string { return f.Unwrap().Error() }

// Unwrap finds the argument.
func (f *failure) Unwrap() error {
	none := &layout.FieldError{Message: f.route.Name, Err: f.err}
	m := f.route.described()
	if m == nil {
		return none
	}
	l, _ := f.route.contract.Catalogue.Layout()
	if err := l.BlameCall(m, f.fields, f.bytes, f.start, f.offset, f.err); err != nil {
		return err
	}
	return none
}

// described is the method in the description of its contract, nil if it is not there.
func (rt *route) described() *layout.Method {
	if rt.contract == nil {
		return nil
	}
	l, err := rt.contract.Catalogue.Layout()
	if err != nil { // made by hand, without a description
		return nil
	}
	for i := range l.Methods {
		if l.Methods[i].Name == rt.Name {
			return &l.Methods[i]
		}
	}
	return nil
}

func (rt *route) argFields() []layout.Field {
	if m := rt.described(); m != nil {
		return m.Fields
	}
	return nil
}

func (rt *route) resultFields() []layout.Field {
	if m := rt.described(); m != nil {
		return m.Results
	}
	return nil
}

// printable is the text of v in one line of printable characters.
func printable(v any) string {
	text := fmt.Sprint(v)
	if len(text) > 300 {
		text = text[:300] + "…"
	}
	return strings.Map(func(c rune) rune {
		if unicode.IsPrint(c) {
			return c
		}
		return unicode.ReplacementChar
	}, text)
}
