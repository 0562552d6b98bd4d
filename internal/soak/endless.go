package soak

import "net/netip"

// A Poll may read so much (PROTOCOL.md 6), and an endless socket has more.
const (
	mostOfPoll = 64 * 256
	endless    = 4 * mostOfPoll
)

// beginEndless lets more wait in the socket of a machine than any system holds: whatever was read, there is another one, of a stranger and empty.
func beginEndless(w *world, f *Fault) {
	if m := w.machine(f.Player); m.running && m.sock != nil && !m.sock.broken {
		m.sock.endless = true
	}
}

// TryRead reads what was sent, or one of the endless datagrams.
func (s *socket) TryRead(b []byte) (n int, from netip.AddrPort, at netip.Addr, err error) {
	if s.endless && s.served < endless {
		s.served++
		return 0, netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 251, 3, 1}), 9), at, nil
	}
	return s.Socket.TryRead(b)
}

// polled holds that a Poll has come to an end in time, and ends what was endless.
func (m *machine) polled() {
	if m.sock.served > mostOfPoll {
		m.w.fail(Bounded, "%s: one Poll read %d datagrams", m.node.Name(), m.sock.served)
	}
	m.sock.endless, m.sock.served = false, 0
}
