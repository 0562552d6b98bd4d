package sim

// faults are errors that a socket call is to return.
type faults struct {
	left int // calls that fail still; negative for all to come
	err  error
}

// take gives the error of this call, nil if it is to succeed.
func (f *faults) take() error {
	if f.left == 0 {
		return nil
	}
	if f.left > 0 {
		f.left--
	}
	return f.err
}

// FailReads makes the next n calls of TryRead return err, or all of them if n is negative; 0 ends it. Nothing that waits is
// lost. The processes of the socket are woken.
func (s *Socket) FailReads(n int, err error) {
	s.reads = faults{n, err}
	s.wake()
}

// FailWrites makes the next n calls of Write return err and send nothing, or all of them if n is negative; 0 ends it.
func (s *Socket) FailWrites(n int, err error) { s.writes = faults{n, err} }

// ReportRefused makes the socket learn of datagrams that came to a port without a socket: after the time of the way back, one read
// or write returns err, such as ECONNREFUSED. A nil err switches it off, which it is at first; real systems do it on connected sockets.
func (s *Socket) ReportRefused(err error) { s.refusal = err }

// refuse sends the report that a datagram on l found no socket.
func (s *Socket) refuse(l *link) {
	if s.refusal == nil {
		return
	}
	nw := l.nw
	back := nw.link(l.to, l.from)
	nw.At(nw.now+int64(back.conditions.Delay), func() {
		if s.refusal != nil && !s.closed && !back.cut {
			s.reads = faults{1, s.refusal}
			s.writes = faults{1, s.refusal}
			s.wake()
		}
	})
}
