package udp_test

import (
	"bytes"
	"fmt"
	"net/netip"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/framing"
	"github.com/gannet-net/gannet/sim"
	"github.com/gannet-net/gannet/transport"
	"github.com/gannet-net/gannet/udp"
)

// batched is a socket of the simulator that moves many datagrams with one call, as those of Linux do.
type batched struct {
	*sim.Socket
	writes []int                // messages of each call
	refuse func(d []byte) error // those that cannot be sent

	runs   bool             // it is able to cut and join
	cut    func(run []byte) // damages what it cuts,
	cutFor netip.AddrPort   // for this peer alone, if it is one
	joins  bool             // it joins
	glue   func(run []byte) // damages what it joins
	next   []byte           // read, and no part of the last run
	nextOf netip.AddrPort
	nextAt netip.Addr
}

func (s *batched) CanJoin() bool { return s.runs }

func (s *batched) JoinReads(on bool) bool {
	s.joins = on
	return on
}

func (s *batched) WriteBatch(p []byte, sizes, segments []int, to []netip.AddrPort, from []netip.Addr) (int, error) {
	s.writes = append(s.writes, len(sizes))
	for i, size := range sizes {
		d := p[:size]
		if s.refuse != nil {
			if err := s.refuse(d); err != nil {
				return i, err
			}
		}
		if s.cut != nil && size > segments[i] && (!s.cutFor.IsValid() || s.cutFor == to[i]) {
			d = bytes.Clone(d)
			s.cut(d)
		}
		for len(d) > 0 {
			n := min(segments[i], len(d))
			if err := s.Write(d[:n], to[i], from[i]); err != nil {
				return i, err
			}
			d = d[n:]
		}
		p = p[size:]
	}
	return len(sizes), nil
}

func (s *batched) ReadBatch(p []byte, sizes, segments []int, from []netip.AddrPort, at []netip.Addr, _ bool) (int, error) {
	slot := len(p) / len(sizes)
	for i := range sizes {
		var err error
		sizes[i], segments[i], from[i], at[i], err = s.readRun(p[i*slot:][:slot])
		if err != nil || !from[i].IsValid() {
			return i, err
		}
	}
	return len(sizes), nil
}

// readRun reads one datagram, or as many alike as wait if the socket joins.
func (s *batched) readRun(p []byte) (size, segment int, from netip.AddrPort, at netip.Addr, err error) {
	size, from, at, err = s.readNext(p)
	segment = size
	if !s.joins || err != nil || !from.IsValid() {
		return size, segment, from, at, err
	}
	for n := 1; n < 64 && size+2000 < len(p); n++ {
		more, next, nextAt, err := s.readNext(p[size:])
		if err != nil || !next.IsValid() {
			break
		}
		if next != from || more > segment {
			s.next, s.nextOf, s.nextAt = bytes.Clone(p[size:][:more]), next, nextAt
			break
		}
		size += more
		if more < segment {
			break
		}
	}
	if s.glue != nil && size > segment {
		s.glue(p[:size])
	}
	return size, segment, from, at, nil
}

func (s *batched) readNext(p []byte) (n int, from netip.AddrPort, at netip.Addr, err error) {
	if s.next == nil {
		return s.TryRead(p)
	}
	n, from, at = copy(p, s.next), s.nextOf, s.nextAt
	s.next = nil
	return n, from, at, nil
}

// batchWorld is a secure world with a host and as many clients, whose sockets move many datagrams with one call.
func batchWorld(t *testing.T, clients int) (w *world, h *member, players []*member) {
	w = newSecureWorld(t)
	w.batches = true
	h = w.host(keyed())
	for i := range clients {
		players = append(players, w.client(fmt.Sprint("player ", i), h, knows()))
	}
	w.run(time.Second)
	require.Len(t, h.host.Conns(), clients)
	h.log, h.batch.writes = nil, nil
	return w, h, players
}

func TestWhatATickSaysToAllLeavesWithOneCall(t *testing.T) {
	w, h, players := batchWorld(t, 40)
	before := h.host.Stats()
	require.NoError(t, h.host.Broadcast([]byte("tick"), unreliable))
	require.Empty(t, h.batch.writes, "nothing leaves before Flush")
	h.host.Flush()
	require.Equal(t, []int{40}, h.batch.writes)
	after := h.host.Stats()
	require.EqualValues(t, 40, after.DatagramsSent-before.DatagramsSent)
	require.EqualValues(t, 1, after.Writes-before.Writes)
	w.run(time.Second)
	for _, p := range players {
		require.Contains(t, p.log[len(p.log)-1], "message tick")
	}
}

