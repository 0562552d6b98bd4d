package reliable

import (
	"github.com/gannet-net/gannet/framing"
	"github.com/gannet-net/gannet/framing/packet"
)

// list is a first-in first-out list of slots, linked through outMessage.next.
type list struct{ head, tail int32 }

// behind stands in the place of a slot for a message that the peer has, but that an earlier one of its stream keeps from its application.
const behind = none - 1

// stream is the sending side of one (channel, mode): what waits for its first transmission, and for reliable modes what is in flight, by
// sequence.
type stream struct {
	mode    Mode
	channel uint8
	name    packet.Stream // of a reliable stream on the packet wire
	class   Class
	weight  int64

	waiting list
	turn    int64 // when its next message has its turn among streams of its class, in bytes over weight
	held    bool  // it had its turn and might not send

	inFlight     []int32 // slot by sequence; none or behind if acked. Length is a power of two
	oldest, next int32   // oldest unacked sequence, next to be given
	unacked      int

	covered     int32  // packet wire: the first sequence that no Xor covered
	limitSeq    int32  // packet wire: the first sequence that the peer does not take yet
	sent, limit uint32 // packet wire: payload bytes sent for the first time, and how many the peer takes
	everAcked   uint64 // sequences behind oldest, to know what was never sent
}

// cost is by how much later the turn of the stream comes for n bytes.
func (s *stream) cost(n int) int64 {
	if s.weight == 1 { // as most have: a division takes longer than all the rest
		return int64(n+1) << 8
	}
	return int64(n+1) << 8 / s.weight
}

func (s *stream) mask() uint32 { return uint32(len(s.inFlight) - 1) }

// at is the slot of a sequence from oldest up to next, none if it was acked.
func (s *stream) at(seq int32) int32 { return max(s.inFlight[uint32(seq)&s.mask()], none) }

// find returns the slot of a sequence in flight.
func (s *stream) find(seq int32) (int32, framing.Drop) {
	ahead := seqAfter(seq, s.oldest)
	switch {
	case ahead >= seqAfter(s.next, s.oldest):
		return none, framing.DropAckUnsent
	case ahead < 0 && uint64(-ahead) > s.everAcked:
		return none, framing.DropAckUnsent
	case ahead < 0:
		return none, framing.DropAckAgain
	}
	if slot := s.at(seq); slot != none {
		return slot, framing.Accepted
	}
	return none, framing.DropAckAgain
}

// fly gives the message in slot the next sequence.
func (s *stream) fly(m *outMessage, slot int32) {
	if int(seqAfter(s.next, s.oldest)) == len(s.inFlight) {
		s.grow()
	}
	m.seq = s.next
	s.inFlight[uint32(s.next)&s.mask()] = slot
	s.next++
	s.unacked++
}

func (s *stream) grow() {
	grown := make([]int32, max(16, 2*len(s.inFlight)))
	mask := uint32(len(grown) - 1)
	for seq := s.oldest; seq != s.next; seq++ {
		grown[uint32(seq)&mask] = s.inFlight[uint32(seq)&s.mask()]
	}
	s.inFlight = grown
}

// land takes a sequence that was acked out of the flight.
func (s *stream) land(seq int32) {
	s.inFlight[uint32(seq)&s.mask()] = none
	s.unacked--
	for s.oldest != s.next && s.at(s.oldest) == none {
		s.oldest++
		s.everAcked++
	}
}

// arrived notes that the message that ends with an acked sequence is complete at the peer.
func (s *stream) arrived(seq int32) {
	if s.mode == ReliableOrdered && seqAfter(seq, s.oldest) >= 0 {
		s.inFlight[uint32(seq)&s.mask()] = behind
	}
}

// keptBack is how many messages the peer has and will discard if nothing more arrives.
func (s *stream) keptBack() (n int) {
	if s.mode != ReliableOrdered {
		return 0
	}
	for seq := s.oldest; seq != s.next; seq++ {
		if s.inFlight[uint32(seq)&s.mask()] == behind {
			n++
		}
	}
	return n
}
