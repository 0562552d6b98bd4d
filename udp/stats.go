package udp

import (
	"github.com/gannet-net/gannet/framing"
	"github.com/gannet-net/gannet/reliable"
)

// Stats are the counters and estimates of one connection. SpuriousRepairs counts the repairs that are known to have been needless, so there
// may have been more.
type Stats = reliable.Stats

// HostStats are the counters of one socket and all that used it. Counters never go back.
type HostStats struct {
	Peers  int // sessions that stand
	Locals int // attached connections

	DatagramsSent, DatagramsReceived uint64
	BytesSent, BytesReceived         uint64 // UDP payload

	// Writes and Reads are the calls that sent and brought datagrams: fewer than these where the socket is a BatchWriter and a BatchReader, as those of
	// Linux are.
	Writes, Reads uint64

	// Runs are datagrams of one size and one peer that the system cut or joined; Joined are the datagrams in them. SendOffload and ReceiveOffload are whether
	// that goes on, and if not, why. See Config.Offload.
	RunsSent, JoinedSent         uint64
	RunsReceived, JoinedReceived uint64
	SendOffload, ReceiveOffload  Offload

	// SendVerdicts count how often joining was given up for a while by evidence for what is sent to one peer, ReceiveVerdicts for all that is read. Alone is the number of peers for which nothing
	// is joined now because of a verdict. The end of a while is noticed when there is something to send or to read.
	SendVerdicts, ReceiveVerdicts uint64
	Alone                         int

	// Drops tells how each datagram that was not handled ended: those of strangers and those of peers.
	Drops framing.Drops

	Admitted, Refused uint64 // clients that were let in, and that were told to stay out
	Mismatched        uint64 // clients turned away because they have another Config.Catalogue

	// HandedOver counts the datagrams that this host read and another one of its port has the session of; see ListenShards.
	HandedOver uint64

	// Exchanges counts the Auths that the host computed with public keys for, Moved how often a peer has proved to be at another address.
	Exchanges, Moved uint64

	ReadErrors, WriteErrors uint64

	Reader                  ReaderMode // how the socket is read
	ReadBuffer, WriteBuffer int        // of the socket in the system, in bytes as it counts them; 0 if it does not tell
}

// counters are the part of HostStats that is counted.
type counters struct {
	datagramsSent, datagramsReceived uint64
	bytesSent, bytesReceived         uint64
	writes, reads                    uint64
	runsSent, joinedSent             uint64
	runsReceived, joinedReceived     uint64
	sendVerdicts, receiveVerdicts    uint64
	drops                            framing.Drops
	admitted, refused, mismatched    uint64
	moved, handedOver                uint64
	readErrors, writeErrors          uint64
}

func (n *counters) received(size int) {
	n.datagramsReceived++
	n.bytesReceived += uint64(size)
}

func (n *counters) sent(datagrams, size int) {
	n.datagramsSent += uint64(datagrams)
	n.bytesSent += uint64(size)
}

// sentMessage counts a datagram or a run.
func (n *counters) sentMessage(size, segment int) {
	datagrams := 1
	if size > segment {
		datagrams = (size + segment - 1) / segment
		n.runsSent++
		n.joinedSent += uint64(datagrams)
	}
	n.sent(datagrams, size)
}

func (e *engine) stats() HostStats {
	e.mu.Lock()
	defer e.mu.Unlock()
	n := &e.counters
	s := HostStats{
		Peers: e.standing(), Locals: len(e.locals.conns),
		DatagramsSent: n.datagramsSent, DatagramsReceived: n.datagramsReceived,
		BytesSent: n.bytesSent, BytesReceived: n.bytesReceived,
		Writes: n.writes, Reads: n.reads,
		RunsSent: n.runsSent, JoinedSent: n.joinedSent,
		RunsReceived: n.runsReceived, JoinedReceived: n.joinedReceived, ReceiveOffload: e.offload.receive,
		SendVerdicts: n.sendVerdicts, ReceiveVerdicts: n.receiveVerdicts,
		Drops:    n.drops,
		Admitted: n.admitted, Refused: n.refused, Mismatched: n.mismatched, Moved: n.moved, HandedOver: n.handedOver,
		ReadErrors: n.readErrors, WriteErrors: n.writeErrors,
		Reader: e.reader,
	}
	s.SendOffload, s.Alone = e.sending()
	if h := e.sessions.host; h != nil {
		s.Exchanges = h.Exchanges()
	}
	if b, ok := e.sock.(systemSocket); ok {
		s.ReadBuffer, s.WriteBuffer = b.Buffers()
	}
	return s
}

// standing counts the sessions that are not over.
func (e *engine) standing() int {
	n := 0
	for c := range e.order.all() {
		if c.stands() {
			n++
		}
	}
	return n
}
