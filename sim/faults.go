package sim

// faults are errors that a socket call is to return.
type faults struct {
	left int // calls that fail still; negative for all to come
	err  error
}

// take gives the error of this call, nil if it is to succeed, and counts it.
func (f *faults) take(count *uint64) error {
	if f.left == 0 {
		return nil
	}
	if f.left > 0 {
		f.left--
	}
	*count++
	return f.err
}

// fail makes the next calls fail, n of them or all if n is negative; none if err is nil.
func (f *faults) fail(n int, err error) {
	if err == nil {
		n = 0
	}
	*f = faults{n, err}
}

// FailListens makes the next calls of Listen and ListenOn fail with err: that many, or all if calls is negative; 0 ends
// it.
func (n *Node) FailListens(calls int, err error) { n.listens.fail(calls, err) }

// FailReads makes the next n calls of TryRead return err, or all of them if n is negative; 0 ends it. Nothing that
// waits is lost. The processes of the socket are woken.
func (s *Socket) FailReads(n int, err error) {
	s.reads.fail(n, err)
	s.wake()
}

// FailWrites makes the next n calls of Write return err and send nothing, or all of them if n is negative; 0 ends it.
func (s *Socket) FailWrites(n int, err error) { s.writes.fail(n, err) }

// ReportRefused makes the socket learn of datagrams that came to a port without a socket: after the delay of the way
// back, one read or write returns err, such as ECONNREFUSED. A nil err switches it off, which it is at first; real
// systems report it on connected sockets.
func (s *Socket) ReportRefused(err error) { s.refusal = err }

// refuse sends the report that a datagram on l found no socket.
func (s *Socket) refuse(l *link) {
	if s.refusal == nil {
		return
	}
	back := l.nw.link(l.to, l.from)
	l.nw.After(back.conditions.Delay, func() {
		if !s.closed && !back.cut {
			s.refused.fail(1, s.refusal)
			s.wake()
		}
	})
}

// fault gives the error that a call on the socket is to return: that of a refused datagram, or what the test has asked
// for.
func (s *Socket) fault(asked *faults, count *uint64) error {
	if err := s.refused.take(count); err != nil {
		return err
	}
	return asked.take(count)
}
