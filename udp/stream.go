package udp

import (
	"context"
	"errors"
	"io"
	"net"
	"net/netip"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/pion/transport/v3/deadline"

	"github.com/gannet-net/gannet/transport"
)

// Stream makes a net.Conn of a connection, for code that wants a stream of bytes: they travel as ReliableOrdered messages, and the boundaries
// between Writes are lost. The connection must be driven in the background without a handler and not be read or closed in another
// way. The peer has to use a Stream as well, or send ReliableOrdered messages.
//
// Write blocks while the send queue is full. Read returns io.EOF once the peer has closed and everything was read. Close delivers what
// was written, for at most the linger time. Deadlines satisfy errors.Is(err, os.ErrDeadlineExceeded). Errors are *net.OpError.
func Stream(c transport.Conn) net.Conn {
	return &stream{conn: c, reading: deadline.New(), writing: deadline.New()}
}

// streamRetry is how soon Write looks again for room in a full queue: a fraction of the time that acks take.
const streamRetry = time.Millisecond

type stream struct {
	conn             transport.Conn
	reading, writing *deadline.Deadline
	closed           atomic.Bool

	readMu sync.Mutex
	buf    []byte // lent to Receive
	unread []byte // the rest of the last message, in buf

	writeMu sync.Mutex // one Write's bytes stay together
}

// Read reads what has come of the stream, at least one byte.
func (s *stream) Read(p []byte) (int, error) {
	s.readMu.Lock()
	defer s.readMu.Unlock()
	if err := s.open(s.reading); err != nil {
		return 0, s.opError("read", err)
	}
	for len(s.unread) == 0 && len(p) > 0 {
		ev, err := s.conn.Receive(s.reading, s.buf)
		if err != nil {
			return 0, s.readError(err)
		}
		s.buf, s.unread = ev.Payload, ev.Payload
	}
	n := copy(p, s.unread)
	s.unread = s.unread[n:]
	return n, nil
}

// Write queues all of p, waiting for room if need be.
func (s *stream) Write(p []byte) (n int, err error) {
	s.writeMu.Lock()
	defer s.writeMu.Unlock()
	for n < len(p) {
		chunk := p[n:min(len(p), n+s.conn.MaxPayload(transport.ReliableOrdered))]
		if err := s.send(chunk); err != nil {
			return n, s.opError("write", err)
		}
		n += len(chunk)
	}
	return n, nil
}

// send returns when there was room for chunk.
func (s *stream) send(chunk []byte) error {
	for {
		if err := s.open(s.writing); err != nil {
			return err
		}
		err := s.conn.Send(chunk, transport.SendOptions{Delivery: transport.ReliableOrdered})
		if !errors.Is(err, transport.ErrQueueFull) {
			return err
		}
		select {
		case <-s.writing.Done():
		case <-time.After(streamRetry):
		}
	}
}

// open is an error if the stream was closed or the deadline has passed.
func (s *stream) open(d *deadline.Deadline) error {
	switch {
	case s.closed.Load():
		return net.ErrClosed
	case d.Err() != nil:
		return os.ErrDeadlineExceeded
	}
	return nil
}

// readError is the error of Read for one of Receive.
func (s *stream) readError(err error) error {
	var end *transport.DisconnectError
	switch {
	case s.closed.Load():
		err = net.ErrClosed
	case errors.Is(err, context.DeadlineExceeded):
		err = os.ErrDeadlineExceeded
	case errors.As(err, &end) && end.Cause == transport.ClosedByPeer:
		return io.EOF
	}
	return s.opError("read", err)
}

func (s *stream) opError(op string, err error) error {
	return &net.OpError{Op: op, Net: "gannet", Source: s.LocalAddr(), Addr: s.RemoteAddr(), Err: err}
}

// Close makes Reads and Writes that wait return, and then closes the connection.
func (s *stream) Close() error {
	s.closed.Store(true)
	s.reading.Set(time.Unix(1, 0))
	s.writing.Set(time.Unix(1, 0))
	if err := s.conn.Close(); err != nil {
		return s.opError("close", err)
	}
	return nil
}

func (s *stream) LocalAddr() net.Addr { return netUDPAddr(s.conn.LocalAddr()) }

func (s *stream) RemoteAddr() net.Addr { return netUDPAddr(s.conn.RemoteAddr()) }

func (s *stream) SetDeadline(t time.Time) error {
	return errors.Join(s.SetReadDeadline(t), s.SetWriteDeadline(t))
}

func (s *stream) SetReadDeadline(t time.Time) error { return s.setDeadline(s.reading, t) }

func (s *stream) SetWriteDeadline(t time.Time) error { return s.setDeadline(s.writing, t) }

func (s *stream) setDeadline(d *deadline.Deadline, t time.Time) error {
	if s.closed.Load() {
		return s.opError("set", net.ErrClosed)
	}
	d.Set(t)
	return nil
}

func netUDPAddr(a netip.AddrPort) net.Addr { return net.UDPAddrFromAddrPort(a) }

// StreamListener makes a net.Listener of a host in the background style without a handler. Accept gives Streams. Close closes the host
// and with it all its connections, as Host.Close does.
func StreamListener(h *Host) net.Listener { return &streamListener{h} }

type streamListener struct{ host *Host }

func (l *streamListener) Accept() (net.Conn, error) {
	conn, err := l.host.Accept(context.Background())
	if err != nil {
		return nil, &net.OpError{Op: "accept", Net: "gannet", Addr: l.Addr(), Err: err}
	}
	return Stream(conn), nil
}

func (l *streamListener) Close() error { return l.host.Close() }

func (l *streamListener) Addr() net.Addr { return netUDPAddr(l.host.Addr()) }
