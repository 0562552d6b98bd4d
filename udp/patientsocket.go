package udp

import (
	"errors"
	"net/netip"
	"os"
	"time"
)

const (
	patience     = time.Millisecond
	lastPatience = 20 * time.Microsecond
)

// patientSocket reads with a deadline: the system would not read at all with one that has passed already. One pass waits for at
// most about patience, however slowly datagrams drip in.
type patientSocket struct {
	systemSocket
	until time.Time // end of this pass's patience; zero between passes
}

func (s *patientSocket) TryRead(p []byte) (int, netip.AddrPort, netip.Addr, error) {
	now := time.Now()
	if s.until.IsZero() {
		s.until = now.Add(patience)
	}
	limit := s.until
	if soon := now.Add(lastPatience); limit.Before(soon) {
		limit = soon
	}
	if err := s.SetReadDeadline(limit); err != nil {
		return 0, netip.AddrPort{}, netip.Addr{}, err
	}
	n, from, at, err := s.Read(p)
	if isTimeout(err) {
		s.until = time.Time{}
		return 0, netip.AddrPort{}, netip.Addr{}, nil
	}
	return n, from, at, err
}

// isTimeout sees the time-outs of connections that do not use os.ErrDeadlineExceeded as well.
func isTimeout(err error) bool {
	if err == nil || errors.Is(err, os.ErrDeadlineExceeded) {
		return err != nil
	}
	var t interface{ Timeout() bool }
	return errors.As(err, &t) && t.Timeout()
}
