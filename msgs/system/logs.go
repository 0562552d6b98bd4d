package system

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/gannet-net/gannet/msgs"
	"github.com/gannet-net/gannet/msgs/layout"
)

// Logs are switches for what is of use while a game is made. What an operator should know is logged without them.
type Logs struct {
	SendToClient, SendToServer           bool // messages that could not be sent, each
	ReceiveFromClient, ReceiveFromServer bool // messages that could not be read, or not to their end, each
	BadMessages                          bool // malformed and unexpected messages, each with its bytes
}

// noticeLimit bounds what a peer can cause to be logged without a switch.
var noticeLimit = msgs.Limit{Count: 10, Within: time.Second}

// logbook writes the log of one side.
type logbook struct {
	*slog.Logger
	send, receive, bad bool
	from               layout.Side // of what is received
	notices            limiter
}

func newLogbook(l *slog.Logger) logbook {
	if l == nil {
		l = slog.New(slog.DiscardHandler)
	}
	return logbook{Logger: l}
}

// notice logs what the other side caused, within noticeLimit.
func (b *logbook) notice(now int64, level slog.Level, text string, args ...any) {
	if b.notices.take(now, noticeLimit) {
		b.Log(context.Background(), level, text, args...)
	}
}

// unsent logs a message that could not be sent.
func (b *logbook) unsent(p *msgs.Peer, err error) {
	if b.send {
		b.Error("Message not sent", "to", p.String(), "error", err.Error())
	}
}

// dropped logs a message that was not handled, with its payload if that is known.
func (b *logbook) dropped(p *msgs.Peer, drop msgs.Drop, payload []byte) {
	if drop == msgs.DropNoHandler || drop == msgs.DropPanic {
		return // the one is silent by design, and the router tells of the other
	}
	if !b.receive && !b.bad {
		return // to explain takes time, of which a hostile peer would have much
	}
	name, err := b.explain(payload, drop)
	if b.receive && drop.Malformed() {
		b.Error("Message could not be read", "message", name, "from", p.String(), "error", err)
	}
	if b.bad {
		b.Warn("Bad message", "message", name, "from", p.String(), "reason", drop.String(), "error", err, "bytes", fmt.Sprintf("% x", payload[:min(len(payload), 64)]))
	}
}

// unread logs a message that was handled, but not read to its end.
func (b *logbook) unread(p *msgs.Peer, payload []byte) {
	if b.receive {
		name, _ := b.explain(payload, msgs.DropUnread)
		b.Warn("Did not read to the end of a message", "message", name, "from", p.String(), "bytes", len(payload))
	}
}

// explain finds out which message it was, and what is wrong with it.
func (b *logbook) explain(payload []byte, drop msgs.Drop) (name, err string) {
	err = drop.String()
	l, bad := Catalogue.Layout()
	if bad != nil {
		return "", err
	}
	m, bad := l.Find(b.from, payload)
	if bad != nil {
		return "", bad.Error()
	}
	if bad := l.Walk(m, payload, nil); bad != nil {
		err = bad.Error()
	}
	return m.Name, err
}

// onlyErrors passes on what is an error: of the rest, a Server and a Client say more themselves.
type onlyErrors struct{ slog.Handler }

func (h onlyErrors) Enabled(ctx context.Context, level slog.Level) bool {
	return level >= slog.LevelError && h.Handler.Enabled(ctx, level)
}
