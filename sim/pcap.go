package sim

import (
	"encoding/binary"
	"io"
	"net/netip"
)

// Pcap writes every datagram from now on, as it is sent, in the classic pcap format: raw IP packets, times in
// microseconds since the start of the run. What is lost later is in it too. WriteError gives the first error of w.
func (nw *Network) Pcap(w io.Writer) {
	nw.capture(w, func(e *Event) bool { return e.Kind == Sent })
}

// Pcap writes what a capture on the node would show: what it sends, and what reaches one of its sockets.
func (n *Node) Pcap(w io.Writer) {
	n.nw.capture(w, func(e *Event) bool {
		return e.Kind == Sent && e.From == n || e.Kind == Delivered && e.To == n
	})
}

const (
	pcapMagic   = 0xa1b2c3d4 // microseconds
	pcapLongest = 1 << 18
	linkTypeRaw = 101 // packets begin with their IP header, of either version
)

func (nw *Network) capture(w io.Writer, wanted func(*Event) bool) {
	b := binary.LittleEndian.AppendUint32(nil, pcapMagic)
	b = binary.LittleEndian.AppendUint16(b, 2) // version 2.4
	b = binary.LittleEndian.AppendUint16(b, 4)
	b = binary.LittleEndian.AppendUint64(b, 0) // time zone, accuracy
	b = binary.LittleEndian.AppendUint32(b, pcapLongest)
	b = binary.LittleEndian.AppendUint32(b, linkTypeRaw)
	nw.write(w, b)
	nw.Watch(func(e Event) {
		if wanted(&e) {
			b = appendRecord(b[:0], &e)
			nw.write(w, b)
		}
	})
}

func appendRecord(b []byte, e *Event) []byte {
	b = append(b, make([]byte, 16)...)
	b = appendPacket(b, e.Source, e.Destination, e.Payload)
	size := uint32(len(b) - 16)
	binary.LittleEndian.PutUint32(b, uint32(e.Time/1e9))
	binary.LittleEndian.PutUint32(b[4:], uint32(e.Time%1e9/1e3))
	binary.LittleEndian.PutUint32(b[8:], size)
	binary.LittleEndian.PutUint32(b[12:], size)
	return b
}

// appendPacket appends the IP packet of a datagram, checksums included.
func appendPacket(b []byte, from, to netip.AddrPort, payload []byte) []byte {
	size := uint16(udpHeader + len(payload))
	if from.Addr().Is4() && to.Addr().Is4() {
		b = appendIPv4(b, from.Addr().As4(), to.Addr().As4(), size)
	} else {
		b = appendIPv6(b, from.Addr().As16(), to.Addr().As16(), size)
	}
	addresses := addressSum(from.Addr()) + addressSum(to.Addr())
	udp := len(b)
	b = binary.BigEndian.AppendUint16(b, from.Port())
	b = binary.BigEndian.AppendUint16(b, to.Port())
	b = binary.BigEndian.AppendUint16(b, size)
	b = binary.BigEndian.AppendUint16(b, 0)
	b = append(b, payload...)
	sum := ^fold(addresses + protocolUDP + uint64(size) + onesSum(b[udp:]))
	if sum == 0 {
		sum = 0xffff // 0 would mean that there is no checksum
	}
	binary.BigEndian.PutUint16(b[udp+6:], sum)
	return b
}

const (
	protocolUDP = 17
	hopLimit    = 64
)

func appendIPv4(b []byte, from, to [4]byte, size uint16) []byte {
	start := len(b)
	b = append(b, 0x45, 0)
	b = binary.BigEndian.AppendUint16(b, ipv4Header+size)
	b = append(b, 0, 0, 0x40, 0, hopLimit, protocolUDP, 0, 0) // don't fragment
	b = append(append(b, from[:]...), to[:]...)
	binary.BigEndian.PutUint16(b[start+10:], ^fold(onesSum(b[start:])))
	return b
}

func appendIPv6(b []byte, from, to [16]byte, size uint16) []byte {
	b = append(b, 0x60, 0, 0, 0)
	b = binary.BigEndian.AppendUint16(b, size)
	b = append(b, protocolUDP, hopLimit)
	return append(append(b, from[:]...), to[:]...)
}

// addressSum is the part of an address in the pseudo header.
func addressSum(a netip.Addr) uint64 {
	b := a.As16()
	if a.Is4() {
		return onesSum(b[12:])
	}
	return onesSum(b[:])
}

// onesSum adds the 16-bit words of b, the last padded with a zero.
func onesSum(b []byte) uint64 {
	var sum uint64
	for ; len(b) >= 2; b = b[2:] {
		sum += uint64(binary.BigEndian.Uint16(b))
	}
	if len(b) == 1 {
		sum += uint64(b[0]) << 8
	}
	return sum
}

// fold brings a sum to 16 bits with the carries added back.
func fold(sum uint64) uint16 {
	for sum > 0xffff {
		sum = sum>>16 + sum&0xffff
	}
	return uint16(sum)
}
