package udp

// maxPeerID is the highest peer id of the base protocol (PROTOCOL.md 1). 0 is the host itself.
const maxPeerID = 250

// peerIDs gives out peer ids, least recently freed first. That order alone keeps the rest of 3 s that PROTOCOL.md 3.3 asks for: an id
// that still rests is reached only when every other free one was freed later.
type peerIDs struct {
	free fifo[uint8]
}

func newPeerIDs() peerIDs {
	var p peerIDs
	for id := 1; id <= maxPeerID; id++ {
		p.free.push(uint8(id))
	}
	return p
}

// take returns 0 if no id is free.
func (p *peerIDs) take() uint8 {
	id, _ := p.free.pop()
	return id
}

func (p *peerIDs) give(id uint8) { p.free.push(id) }