func TestMoreThanABatchHoldsLeavesInSeveralAndInOrder(t *testing.T) {
	w, h, players := batchWorld(t, 150)
	require.NoError(t, h.host.Broadcast([]byte("first"), unreliable))
	h.host.Flush()
	require.Equal(t, []int{64, 64, 22}, h.batch.writes)
	require.NoError(t, h.host.Broadcast([]byte("second"), unreliable))
	h.host.Flush()
	w.run(time.Second)
	for i, p := range players {
		require.Equal(t, []string{fmt.Sprint(i+1, " connected"), fmt.Sprint(i+1, " message first"), fmt.Sprint(i+1, " message second")}, p.log)
	}
}

func TestADatagramThatCannotBeSentHoldsUpNoOther(t *testing.T) {
	w, h, players := batchWorld(t, 5)
	n := 0
	h.batch.refuse = func([]byte) error {
		if n++; n == 2 || n == 3 {
			return errNetDown
		}
		return nil
	}
	before := h.host.Stats()
	require.NoError(t, h.host.Broadcast([]byte("tick"), unreliable))
	h.host.Flush()
	require.Equal(t, []int{5, 3, 2}, h.batch.writes)
	after := h.host.Stats()
	require.EqualValues(t, 2, after.WriteErrors-before.WriteErrors)
	require.EqualValues(t, 3, after.DatagramsSent-before.DatagramsSent)
	w.run(100 * time.Millisecond)
	got := ""
	for _, p := range players {
		got += p.log[len(p.log)-1] + "; "
	}
	require.Equal(t, "1 message tick; 2 connected; 3 connected; 4 message tick; 5 message tick; ", got)
}

func TestAnswersToStrangersLeaveTogether(t *testing.T) {
	w := newWorld(t)
	w.batches = true
	h := w.host(lan())
	var knockers []*raw
	for i := range 8 {
		r := w.raw(fmt.Sprint("knocker ", i), h)
		require.NoError(t, r.sock.Write(framing.AppendConnect(nil, "another"), r.to, netip.Addr{}))
		knockers = append(knockers, r)
	}
	w.run(100 * time.Millisecond)
	require.EqualValues(t, 8, h.host.Stats().DatagramsSent)
	require.Less(t, len(h.batch.writes), 8)
	for _, r := range knockers {
		r.wants("Refuse \"version\"")
	}
}

func TestAReadErrorInABatchChangesNothing(t *testing.T) {
	w, h, players := batchWorld(t, 1)
	h.sock.FailReads(3, errNetDown)
	players[0].say("hello", ordered)
	w.run(time.Second)
	h.wants("1 message hello")
	require.EqualValues(t, 3, h.host.Stats().ReadErrors)
}

// crowd is a game-loop host and its clients on sockets of the system.
func crowd(t *testing.T, clients int) (*udp.Host, []*udp.Conn) {
	t.Helper()
	config := udp.Config{Protocol: udp.Base, Driving: udp.GameLoop}
	h := listen(t, config)
	var conns []*udp.Conn
	drivers := []driver{h}
	for range clients {
		c, err := udp.Dial(testContext(t), h.Addr().String(), config)
		require.NoError(t, err)
		conns, drivers = append(conns, c), append(drivers, c)
	}
	t.Cleanup(func() {
		for _, c := range conns {
			c.Abort()
		}
		sends := func(c *udp.Conn) bool { return c.NextDeadline() != noDeadline }
		loop(t, func() bool { return !slices.ContainsFunc(conns, sends) }, func(transport.Event) {}, drivers...)
	})
	loop(t, func() bool { return len(h.Conns()) == clients }, func(transport.Event) {}, drivers...)
	return h, conns
}

func TestSocketsOfLinuxMoveManyDatagramsWithOneCall(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("Linux alone has the calls")
	}
	const clients = 70
	h, conns := crowd(t, clients)
	for range 20 { // until all buffers have grown
		for _, c := range conns {
			send(t, c, "hello", unreliable)
			c.Flush()
		}
		h.Poll()
	}
	before := h.Stats()
	for _, c := range conns {
		send(t, c, "hello", unreliable)
		c.Flush()
	}
	h.Poll()
	require.NoError(t, h.Broadcast([]byte("tick"), unreliable))
	h.Flush()
	after := h.Stats()
	require.EqualValues(t, clients, after.DatagramsReceived-before.DatagramsReceived)
	require.EqualValues(t, 2, after.Reads-before.Reads)
	require.GreaterOrEqual(t, after.DatagramsSent-before.DatagramsSent, uint64(clients))
	require.LessOrEqual(t, after.Writes-before.Writes, uint64(4))
}
