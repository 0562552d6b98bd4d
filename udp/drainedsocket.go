package udp

import (
	"errors"
	"net"
	"net/netip"
	"time"
)

// drainedSocket reads in a goroutine of its own, into buffers that TryRead takes over and gives back. When all are full it
// reads no further, and the system's buffer fills.
type drainedSocket struct {
	systemSocket
	free, full chan *readResult
	down       chan struct{} // closed by Close
}

// readResult is what one Read returned.
type readResult struct {
	n    int
	from netip.AddrPort
	at   netip.Addr
	err  error
	buf  [maxRead]byte
}

func newDrainedSocket(sock systemSocket) *drainedSocket {
	s := &drainedSocket{
		systemSocket: sock,
		free:         make(chan *readResult, passDatagrams),
		full:         make(chan *readResult, passDatagrams),
		down:         make(chan struct{}),
	}
	for range passDatagrams {
		s.free <- new(readResult)
	}
	go s.run()
	return s
}

func (s *drainedSocket) run() {
	for {
		var r *readResult
		select {
		case r = <-s.free:
		case <-s.down:
			return
		}
		r.n, r.from, r.at, r.err = s.Read(r.buf[:])
		s.full <- r
		switch {
		case errors.Is(r.err, net.ErrClosed):
			return
		case r.err != nil:
			time.Sleep(firstBackOff)
		}
	}
}

func (s *drainedSocket) TryRead(p []byte) (int, netip.AddrPort, netip.Addr, error) {
	select {
	case r := <-s.full:
		n := copy(p, r.buf[:r.n])
		from, at, err := r.from, r.at, r.err
		s.free <- r
		return n, from, at, err
	default:
		return 0, netip.AddrPort{}, netip.Addr{}, nil
	}
}

func (s *drainedSocket) Close() error {
	close(s.down)
	return s.systemSocket.Close()
}
