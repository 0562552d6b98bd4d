package scenario

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"os"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/transport"
	"github.com/gannet-net/gannet/udp"
)

// bubble is where the background style runs in virtual time: a goroutine that waits for ever, or one that outlives the test, fails it.
type bubble struct {
	*testing.T
	board *switchboard
}

func inBubble(t *testing.T, f func(b *bubble)) {
	t.Helper()
	watched(t, func() {
		synctest.Test(t, func(t *testing.T) {
			t.Cleanup(func() { time.Sleep(time.Minute) }) // what still says goodbye comes to its end
			f(&bubble{T: t, board: &switchboard{lines: map[netip.AddrPort]*line{}, next: 50_000}})
		})
	})
}

// settle lets time pass until whatever runs has come to rest, so that what it wrote can be read.
func (b *bubble) settle(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

func (b *bubble) config(c udp.Config, l *line) udp.Config {
	c.Protocol, c.PacketConn = udp.Base, l
	return c
}

// listen opens a host on a line of its own, and ends it with the test.
func (b *bubble) listen(c udp.Config) (*udp.Host, *line) {
	b.Helper()
	l := b.board.line(port)
	c = b.config(c, l)
	h, err := udp.Listen("", c)
	require.NoError(b, err)
	b.Cleanup(func() {
		h.Abort()
		h.Close()
	})
	return h, l
}

// dial connects to a host, and ends the connection with the test.
func (b *bubble) dial(h *udp.Host, c udp.Config) (*udp.Conn, *line) {
	b.Helper()
	l := b.board.line(0)
	conn, err := udp.Dial(context.Background(), h.Addr().String(), b.config(c, l))
	require.NoError(b, err)
	b.Cleanup(func() {
		conn.Abort()
		conn.Close()
	})
	return conn, l
}

func (b *bubble) accept(h *udp.Host) *udp.Conn {
	b.Helper()
	conn, err := h.Accept(b.Context())
	require.NoError(b, err)
	return conn.(*udp.Conn)
}

// hears receives one message.
func (b *bubble) hears(c transport.Conn) string {
	b.Helper()
	ev, err := c.Receive(b.Context(), nil)
	require.NoError(b, err)
	return string(ev.Payload)
}

// ends waits for the end of a connection and gives the cause.
func ends(ctx context.Context, c transport.Conn) transport.Cause {
	for {
		if _, err := c.Receive(ctx, nil); err != nil {
			return causeOf(err)
		}
	}
}

func causeOf(err error) transport.Cause {
	var d *transport.DisconnectError
	if errors.As(err, &d) {
		return d.Cause
	}
	return 0
}

// switchboard connects lines. Their addresses are of loopback.
type switchboard struct {
	delay time.Duration // in each direction

	mu    sync.Mutex
	lines map[netip.AddrPort]*line
	next  uint16
	lose  func(d []byte, from, to netip.AddrPort) bool
}

// line is a net.PacketConn that a test can break.
type line struct {
	board *switchboard
	addr  netip.AddrPort
	in    chan arrival

	reporter bool // guarded by the lock of the board

	mu     sync.Mutex
	past   chan struct{} // closed while the read deadline is past
	broken error         // of every read from now on
}

// arrival is what one read returns.
type arrival struct {
	d    []byte
	from netip.AddrPort
	err  error
}

// line makes a line; port 0 takes a free one.
func (s *switchboard) line(port uint16) *line {
	s.mu.Lock()
	defer s.mu.Unlock()
	if port == 0 {
		s.next++
		port = s.next
	}
	l := &line{board: s, addr: local(port), in: make(chan arrival, 4096), past: make(chan struct{})}
	s.lines[l.addr] = l
	return l
}

// loses loses every datagram for which f reports true. f is called with the lock; nil ends it.
func (s *switchboard) loses(f func(d []byte, from, to netip.AddrPort) bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lose = f
}

// reports makes reads of the line return an error for each datagram that found nobody.
func (l *line) reports() *line {
	l.board.mu.Lock()
	defer l.board.mu.Unlock()
	l.reporter = true
	return l
}

func local(port uint16) netip.AddrPort {
	return netip.AddrPortFrom(netip.AddrFrom4([4]byte{127, 0, 0, 1}), port)
}

func (l *line) ReadFrom(p []byte) (int, net.Addr, error) {
	past, broken := l.state()
	if broken != nil {
		return 0, nil, broken
	}
	select {
	case a := <-l.in:
		if !a.from.IsValid() {
			return 0, nil, a.err
		}
		return copy(p, a.d), net.UDPAddrFromAddrPort(a.from), a.err
	case <-past:
		return 0, nil, os.ErrDeadlineExceeded
	}
}

func (l *line) state() (past chan struct{}, broken error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.past, l.broken
}

func (l *line) WriteTo(p []byte, addr net.Addr) (int, error) {
	to := addr.(*net.UDPAddr).AddrPort()
	if l.board.delay == 0 {
		l.board.deliver(p, l, to)
		return len(p), nil
	}
	late := append([]byte{}, p...)
	time.AfterFunc(l.board.delay, func() { l.board.deliver(late, l, to) })
	return len(p), nil
}

func (s *switchboard) deliver(p []byte, from *line, to netip.AddrPort) {
	s.mu.Lock()
	defer s.mu.Unlock()
	receiver := s.lines[to]
	switch {
	case s.lines[from.addr] != from || s.lose != nil && s.lose(p, from.addr, to):
	case receiver != nil:
		receiver.push(arrival{d: append([]byte{}, p...), from: from.addr})
	case from.reporter:
		from.push(arrival{err: errRefused})
	}
}

// push loses what does not fit, as a receive buffer does.
func (l *line) push(a arrival) {
	select {
	case l.in <- a:
	default:
	}
}

// fails makes one read return an error.
func (l *line) fails(err error) { l.push(arrival{err: err}) }

// breaks makes every read return an error from now on.
func (l *line) breaks(err error) {
	l.mu.Lock()
	l.broken = err
	l.mu.Unlock()
	l.fails(err)
}

// vanishes takes the line off the board: what is sent to it finds nobody, and what it sends gets nowhere.
func (l *line) vanishes() {
	l.board.mu.Lock()
	defer l.board.mu.Unlock()
	delete(l.board.lines, l.addr)
}

func (l *line) LocalAddr() net.Addr { return net.UDPAddrFromAddrPort(l.addr) }

// SetReadDeadline knows two deadlines: none, and one that has passed.
func (l *line) SetReadDeadline(t time.Time) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if t.IsZero() {
		l.past = make(chan struct{})
	} else {
		close(l.past)
	}
	return nil
}

func (l *line) SetDeadline(t time.Time) error    { return l.SetReadDeadline(t) }
func (l *line) SetWriteDeadline(time.Time) error { return nil }

func (l *line) Close() error {
	l.vanishes()
	return nil
}
