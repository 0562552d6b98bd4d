package system

import (
	"errors"

	"github.com/gannet-net/gannet/msgs"
	"github.com/gannet-net/gannet/transport"
	"github.com/gannet-net/gannet/wire"
)

const (
	legacyChunk  = 1024 // bytes of data in a chunk
	legacyHeader = 4    // sequence, index, count
	legacyMost   = 255  // chunks of a message
	legacySets   = 4    // messages of a variant that are put together at once
)

// LegacySender sends messages of legacy bytes to one client, in chunks of at most 1,024 bytes: each begins with the sequence of its message (16 bits), its index, and the
// number of chunks.
type LegacySender struct {
	// Reserve is how much room, in bytes, the send queue has to have for messages that may be lost. With less they are dropped, so that those that must arrive do
	// not have to wait behind movement. The default is 64 KiB.
	Reserve int
	// Dropped counts the messages that were dropped so.
	Dropped uint64

	sequences [2]uint16 // of the two variants
}

// ErrLegacyTooLarge is returned for a message of more than 255 chunks.
var ErrLegacyTooLarge = errors.New("system: a legacy message has at most 261,120 bytes")

// Send sends b to a client.
func (s *LegacySender) Send(to *msgs.Peer, reliable bool, b []byte) error {
	count := max((len(b)+legacyChunk-1)/legacyChunk, 1)
	if count > legacyMost {
		return ErrLegacyTooLarge
	}
	if !reliable && s.busy(to.Conn()) {
		s.Dropped++
		return nil
	}
	sequence := &s.sequences[variant(reliable)]
	defer func() { *sequence++ }()
	chunk := make([]byte, 0, legacyHeader+legacyChunk)
	for i := range count {
		chunk = wire.AppendUint16(chunk[:0], *sequence)
		chunk = append(chunk, uint8(i), uint8(count))
		chunk = append(chunk, b[i*legacyChunk:min((i+1)*legacyChunk, len(b))]...)
		if err := SendLegacy(to, reliable, chunk); err != nil {
			return err
		}
	}
	return nil
}

// busy reports whether there is too little room for what may be lost.
func (s *LegacySender) busy(conn transport.Conn) bool {
	reserve := s.Reserve
	if reserve == 0 {
		reserve = 64 << 10
	}
	return conn == nil || conn.Sendable() < reserve
}

func variant(reliable bool) int {
	if reliable {
		return 1
	}
	return 0
}

// LegacyReceiver puts messages together again that a LegacySender sent. Of each variant it keeps four messages that are not complete; a fifth pushes the oldest out.
type LegacyReceiver struct {
	Malformed  uint64 // chunks that cannot be
	Incomplete uint64 // messages that were pushed out

	sets [2][legacySets]legacySet
	time uint64
}

// legacySet is a message that is put together.
type legacySet struct {
	used     bool
	sequence uint16
	began    uint64
	left     int
	chunks   [][]byte // nil where one is missing
}

// Receive takes a chunk, in the form in which ClientConfig.Legacy has it. It returns the message that the chunk completes, which belongs to the caller, else nil.
func (r *LegacyReceiver) Receive(reliable bool, packet []byte, offset, size int) []byte {
	in := wire.NewReader(packet[offset : offset+size])
	sequence, index, count := in.Uint16(), int(in.Uint8()), int(in.Uint8())
	data := in.Rest()
	last := index == count-1
	if in.Err() != nil || index >= count || len(data) > legacyChunk || !last && len(data) < legacyChunk {
		r.Malformed++
		return nil
	}
	set := r.set(variant(reliable), sequence, count)
	switch {
	case len(set.chunks) != count:
		r.Malformed++
		return nil
	case set.chunks[index] != nil:
		return nil // the network has copied it
	}
	set.chunks[index] = append(make([]byte, 0, len(data)), data...)
	set.left--
	if set.left > 0 {
		return nil
	}
	return set.take()
}

// set finds the message with a sequence, or begins it.
func (r *LegacyReceiver) set(variant int, sequence uint16, count int) *legacySet {
	sets := &r.sets[variant]
	oldest := &sets[0]
	for i := range sets {
		set := &sets[i]
		if set.used && set.sequence == sequence {
			return set
		}
		if !set.used && oldest.used || set.used == oldest.used && set.began < oldest.began {
			oldest = set
		}
	}
	if oldest.used {
		r.Incomplete++
	}
	r.time++
	*oldest = legacySet{used: true, sequence: sequence, began: r.time, left: count, chunks: make([][]byte, count)}
	return oldest
}

// take returns the whole message, and forgets it.
func (s *legacySet) take() []byte {
	whole := []byte{}
	for _, chunk := range s.chunks {
		whole = append(whole, chunk...)
	}
	*s = legacySet{}
	return whole
}
