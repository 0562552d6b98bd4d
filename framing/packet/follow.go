package packet

// follow is what the Reliable frames of a packet so far lead to, PROTOCOL.md 10.2: the one that goes on from the last has FOLLOWS.
type follow struct {
	any    bool   // there was one
	stream Stream // of the last
	seq    uint16 // after the last
	ended  bool   // the last was the end of its message
}

// leadsTo reports whether f goes on from the last Reliable.
func (w *follow) leadsTo(f *Reliable) bool {
	return w.any && w.stream == f.Stream && w.seq == f.Seq
}

// fault is the rule that f, to which the last Reliable leads, breaks: it begins a message if one has ended, and only then.
func (w *follow) fault(f *Reliable) Fault {
	if f.First != w.ended {
		return FaultFragment
	}
	return Valid
}

// pass makes f the last Reliable.
func (w *follow) pass(f *Reliable) { *w = follow{true, f.Stream, f.Seq + 1, f.Last} }
