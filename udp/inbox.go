package udp

import "net/netip"

const (
	runSlot     = 64 << 10 // room for the longest run
	hostRuns    = 16       // runs that one read brings at most
	clientRuns  = 4
	runsOfBatch = 2 // one of so many datagrams of a full batch is like the one before it, if joining is worthwhile
)

// inbox is what one read brought: one datagram, or up to maxBatch of them where the socket can, or a few runs of many. Its buffers are made with the first
// read and grow while reads fill them.
type inbox struct {
	sock   Socket
	reader BatchReader // nil: one at a time
	runs   int         // that the next read may bring, 0 for none

	slot     int    // bytes of each part of slots
	slots    []byte // one for each message, which is a datagram or a run
	sizes    []int
	segments []int
	from     []netip.AddrPort
	at       []netip.Addr

	taken, count int   // messages
	inRun        int   // bytes taken of the message that taken is
	joined       bool  // what pop gave last came in a run,
	newRun       bool  // began one,
	newRead      bool  // or was the first that a read brought
	err          error // in the place of the last message

	bulk    bool // a read brought as much as reads can, and much of it could have been joined
	filled  bool // the last read brought all that there was room for
	emptied bool // or less, so that nothing waited after it
}

func newInbox(sock Socket) inbox {
	b := inbox{sock: sock}
	b.reader, _ = sock.(BatchReader)
	return b
}

func (b *inbox) resize(n, slot int) {
	b.slot, b.slots = slot, make([]byte, n*slot)
	b.sizes, b.segments = make([]int, n), make([]int, n)
	b.from, b.at = make([]netip.AddrPort, n), make([]netip.Addr, n)
}

// next gives the next datagram, or the error in its place, and reads if it has none. It reports false if nothing waits in the socket.
func (b *inbox) next() (d []byte, from netip.AddrPort, at netip.Addr, err error, ok bool) {
	if !b.holds() {
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
	d = b.slots[i*b.slot:][b.inRun:b.sizes[i]]
	b.joined = b.segments[i] > 0 && b.segments[i] < b.sizes[i]
	b.newRun, b.newRead = b.joined && b.inRun == 0, i == 0 && b.inRun == 0
	if b.joined && len(d) > b.segments[i] {
		d = d[:b.segments[i]:b.segments[i]]
		b.inRun += len(d)
		return d, b.from[i], b.at[i], nil, true
	}
	b.taken, b.inRun = i+1, 0
	if b.taken == b.count {
		err = b.err
	}
	return d, b.from[i], b.at[i], err, true
}

// holds reports whether there is something that was read and not taken.
func (b *inbox) holds() bool { return b.taken < b.count }

func (b *inbox) discard() { b.taken, b.count, b.inRun, b.err, b.emptied = 0, 0, 0, nil, false }

// read reads what waits in the socket, as far as there is room, or with wait at least one datagram.
func (b *inbox) read(wait bool) {
	b.discard()
	if b.reader == nil {
		b.readOne(wait)
		return
	}
	b.makeRoom()
	n, err := b.reader.ReadBatch(b.slots, b.sizes, b.segments, b.from, b.at, wait)
	b.filled = n == len(b.sizes)
	b.count, b.emptied = n, n > 0 && !b.filled
	b.bulk = b.bulk || n == maxBatch && b.runs == 0 && b.alike()
	if err != nil { // in the place of the datagram behind them
		b.sizes[n], b.segments[n], b.from[n], b.err = 0, 0, netip.AddrPort{}, err
		b.count, b.emptied = n+1, false
	}
}

func (b *inbox) makeRoom() {
	switch {
	case b.runs > 0 && b.slot != runSlot:
		b.resize(b.runs, runSlot)
	case b.runs > 0:
	case b.sizes == nil:
		b.resize(2, maxRead) // one more than most times come
	case b.filled && len(b.sizes) < maxBatch:
		b.resize(2*len(b.sizes), maxRead)
	}
}

// readOne is read where the socket gives one datagram at a time.
func (b *inbox) readOne(wait bool) {
	if b.sizes == nil {
		b.resize(1, maxRead)
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

// alike reports whether much of a full batch could have been joined.
func (b *inbox) alike() bool {
	alike := 0
	for i := 1; i < len(b.sizes); i++ {
		if b.sizes[i] == b.sizes[i-1] && b.from[i] == b.from[i-1] {
			alike++
		}
	}
	return alike*runsOfBatch >= len(b.sizes)
}
