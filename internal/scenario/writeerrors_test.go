package scenario

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/netip"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/framing"
	"github.com/gannet-net/gannet/sim"
	"github.com/gannet-net/gannet/transport"
	"github.com/gannet-net/gannet/udp"
)

// faulty is a socket of the simulator whose writes fail when the test says so.
type faulty struct {
	*sim.Socket
	fails  func(d []byte, to netip.AddrPort) error
	failed map[framing.Kind]int
	writes int
}

func (f *faulty) Write(p []byte, to netip.AddrPort, from netip.Addr) error {
	f.writes++
	if err := f.fails(p, to); err != nil {
		f.failed[kindOf(p)]++
		return err
	}
	return f.Socket.Write(p, to, from)
}

// failing puts a faulty socket under a host or a client.
func failing(into **faulty, fails func(d []byte, to netip.AddrPort) error) setting {
	return func(c *udp.Config) {
		*into = &faulty{Socket: c.Socket.(*sim.Socket), fails: fails, failed: map[framing.Kind]int{}}
		c.Socket = *into
	}
}

// B02: 3 of 100 writes fail, and then 50 in a row.
func TestFailedWriteIsOneLostDatagram(t *testing.T) {
	for _, why := range []error{syscall.ENOBUFS, syscall.EAGAIN, syscall.EPERM, syscall.EMSGSIZE} {
		t.Run(why.Error(), func(t *testing.T) {
			n := size(500, 2000)
			rng := rand.New(rand.NewPCG(2, 0))
			burst := 0
			w := newWorld(t)
			h := w.host()
			var sock *faulty
			c := w.client("client", h, failing(&sock, func([]byte, netip.AddrPort) error {
				if burst--; burst > 0 || rng.IntN(100) < 3 {
					return why
				}
				return nil
			}))
			w.until(soon, c.connected)
			filler := string(make([]byte, 200))
			w.every(2*time.Millisecond, n, func(i int) {
				if i == n/2 {
					burst = 50
				}
				c.sends(fmt.Sprint("r", i, filler), ordered)
				c.sends(fmt.Sprint("u", i, filler), unreliable)
			})
			w.run(time.Second)

			var got [2]int
			for _, m := range h.session().heard {
				if m[0] == 'r' {
					require.Equal(t, fmt.Sprint("r", got[0], filler), m)
					got[0]++
				} else {
					got[1]++
				}
			}
			require.Equal(t, n, got[0])
			require.Equal(t, n-sock.failed[framing.KindUnreliable], got[1])
			require.NotZero(t, sock.failed[framing.KindReliable])
			require.True(t, c.connected())
			require.Less(t, sock.writes, 3*n, "and nothing was tried again at once")
		})
	}
}

// lines is a logger that counts.
type lines struct {
	records []slog.Record
	at      []int64
	clock   func() int64
}

func (l *lines) Enabled(context.Context, slog.Level) bool { return true }
func (l *lines) WithAttrs([]slog.Attr) slog.Handler       { return l }
func (l *lines) WithGroup(string) slog.Handler            { return l }

func (l *lines) Handle(_ context.Context, r slog.Record) error {
	l.records, l.at = append(l.records, r), append(l.at, l.clock())
	return nil
}

func (l *lines) into(c *udp.Config) { l.clock, c.Logger = c.Clock, slog.New(l) }

// leftOut sums what the lines say was not logged.
func (l *lines) leftOut() (n int) {
	for _, r := range l.records {
		r.Attrs(func(a slog.Attr) bool {
			if a.Key == "left_out" {
				n += int(a.Value.Int64())
			}
			return true
		})
	}
	return n
}

// B15: every write fails for a minute.
func TestRepeatedErrorIsLoggedOnceInTenSecondsWithACount(t *testing.T) {
	w := newWorld(t)
	var log lines
	var sock *faulty
	broken := false
	h := w.host(log.into, failing(&sock, func([]byte, netip.AddrPort) error {
		if broken {
			return syscall.EINVAL
		}
		return nil
	}))
	c := w.client("client", h, func(c *udp.Config) { c.Timeout = time.Hour })
	w.until(soon, c.connected)
	broken = true
	w.every(10*time.Millisecond, 6000, func(int) { _ = h.session().conn.Send([]byte("x"), unreliable); h.wake() })
	require.GreaterOrEqual(t, len(log.records), 6)
	require.LessOrEqual(t, len(log.records), 7)
	for i := range log.at[1:] {
		require.GreaterOrEqual(t, log.at[i+1]-log.at[i], int64(10*time.Second))
	}
	require.InDelta(t, h.host.Stats().WriteErrors, len(log.records)+log.leftOut(), 1100, "all but those since the last line")
}

// B15: a dial that nobody answers, in a loop of 10 ms.
func TestDialThatNobodyAnswersIsReportedOnce(t *testing.T) {
	w := newWorld(t)
	var log lines
	c := w.clientOn(w.nw.Node("client"), 0, w.nw.Node("nobody").AddrPort(port), log.into)
	c.frame = 10 * time.Millisecond
	events := 0
	c.on = func(transport.Event) { events++ }
	w.run(time.Minute)
	require.Equal(t, 1, events)
	require.Error(t, c.session().err)
	require.Empty(t, log.records)
}
