package system

import (
	"github.com/gannet-net/gannet/msgs"
	"github.com/gannet-net/gannet/transport"
	"github.com/gannet-net/gannet/wire"
)

// Widths of the ids of messages, in bits.
const (
	hostIDBits   = 5 // 19 messages
	clientIDBits = 4 // 9 messages
)

// sendRaw sends a raw message: its id, and what body writes behind it.
func sendRaw(to msgs.Target, d msgs.Descriptor, idBits int, body func(*wire.BitWriter)) error {
	before := to.Buffer()
	w := wire.NewBitWriter(before)
	w.Uint(uint32(d.Entry.ID), idBits)
	body(&w)
	return to.SendEncoded(d, w.Bytes(), w.Err())
}

// inMode gives the target that sends in a mode, which is to itself where that is what the message has anyway.
func inMode(mode transport.Delivery, d msgs.Descriptor, to msgs.Target) msgs.Target {
	if mode == d.Entry.Delivery {
		return to
	}
	return msgs.As(mode, to)
}

// afterID returns a reader of what stands behind the id of a raw message.
func afterID(raw []byte, idBits int) wire.BitReader {
	r := wire.NewBitReader(raw)
	r.Uint(idBits)
	return r
}

// SendLegacy sends bytes that a legacy reader reads: reliably, or so that they may be lost. They begin at the byte after the id.
func SendLegacy(to msgs.Target, reliable bool, b []byte) error {
	d := (*UpdateUnreliableBuffer)(nil).Descriptor()
	if reliable {
		d = (*UpdateReliableBuffer)(nil).Descriptor()
	}
	return sendRaw(to, d, hostIDBits, func(w *wire.BitWriter) { w.Raw(b) })
}

// legacyBytes returns where in a packet the legacy bytes are. It reports false if the bits before them are not zero.
func legacyBytes(packet []byte) (offset, size int, ok bool) {
	r := afterID(packet, hostIDBits)
	r.Align()
	return r.Offset() / 8, len(packet) - r.Offset()/8, r.Err() == nil
}
