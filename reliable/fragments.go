package reliable

// whole is a message that travels in fragments, until the fate of each is known.
type whole struct {
	payload []byte
	parts   int32  // fragments, and parities, whose fate is not known
	count   int32  // of fragments
	size    int32  // of each fragment but the last
	stream  int32  // index in sendQueue.streams
	seq     int32  // of a sequenced lossy one: all its fragments have the same; of a reliable one that was begun: of its first
	order   uint32 // low bits of outMessage.order of its fragments, to know it again
	id      uint16 // of a lossy one, on the wire
	fate    Fate
	begun   bool // a fragment was sent

	parities uint8 // see fragmentparity.go
	covered  uint8 // of those, that are acked
	acked    uint8 // fragments of a reliable one that has parities; they are at most 64
	lost     uint8 // fragments of a lossy one that has them
}

// split queues the message in slot as fragments of at most size bytes, with so many parities behind them.
func (q *sendQueue) split(slot int32, size, parities int) {
	m := q.slots[slot]
	count := (len(m.payload) + size - 1) / size
	w := whole{
		payload: m.payload, parts: int32(count + parities), count: int32(count), size: int32(size), order: uint32(m.order),
		stream: int32(m.stream), id: q.nextWhole, parities: uint8(parities),
	}
	if !q.streamOf(&m).mode.reliable() {
		q.nextWhole++
	}
	m.whole = q.takeWhole(w)
	for i := range count + parities {
		if i > 0 {
			slot = q.take()
		}
		m.index = uint16(i)
		m.first, m.last = i == 0, i == count-1
		if i < count {
			m.payload = w.payload[i*size : min((i+1)*size, len(w.payload))]
		} else {
			m.payload, m.parity, m.index = w.payload[:0], true, uint16(i-count)
		}
		q.slots[slot] = m
		q.wait(slot)
	}
}

func (q *sendQueue) takeWhole(w whole) int32 {
	if n := len(q.spare); n > 0 {
		i := q.spare[n-1]
		q.spare = q.spare[:n-1]
		q.wholes[i] = w
		return i
	}
	q.wholes = append(q.wholes, w)
	return int32(len(q.wholes) - 1)
}

func (q *sendQueue) giveWhole(i int32) {
	q.wholes[i] = whole{}
	q.spare = append(q.spare, i)
}

// begun reports whether a message was sent in part. Then it is neither withdrawn nor replaced: the peer has the rest.
func (q *sendQueue) begun(m *outMessage) bool {
	return m.whole != none && q.wholes[m.whole].begun
}

// worse is what is reported of a message whose fragments had two fates.
func worse(a, b Fate) Fate {
	if a == 0 || a == Delivered || a == Sent && b != Delivered {
		return b
	}
	return a
}

// evenPart is how many bytes each fragment of a message has if it is cut into as few as can be of at most room bytes, of the same size.
func evenPart(n, room int) int {
	count := max(1, (n+room-1)/room)
	return (n + count - 1) / count
}
