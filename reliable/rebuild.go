package reliable

import (
	"encoding/binary"

	"github.com/gannet-net/gannet/framing"
	"github.com/gannet-net/gannet/framing/packet"
)

const (
	recentBytes  = 504 // of messages that are kept for the next Xor, with their headers
	recentHeader = 1 + 4 + 1
	recentLife   = 1024 // messages after which nothing is kept any more if no Xor came
)

// recent is the messages that came last, kept although they were delivered, because an Xor that comes can cover them. They stand one behind the
// other, each behind its stream, sequence and length. It exists only while Xors come.
type recent struct {
	bytes [recentBytes]byte
	used  uint16
	since uint16 // messages since the last Xor
}

// keep makes room for a message by forgetting the oldest ones.
func (r *recent) keep(stream packet.Stream, seq int32, message []byte) {
	from, room := 0, recentBytes-recentHeader-len(message)
	for int(r.used)-from > room {
		from += recentHeader + int(r.bytes[from+recentHeader-1])
	}
	at := append(r.bytes[:0], r.bytes[from:r.used]...)
	at = binary.LittleEndian.AppendUint32(append(at, byte(stream)), uint32(seq))
	r.used = uint16(len(append(append(at, byte(len(message))), message...)))
}

// find is the message of a sequence, valid until the next is kept; nil if it is not kept.
func (r *recent) find(stream packet.Stream, seq int32) []byte {
	for at := 0; at < int(r.used); {
		head := r.bytes[at : at+recentHeader]
		at += recentHeader + int(head[5])
		if head[0] == byte(stream) && binary.LittleEndian.Uint32(head[1:]) == uint32(seq) {
			return r.bytes[at-int(head[5]) : at]
		}
	}
	return nil
}

// keepRecent keeps a message that came for the next Xor, as long as there are some.
func (e *Endpoint) keepRecent(s *receiveStream, seq int32, f *packet.Reliable) {
	kept := e.packets.recent
	if kept.since++; kept.since > recentLife {
		e.packets.recent = nil
		return
	}
	if f.First && f.Last && len(f.Payload) <= paritySize && s.mode != ReliableSequenced {
		kept.keep(s.name, seq, f.Payload)
	}
}

// takeXor rebuilds the message that an Xor covers and that did not come, if it is only one (PROTOCOL.md 10.5). It is taken as if it had come,
// but nothing tells the sender so.
func (e *Endpoint) takeXor(now int64, f *packet.Xor) {
	if e.state != StateConnected {
		return
	}
	if e.packets.recent == nil {
		e.packets.recent = new(recent)
	}
	e.packets.recent.since = 0
	s := e.knownStream(f.Stream)
	if s == nil {
		e.count.XorsUseless++
		return
	}
	seq, p, ok := e.solve(s, f)
	switch {
	case !ok:
		e.count.XorsUseless++
	case !p.fits():
		e.end(now, ProtocolError, "")
	default:
		e.takeRebuilt(now, s, f.Stream, seq, p.bytes[:p.lengths])
	}
}

// solve takes out of the parity all messages but the one that did not come, and tells which that is. It reports false if they are not
// kept, or if it is not one that did not come.
func (e *Endpoint) solve(s *receiveStream, f *packet.Xor) (missing int32, p parity, ok bool) {
	p = parity{f.Lengths, append(e.pool.parity[:0], f.Parity...)}
	for i := range f.Count {
		seq := wide(f.Seq+uint16(i), s.window.next)
		switch message := e.packets.recent.find(f.Stream, seq); {
		case seqAfter(seq, s.window.next) >= 0 && !s.window.holds(seq):
			if ok {
				return 0, p, false
			}
			missing, ok = seq, true
		case message == nil:
			return 0, p, false
		default:
			p.add(message)
		}
	}
	return missing, p, ok
}

// fits reports whether a parity out of which all messages but one were taken is a message.
func (p *parity) fits() bool {
	for i, b := range p.bytes {
		if b != 0 && i >= int(p.lengths) {
			return false
		}
	}
	return int(p.lengths) <= len(p.bytes)
}

// takeRebuilt takes a message that was rebuilt, if the credit allows it.
func (e *Endpoint) takeRebuilt(now int64, s *receiveStream, stream packet.Stream, seq int32, message []byte) {
	counted, sequenced := 0, 0
	f := packet.Reliable{Stream: stream, Seq: uint16(seq), First: true, Last: true, Payload: message}
	if _, over := e.weigh(&f, &counted, &sequenced); over != framing.Accepted {
		e.count.XorsUseless++
		return
	}
	e.count.MessagesRebuilt++
	e.arrive(now, s, seq, &f, true)
}
