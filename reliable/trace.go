package reliable

func (e *Endpoint) trace(kind TraceKind, m *outMessage) {
	if e.cfg.Trace != nil {
		e.traceMessage(kind, m)
	}
}

func (e *Endpoint) traceMessage(kind TraceKind, m *outMessage) {
	e.cfg.Trace(TraceEvent{At: e.now, Kind: kind, Seq: m.seq, Round: int(m.round), Deadline: e.dueOf(m)})
}

func (e *Endpoint) dueOf(m *outMessage) int64 {
	if m.place == none || int(m.place) >= len(e.queue.due.entries) {
		return 0
	}
	return e.queue.due.entries[m.place].at
}

func (e *Endpoint) traceSeq(kind TraceKind, seq int32) {
	if e.cfg.Trace != nil {
		e.cfg.Trace(TraceEvent{At: e.now, Kind: kind, Seq: seq})
	}
}

func (e *Endpoint) traceState(kind TraceKind) {
	if e.cfg.Trace != nil {
		e.cfg.Trace(TraceEvent{At: e.now, Kind: kind})
	}
}
