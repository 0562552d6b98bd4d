package main

// describeMethods fills in what the description says of methods.
func (s *scanner) describeMethods() {
	for _, m := range s.cat.methods {
		m.layout.Fields, m.layout.Results = m.args.describe(), m.results.describe()
		s.cat.Methods = append(s.cat.Methods, m.layout)
		s.checkCallSize(m)
	}
}

// headBits is how many bits can stand before the arguments.
const headBits = 16 + 17 + 32 + 32

// checkCallSize compares the largest call with what its delivery carries.
func (s *scanner) checkCallSize(m *method) {
	_, most := s.cat.CallSizes(m.layout.Fields)
	_, answer := s.cat.CallSizes(m.layout.Results)
	bytes := (headBits + most + 7) / 8
	const smaller = "give its strings and lists a smaller max="
	for _, d := range m.layout.Deliveries {
		switch {
		case d.Reliable() && bytes > maxReliable:
			s.errorf(m.pos, "a call of %s can have %d bytes, more than the %d of a message: %s", m.layout.Name, bytes, maxReliable, smaller)
		case !d.Reliable() && bytes > maxLossy:
			s.errorf(m.pos, "a call of %s can have %d bytes, more than the %d of a message that can be lost: %s", m.layout.Name, bytes, maxLossy, smaller)
		case !d.Reliable() && bytes > maxPacket && !m.call.large:
			s.errorf(m.pos, "a call of %s can have %d bytes, but is %s, and above %d it travels in fragments of which each can be lost: %s, or write large", m.layout.Name, bytes, d,
				maxPacket, smaller)
		}
	}
	if bytes := (headBits + answer + 7) / 8; bytes > maxReliable {
		s.errorf(m.pos, "an answer of %s can have %d bytes, more than the %d of a message: %s", m.layout.Name, bytes, maxReliable, smaller)
	}
}
