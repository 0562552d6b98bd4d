package sim

// marks say what was done to a datagram's bytes.
type marks uint8

const (
	markCorrupted marks = 1 << iota
	markTruncated
	markExtended
)

// MaxPayload is the largest payload of a UDP datagram over IPv4.
const MaxPayload = 65507

// damage changes the payload as the conditions have it. Each kind draws once for every datagram.
func (l *link) damage(d *datagram) {
	c := &l.conditions
	if c.Truncate > 0 {
		l.truncate(d, l.draw(streamTruncate))
	}
	if c.Extend > 0 {
		l.extend(d, l.draw(streamExtend))
	}
	if c.Corrupt > 0 {
		l.corrupt(d, l.draw(streamCorrupt))
	}
	if d.marks != 0 {
		d.payloadHash = hashBytes(d.payload)
	}
}

func (l *link) truncate(d *datagram, draw uint64) {
	if !l.conditions.Truncate.hits(draw) {
		return
	}
	to := below(l.draw(streamTruncate), uint64(max(1, len(d.payload))))
	if int(to) < len(d.payload) {
		d.payload = d.payload[:to]
		d.marks |= markTruncated
	}
}

func (l *link) extend(d *datagram, draw uint64) {
	if !l.conditions.Extend.hits(draw) {
		return
	}
	most := l.conditions.ExtendBytes
	if most == 0 {
		most = 64
	}
	by := 1 + int(below(l.draw(streamExtend), uint64(most)))
	for ; by > 0; by-- {
		octet := byte(l.draw(streamExtend))
		if len(d.payload) < MaxPayload {
			d.payload = append(d.payload, octet)
			d.marks |= markExtended
		}
	}
}

func (l *link) corrupt(d *datagram, draw uint64) {
	if !l.conditions.Corrupt.hits(draw) {
		return
	}
	for range max(1, l.conditions.CorruptBits) {
		bit := below(l.draw(streamCorrupt), uint64(max(1, len(d.payload)*8)))
		if len(d.payload) > 0 {
			d.payload[bit/8] ^= 1 << (bit % 8)
			d.marks |= markCorrupted
		}
	}
}

// tellMarks counts and records what was done to a datagram that was not lost.
func (l *link) tellMarks(d *datagram) {
	if d.marks&markCorrupted != 0 {
		l.counts.Corrupted++
		l.nw.record(Corrupted, d)
	}
	if d.marks&markTruncated != 0 {
		l.counts.Truncated++
		l.nw.record(Truncated, d)
	}
	if d.marks&markExtended != 0 {
		l.counts.Extended++
		l.nw.record(Extended, d)
	}
}
