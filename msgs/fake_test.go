package msgs_test

import (
	"context"
	"fmt"
	"log/slog"
	"net/netip"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/msgs"
	"github.com/gannet-net/gannet/transport"
)

// conn is a connection that remembers what was sent.
type conn struct {
	id            uint32
	local, proves bool
	base          bool // carries what the base protocol does
	refuses       error
	ended         *transport.DisconnectError
	forgets       bool // sent stays empty

	sent []sent
}

type sent struct {
	payload string
	o       transport.SendOptions
}

func (c *conn) ID() uint32                 { return c.id }
func (c *conn) LocalAddr() netip.AddrPort  { return netip.AddrPort{} }
func (c *conn) RemoteAddr() netip.AddrPort { return netip.AddrPort{} }
func (c *conn) Local() bool                { return c.local }
func (c *conn) Authenticated() bool        { return c.proves }
func (c *conn) Sendable() int              { return 1000 }
func (c *conn) Poll()                      {}
func (c *conn) Flush()                     {}
func (c *conn) Abort()                     { c.end(transport.ClosedLocally) }
func (c *conn) Close() error               { c.end(transport.ClosedLocally); return nil }

func (c *conn) Next() (transport.Event, bool) { return transport.Event{}, false }

func (c *conn) Receive(context.Context, []byte) (transport.Event, error) {
	return transport.Event{}, transport.ErrGameLoop
}

func (c *conn) Supports(d transport.Delivery, channel uint8) bool {
	return !c.base || channel == 0 && (d == transport.Unreliable || d == transport.ReliableOrdered)
}

func (c *conn) MaxPayload(d transport.Delivery) int {
	if c.base {
		return 500
	}
	return 1 << 20
}

func (c *conn) Send(payload []byte, o transport.SendOptions) error {
	switch {
	case c.ended != nil:
		return c.ended
	case c.refuses != nil:
		return c.refuses
	case !c.forgets:
		c.sent = append(c.sent, sent{string(payload), o})
	}
	return nil
}

func (c *conn) Err() error {
	if c.ended == nil {
		return nil
	}
	return c.ended
}

func (c *conn) Kick(code uint16, text string) {
	c.end(transport.Kicked)
	c.ended.Code, c.ended.Text = code, text
}

func (c *conn) end(cause transport.Cause) {
	if c.ended == nil {
		c.ended = &transport.DisconnectError{Cause: cause}
	}
}

// payloads are those that were sent, and forgotten with that.
func (c *conn) payloads() (list []string) {
	for _, s := range c.sent {
		list = append(list, s.payload)
	}
	c.sent = nil
	return list
}

// table is a router with connections that the test plays.
type table struct {
	*testing.T
	*msgs.Router
	log strings.Builder
	at  int64 // of the events
}

// newTable makes a router of chat, at the host unless c says otherwise.
func newTable(t *testing.T, c msgs.Config, handlers ...msgs.Handler) *table {
	tb := &table{T: t}
	if c.Side == 0 {
		c.Side = msgs.Host
	}
	if c.Catalogues == nil {
		c.Catalogues = []msgs.Mount{{Catalogue: &chat}}
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.NewTextHandler(&tb.log, &slog.HandlerOptions{Level: slog.LevelDebug, ReplaceAttr: withoutTime}))
	}
	c.Handlers = append(c.Handlers, handlers...)
	var err error
	tb.Router, err = msgs.NewRouter(c)
	require.NoError(t, err)
	return tb
}

func withoutTime(_ []string, a slog.Attr) slog.Attr {
	if a.Key == slog.TimeKey {
		return slog.Attr{}
	}
	return a
}

// joins begins a session.
func (tb *table) joins(id uint32) *conn {
	c := &conn{id: id}
	tb.connects(c)
	return c
}

func (tb *table) connects(c *conn) {
	tb.Route(transport.Event{Kind: transport.Connected, Conn: c, At: tb.at})
}

// leaves ends a session.
func (tb *table) leaves(c *conn) {
	c.end(transport.ClosedByPeer)
	tb.Route(transport.Event{Kind: transport.Disconnected, Conn: c, At: tb.at, Err: c.ended})
}

// sends routes a message from c as its catalogue says.
func (tb *table) sends(c *conn, m msgs.Message) bool {
	return tb.sendsBytes(c, m.Descriptor().Entry, encoded(m))
}

func (tb *table) sendsBytes(c *conn, e *msgs.Entry, b []byte) bool {
	return tb.Route(transport.Event{Kind: transport.Message, Conn: c, At: tb.at, Payload: b, Delivery: e.Delivery, Channel: e.Channel})
}

// drops are the counters of the router that are not 0.
func (tb *table) drops() string {
	return fmt.Sprint(tb.Stats().Drops)
}

// lines are what was logged, and forgotten with that.
func (tb *table) lines() []string {
	text := strings.TrimSpace(tb.log.String())
	tb.log.Reset()
	if text == "" {
		return nil
	}
	return strings.Split(text, "\n")
}
