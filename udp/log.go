package udp

import (
	"log/slog"
	"time"
)

const logInterval = int64(10 * time.Second)

// logReason is what a log line is about.
type logReason uint8

const (
	logRead logReason = iota
	logWrite
	logFailed
	logPolicy
	logMismatch
	numLogReasons
)

// logs lets each reason through once in 10 s, and keeps the lines until no lock is held.
type logs struct {
	reasons [numLogReasons]struct {
		logged bool
		last   int64
		muted  int
	}
	lines []logLine
}

type logLine struct {
	text  string
	err   error
	muted int
}

func (l *logs) add(now int64, reason logReason, text string, err error) {
	if l.mute(now, reason) {
		return
	}
	r := &l.reasons[reason]
	l.lines = append(l.lines, logLine{text, err, r.muted})
	r.logged, r.last, r.muted = true, now, 0
}

// mute counts a line that is not let through now. Whoever has to make an error for a line asks first.
func (l *logs) mute(now int64, reason logReason) bool {
	r := &l.reasons[reason]
	if !r.logged || now-r.last >= logInterval {
		return false
	}
	r.muted++
	return true
}

func (l *logs) take() []logLine {
	lines := l.lines
	l.lines = nil
	return lines
}

// write says how many lines of the same reason were left out before this one.
func (l *logLine) write(to *slog.Logger) {
	to.Warn("udp: "+l.text, "err", l.err, "left_out", l.muted)
}
