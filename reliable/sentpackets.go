package reliable

// Packets that were sent are remembered until their fate is known, up to this many.
const maxSentPackets = 1024

// keptPackets are remembered in any case, for when they left.
const keptPackets = 6

type packetState uint8

const (
	packetNone        packetState = iota // nothing to be acked, or a number left out
	packetOutstanding                    // asks for an ack that has not come
	packetAcked
	packetLost // no ack came although later packets were acked; one may still come
)

// sentPacket is one packet that was sent and what it held.
type sentPacket struct {
	at       int64
	begin    uint32 // first of its refs
	refs     uint8
	state    packetState
	reliable bool   // it held a reliable message
	first    bool   // it held one that was sent for the first time
	credit   bool   // it held a Credit frame
	ticket   bool   // it held a Ticket frame
	bulk     bool   // it held bulk, and nothing else but control
	size     uint16 // of bulk: bytes with all headers
	cohort   uint16 // to which it belongs, see Mark
}

// messageRef is a message that a packet held. order tells whether the slot still holds that message.
type messageRef struct {
	slot  int32
	order uint32
}

// sentPackets is a ring of packets by number, and of what they held.
type sentPackets struct {
	packets     []sentPacket // length is a power of two
	first, next int64        // numbers that are remembered: [first, next)
	outstanding int          // packets with reliable messages that are not acked or lost
	skipped     [4]int64     // numbers left out last

	refs              []messageRef // ring; length is a power of two
	refFirst, refNext uint32

	decidedTo int64 // no ack says anything new about a number below
}

func (s *sentPackets) at(number int64) *sentPacket {
	return &s.packets[uint64(number)&uint64(len(s.packets)-1)]
}

// begin opens the record of the next packet.
func (s *sentPackets) begin(now int64, cohort uint16) *sentPacket {
	if s.next-s.first == int64(len(s.packets)) {
		s.growPackets()
	}
	p := s.at(s.next)
	*p = sentPacket{at: now, begin: s.refNext, cohort: cohort}
	s.next++
	return p
}

// skip leaves out a number.
func (s *sentPackets) skip(now int64, cohort uint16) {
	copy(s.skipped[1:], s.skipped[:])
	s.skipped[0] = s.next
	s.begin(now, cohort)
}

// undo takes back the record opened last.
func (s *sentPackets) undo() { s.next-- }

func (s *sentPackets) growPackets() {
	grown := make([]sentPacket, max(8, 2*len(s.packets)))
	for n := s.first; n < s.next; n++ {
		grown[uint64(n)&uint64(len(grown)-1)] = *s.at(n)
	}
	s.packets = grown
}

// hold notes that the packet opened last holds a message.
func (s *sentPackets) hold(slot int32, order uint64) {
	if s.refNext-s.refFirst == uint32(len(s.refs)) {
		s.growRefs()
	}
	*s.refAt(s.refNext) = messageRef{slot, uint32(order)}
	s.refNext++
	s.at(s.next-1).refs++
}

func (s *sentPackets) growRefs() {
	grown := make([]messageRef, max(16, 2*len(s.refs)))
	for i := s.refFirst; i != s.refNext; i++ {
		grown[i&uint32(len(grown)-1)] = s.refs[i&uint32(len(s.refs)-1)]
	}
	s.refs = grown
}

// ref is the i-th message that p held.
func (s *sentPackets) ref(p *sentPacket, i uint8) messageRef {
	return *s.refAt(p.begin + uint32(i))
}

// refAt is an entry of the ring of refs.
func (s *sentPackets) refAt(i uint32) *messageRef { return &s.refs[i&uint32(len(s.refs)-1)] }

// refsOf is where in the ring a message stands that a packet held.
func (s *sentPackets) refsOf(number int64, message messageRef) uint32 {
	i := s.at(number).begin
	for *s.refAt(i) != message {
		i++
	}
	return i
}

// await notes that the packet opened last asks for an ack.
func (s *sentPackets) await(reliable bool) {
	p := s.at(s.next - 1)
	p.state, p.reliable = packetOutstanding, reliable
	if reliable {
		s.outstanding++
	}
}

// decided notes that a packet that was outstanding is acked or lost.
func (s *sentPackets) decided(p *sentPacket, state packetState) {
	p.state = state
	if p.reliable {
		s.outstanding--
	}
}

// undecided is the first number that an ack may say something new about. Each ack names what earlier ones named again, so this is what keeps
// it from being looked at again.
func (s *sentPackets) undecided() int64 {
	n := max(s.decidedTo, s.first)
	for n < s.next && (s.at(n).state == packetAcked || s.at(n).state == packetNone) {
		n++
	}
	s.decidedTo = n
	return n
}

// full is the oldest packet if it is outstanding and as many as can be remembered were sent since, else nil.
func (s *sentPackets) full() *sentPacket {
	if s.next-s.first < maxSentPackets-1 {
		return nil
	}
	if p := s.at(s.first); p.state == packetOutstanding {
		return p
	}
	return nil
}

// forget drops the records at the front whose fate is known. An ack that comes later than that says nothing any more.
func (s *sentPackets) forget(keepAfter int64) {
	for s.first < s.next {
		p := s.at(s.first)
		over := s.next-s.first >= maxSentPackets-1
		if s.next-s.first <= keptPackets || p.state == packetOutstanding || p.state == packetLost && p.at > keepAfter && !over {
			return
		}
		s.refFirst = p.begin + uint32(p.refs)
		s.first++
	}
}

// lostBefore reports whether the packet that asked for an ack before this one was lost.
func (s *sentPackets) lostBefore(number int64) bool {
	for n := number - 1; n >= s.first; n-- {
		switch s.at(n).state {
		case packetLost:
			return true
		case packetAcked, packetOutstanding:
			return false
		}
	}
	return false
}
