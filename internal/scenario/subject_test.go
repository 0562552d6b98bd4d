package scenario

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/framing"
	sealing "github.com/gannet-net/gannet/secure"
	"github.com/gannet-net/gannet/transport"
	"github.com/gannet-net/gannet/udp"
)

// subject is the host or client under test in a case of a table, with a game loop that the test turns.
type subject struct {
	*testing.T
	stage
	config udp.Config
	addr   netip.AddrPort
	host   *udp.Host // one of the two is nil
	conn   *udp.Conn
	came   int      // datagrams to those who are scripted
	events []string // not read yet
}

// hosts starts a host.
func (s *subject) hosts() {
	addr := s.listen(&s.config)
	var err error
	s.host, err = udp.Listen(addr, s.config)
	require.NoError(s, err)
	s.addr = s.reached(s.host.Addr())
	s.Cleanup(func() { s.host.Abort(); s.host.Poll() })
}

// dials starts a client.
func (s *subject) dials(to netip.AddrPort) {
	s.listen(&s.config)
	var err error
	s.conn, err = udp.Dial(context.Background(), to.String(), s.config)
	require.NoError(s, err)
	s.Cleanup(func() { s.conn.Abort(); s.conn.Poll() })
	s.turn()
	s.addr = s.reached(s.conn.LocalAddr())
}

// simulatedAlone ends a case on real sockets.
func (s *subject) simulatedAlone() {
	if s.real() {
		s.Skip("addresses of loopback are not judged like this")
	}
}

// stats are those of who is under test.
func (s *subject) stats() udp.HostStats {
	if s.host != nil {
		return s.host.Stats()
	}
	return s.conn.HostStats()
}

func (s *subject) loop() loop {
	if s.host != nil {
		return s.host
	}
	return s.conn
}

// turn is one turn of the game loop under test.
func (s *subject) turn() {
	l := s.loop()
	l.Poll()
	for ev, ok := l.Next(); ok; ev, ok = l.Next() {
		s.note(ev)
	}
	l.Flush()
}

func (s *subject) note(ev transport.Event) {
	line := ""
	switch ev.Kind {
	case transport.Connected:
		line = fmt.Sprint("connected ", ev.Conn.ID())
	case transport.Message:
		line = "message " + string(ev.Payload)
	case transport.Disconnected:
		line = fmt.Sprint("disconnected ", causeOf(ev.Err))
	case transport.DialFailed:
		line = "failed"
		if s.config.Protocol == udp.Base {
			line += " " + ev.Err.Error()
		}
		var refused *sealing.DialError
		if errors.As(ev.Err, &refused) {
			line += ": " + refused.Error()
		}
	}
	s.events = append(s.events, line)
}

// ending sends one datagram and gives the one counter in which it ends.
func (s *subject) ending(from socket, d []byte) string {
	s.Helper()
	before := s.stats()
	from.write(d, s.addr)
	s.pass(0)
	for limit := time.Now().Add(patience); s.stats().DatagramsReceived == before.DatagramsReceived; {
		require.True(s, time.Now().Before(limit), "nothing arrives")
		s.turn()
	}
	s.turn()
	after := s.stats()
	ended := "accepted"
	for drop := range framing.NumDrops {
		if n := after.Drops[drop] - before.Drops[drop]; n > 0 {
			require.EqualValues(s, 1, n)
			require.Equal(s, "accepted", ended, "also %v", framing.Drop(drop))
			ended = framing.Drop(drop).String()
		}
	}
	return ended
}

// allThatWasSent calls read, which tells how many datagrams it has read, until those who are scripted have all.
func (s *subject) allThatWasSent(read func() int) {
	s.Helper()
	s.turn()
	s.pass(0)
	for limit := time.Now().Add(patience); s.came < int(s.stats().DatagramsSent); s.came += read() {
		require.True(s, time.Now().Before(limit), "what was sent does not arrive")
	}
}

// lets time pass in small steps, and calls do after each.
func (s *subject) lets(d time.Duration, do func()) {
	const step = 10 * time.Millisecond
	for ; d > 0; d -= step {
		s.pass(min(d, step))
		s.turn()
		do()
	}
}
