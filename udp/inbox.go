package udp

import "net/netip"

// inbox is what one read brought: one datagram, or up to maxBatch where the socket can. Its buffers are made with the first read and grow while
// reads fill them.
type inbox struct {
	sock   Socket
	reader BatchReader // nil: one at a time

	slots []byte // of maxRead bytes each
	sizes []int
	from  []netip.AddrPort
	at    []netip.Addr

	taken, count int
	err          error // of the last one

	filled  bool // the last read brought all that there was room for
	emptied bool // or less, so that nothing waited after it
}

func newInbox(sock Socket) inbox {
	b := inbox{sock: sock}
	b.reader, _ = sock.(BatchReader)
	return b
}

func (b *inbox) resize(n int) {
	b.slots = make([]byte, n*maxRead)
	b.sizes, b.from, b.at = make([]int, n), make([]netip.AddrPort, n), make([]netip.Addr, n)
}

// next gives the next datagram, or the error in its place, and reads if it has none. It reports false if nothing waits in the socket.
func (b *inbox) next() (d []byte, from netip.AddrPort, at netip.Addr, err error, ok bool) {
	if b.taken == b.count {
		if b.emptied {
			b.emptied = false
			return nil, from, at, nil, false
		}
		b.read(false)
	}
	return b.pop()
}

// pop is next without reading.
func (b *inbox) pop() (d []byte, from netip.AddrPort, at netip.Addr, err error, ok bool) {
	i := b.taken
	if i == b.count {
		return nil, from, at, nil, false
	}
	b.taken++
	if b.taken == b.count {
		err = b.err
	}
	return b.slots[i*maxRead:][:b.sizes[i]], b.from[i], b.at[i], err, true
}

// isFirst reports whether pop gave the first that a read brought.
func (b *inbox) isFirst() bool { return b.taken == 1 }

// holds reports whether there is something that was read and not taken.
func (b *inbox) holds() bool { return b.taken < b.count }

func (b *inbox) discard() { b.taken, b.count, b.err, b.emptied = 0, 0, nil, false }

// read reads what waits in the socket, as far as there is room, or with wait at least one datagram.
func (b *inbox) read(wait bool) {
	b.discard()
	if b.reader == nil {
		b.readOne(wait)
		return
	}
	b.makeRoom()
	n, err := b.reader.ReadBatch(b.slots, b.sizes, b.from, b.at, wait)
	b.filled = n == len(b.sizes)
	b.count, b.emptied = n, n > 0 && !b.filled
	if err != nil { // in the place of the datagram behind them
		b.sizes[n], b.from[n], b.err = 0, netip.AddrPort{}, err
		b.count, b.emptied = n+1, false
	}
}

func (b *inbox) makeRoom() {
	switch {
	case b.sizes == nil:
		b.resize(firstBatch)
	case b.filled && len(b.sizes) < maxBatch:
		b.resize(2 * len(b.sizes))
	}
}

// readOne is read where the socket gives one datagram at a time.
func (b *inbox) readOne(wait bool) {
	if b.sizes == nil {
		b.resize(1)
	}
	if wait {
		b.sizes[0], b.from[0], b.at[0], b.err = b.sock.(BlockingSocket).Read(b.slots)
	} else {
		b.sizes[0], b.from[0], b.at[0], b.err = b.sock.TryRead(b.slots)
	}
	if wait || b.err != nil || b.from[0].IsValid() {
		b.count = 1
	}
}
