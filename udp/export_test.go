package udp

// SystemSocket is a socket as hosts and clients have it.
func SystemSocket(addr string) (BlockingSocket, error) {
	conn, err := listenUDP("udp", addr, false)
	if err != nil {
		return nil, err
	}
	_ = conn.SetReadBuffer(4 << 20)
	return newUDPSocket(conn, true)
}

// ErrTooLong is what this system reports for a datagram that is larger than the buffer, if it reports one.
const ErrTooLong = errTooLong

// Largest asks for a buffer of a socket.
func Largest(set func(bytes int) error, bytes int) { largest(set, bytes) }

// FreeIDs is how many peer ids are free.
func (h *Host) FreeIDs() int {
	h.e.mu.Lock()
	defer h.e.mu.Unlock()
	return h.e.door.ids.small.free() + h.e.door.ids.large.free()
}

// Remembered is how many sessions the host has, those that have ended included.
func (h *Host) Remembered() int {
	h.e.mu.Lock()
	defer h.e.mu.Unlock()
	return len(h.e.sessions.byID) + h.e.order.len()
}
