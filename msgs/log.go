package msgs

import (
	"context"
	"fmt"
	"log/slog"
	"runtime/debug"
	"strings"
	"time"
	"unicode"
)

// logLimit bounds what all peers together can cause to be logged. Each peer and reason is logged once, but peers come and go.
var logLimit = Limit{Count: 32, Within: 32 * time.Second}

// longestText is how many bytes of an error are logged.
const longestText = 300

// logDrop logs, once for each peer and reason, a message that is not handled: a malformed one as a warning, others for who looks closely.
func (r *Router) logDrop(in *In, drop Drop, err error) {
	level, what := slog.LevelDebug, "Message"
	if drop.Malformed() {
		level, what = slog.LevelWarn, "Malformed message"
	}
	if bit := uint32(1) << drop; in.Peer.logged&bit == 0 && r.config.Logger.Enabled(context.Background(), level) {
		in.Peer.logged |= bit
		r.log(in, level, fmt.Sprintf("%s from %v ignored", what, in.Peer), drop, in.explain(drop, err))
	}
}

// log logs what a peer caused.
func (r *Router) log(in *In, level slog.Level, text string, drop Drop, err error) {
	if r.logBudget.Take(in.Peer.received, logLimit.Count, logLimit.Within) {
		r.config.Logger.Log(context.Background(), level, text,
			slog.String("reason", drop.String()), slog.String("message", in.name()), slog.String("error", printable(err)))
	}
}

// keptUnread counts and logs a message that is handled although it goes on after its fields.
func (r *Router) keptUnread(in *In, err error) {
	r.stats.Unread++
	in.Peer.stats.Unread++
	if bit := uint32(1) << Handled; in.Peer.logged&bit == 0 {
		in.Peer.logged |= bit
		r.log(in, slog.LevelWarn, fmt.Sprintf("Message from %v handled in part", in.Peer), DropUnread, err)
	}
}

// panicked logs the first panic of a handler for each type of message, with the stack.
func (r *Router) panicked(in *In, value any) {
	r.buffersLent = 0
	if in.route.panicLogged {
		return
	}
	in.route.panicLogged = true
	r.config.Logger.Error("A handler panicked", slog.String("message", in.name()), slog.String("peer", in.Peer.String()),
		slog.String("panic", printable(value)), slog.String("stack", string(debug.Stack())))
}

// guard calls a function of Config and survives its panic.
func (r *Router) guard(name string, p *Peer, f func()) {
	defer func() {
		if v := recover(); v != nil {
			r.buffersLent = 0
			r.stats.Panics++
			if !r.first(name) {
				return
			}
			r.config.Logger.Error("A function of Config panicked", slog.String("function", name), slog.String("peer", p.String()),
				slog.String("panic", printable(v)), slog.String("stack", string(debug.Stack())))
		}
	}()
	f()
}

// tell logs, once, what an author would otherwise search for: messages that nobody handles, and messages that the connection does not carry.
func (r *Router) tell(p *Peer) {
	if list := r.Unhandled(); len(list) > 0 && r.first("unhandled") {
		r.config.Logger.Warn("Messages without a handler are ignored", slog.String("messages", names(list)))
	}
	if r.told["unsupported"] {
		return
	}
	for _, reason := range r.unsupported(p) {
		r.told["unsupported"] = true
		r.config.Logger.Warn("Messages cannot be sent on this connection", slog.String("peer", p.String()),
			slog.String("messages", names(reason.messages)), slog.String("reason", reason.text))
	}
}

// tellFull logs, once, that nothing more is taken: without a RunFrame in each frame that stays so, and nothing else shows it.
func (r *Router) tellFull() {
	if r.first("full") {
		r.config.Logger.Warn("The queue for RunFrame is full: call RunFrame in each frame, or raise QueueMessages and QueueBytes")
	}
}

// first reports whether it is called with what for the first time.
func (r *Router) first(what string) bool {
	before := r.told[what]
	r.told[what] = true
	return !before
}

func names(list []Descriptor) string {
	var s strings.Builder
	for i, d := range list {
		if i > 0 {
			s.WriteString(", ")
		}
		s.WriteString(d.Catalogue.Name + "." + d.Entry.Name)
	}
	return s.String()
}

// printable is the text of v in one line of printable characters: errors may quote what came over the wire.
func printable(v any) string {
	text := fmt.Sprint(v)
	if len(text) > longestText {
		text = text[:longestText] + "…"
	}
	return strings.Map(func(c rune) rune {
		if unicode.IsPrint(c) {
			return c
		}
		return unicode.ReplacementChar
	}, text)
}
