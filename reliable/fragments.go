package reliable

// whole is a message that travels in fragments, until the fate of each is known.
type whole struct {
	payload []byte
	parts   int
	fate    Fate
	id      uint16 // of a lossy one, on the wire
	count   int
	seq     int32 // of a sequenced lossy one: all its fragments have the same
	begun   bool  // a fragment was sent
}

// split queues the message in slot as fragments of at most size bytes.
func (q *sendQueue) split(slot int32, size int) {
	m := q.slots[slot]
	count := (len(m.payload) + size - 1) / size
	w := whole{payload: m.payload, parts: count, count: count, id: q.nextWhole}
	if !q.streamOf(&m).mode.reliable() {
		q.nextWhole++
	}
	m.whole = q.takeWhole(w)
	for i := range count {
		if i > 0 {
			slot = q.take()
		}
		m.index = uint16(i)
		m.first, m.last = i == 0, i == count-1
		m.payload = w.payload[i*size : min((i+1)*size, len(w.payload))]
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
