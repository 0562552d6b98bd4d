package main

import (
	"encoding/binary"
	"net/netip"
)

// datagram is a UDP datagram in a packet.
type datagram struct {
	from, to netip.AddrPort
	payload  []byte
	missing  int // bytes at the end that the capture does not have
}

// skip is why a packet is not a datagram to decode.
type skip uint8

const (
	isUDP skip = iota
	notIP
	notUDP
	isFragment
	headersCut
	numSkips
)

var skipNames = [numSkips]string{notIP: "not IP", notUDP: "not UDP", isFragment: "IP fragments", headersCut: "with headers cut or damaged"}

// Link types of captures, as tcpdump.org lists them.
const (
	linkNull     = 0 // BSD loopback, family in the byte order of the capturing machine
	linkEthernet = 1
	linkRawBSD   = 12
	linkRawOther = 14
	linkRaw      = 101
	linkLoop     = 108 // OpenBSD loopback
	linkCooked   = 113 // Linux "any", version 1
	linkIPv4     = 228
	linkIPv6     = 229
	linkCooked2  = 276
)

func linkKnown(link uint32) bool {
	switch link {
	case linkNull, linkEthernet, linkRawBSD, linkRawOther, linkRaw, linkLoop, linkCooked, linkIPv4, linkIPv6, linkCooked2:
		return true
	}
	return false
}

// datagramIn finds the UDP datagram in a packet as the link carried it. What it gives is part of b.
func datagramIn(link uint32, b []byte) (datagram, skip) {
	switch link {
	case linkEthernet:
		return inEthernet(b)
	case linkNull, linkLoop:
		return inIP(after(b, 4))
	case linkCooked:
		return behindType(b, 14, 16)
	case linkCooked2:
		return behindType(b, 0, 20)
	}
	return inIP(b)
}

// after cuts n bytes off the front; what is shorter becomes empty.
func after(b []byte, n int) []byte { return b[min(n, len(b)):] }

const (
	etherIPv4   = 0x0800
	etherIPv6   = 0x86dd
	etherVLAN   = 0x8100
	etherVLANQQ = 0x88a8
	maxTags     = 4
)

// inEthernet skips the addresses and VLAN tags.
func inEthernet(b []byte) (datagram, skip) {
	for at := 12; at <= 12+4*maxTags && len(b) >= at+2; at += 4 {
		switch binary.BigEndian.Uint16(b[at:]) {
		case etherVLAN, etherVLANQQ:
		default:
			return behindType(b, at, at+2)
		}
	}
	return datagram{}, headersCut
}

// behindType looks at the EtherType at one offset and for the packet at another.
func behindType(b []byte, typeAt, packetAt int) (datagram, skip) {
	if len(b) < packetAt {
		return datagram{}, headersCut
	}
	switch binary.BigEndian.Uint16(b[typeAt:]) {
	case etherIPv4, etherIPv6:
		return inIP(b[packetAt:])
	}
	return datagram{}, notIP
}

func inIP(b []byte) (datagram, skip) {
	switch {
	case len(b) == 0:
		return datagram{}, headersCut
	case b[0]>>4 == 4:
		return inIPv4(b)
	case b[0]>>4 == 6:
		return inIPv6(b)
	}
	return datagram{}, notIP
}

const (
	ipv4Header  = 20
	ipv6Header  = 40
	udpHeader   = 8
	protocolUDP = 17
)

func inIPv4(b []byte) (datagram, skip) {
	if len(b) < ipv4Header {
		return datagram{}, headersCut
	}
	header := int(b[0]&15) * 4
	total := int(binary.BigEndian.Uint16(b[2:]))
	switch {
	case header < ipv4Header || len(b) < header:
		return datagram{}, headersCut
	case b[9] != protocolUDP:
		return datagram{}, notUDP
	case binary.BigEndian.Uint16(b[6:])&0x3fff != 0: // more to come, or not the first
		return datagram{}, isFragment
	}
	if total >= header && total < len(b) { // padding of the link behind it
		b = b[:total]
	}
	from, to := netip.AddrFrom4([4]byte(b[12:])), netip.AddrFrom4([4]byte(b[16:]))
	return inUDP(b[header:], from, to)
}

func inIPv6(b []byte) (datagram, skip) {
	if len(b) < ipv6Header {
		return datagram{}, headersCut
	}
	from, to := netip.AddrFrom16([16]byte(b[8:])), netip.AddrFrom16([16]byte(b[24:]))
	next := b[6]
	if size := int(binary.BigEndian.Uint16(b[4:])); size > 0 && ipv6Header+size < len(b) {
		b = b[:ipv6Header+size]
	}
	b, why := pastExtensions(b[ipv6Header:], next)
	if why != isUDP {
		return datagram{}, why
	}
	return inUDP(b, from, to)
}

// IPv6 extension headers.
const (
	extHopByHop       = 0
	extRouting        = 43
	extFragment       = 44
	extAuthentication = 51
	extDestination    = 60
	maxExtensions     = 16
)

// pastExtensions skips the headers between the one of IPv6 and that of UDP.
func pastExtensions(b []byte, next byte) ([]byte, skip) {
	for range maxExtensions {
		if next == protocolUDP {
			return b, isUDP
		}
		if len(b) < 8 {
			return nil, headersCut
		}
		size := 8
		switch next {
		case extHopByHop, extRouting, extDestination:
			size += int(b[1]) * 8
		case extAuthentication:
			size += int(b[1]) * 4
		case extFragment:
			if binary.BigEndian.Uint16(b[2:])&0xfff9 != 0 {
				return nil, isFragment
			}
		default:
			return nil, notUDP
		}
		next, b = b[0], after(b, size)
	}
	return nil, headersCut
}

func inUDP(b []byte, from, to netip.Addr) (datagram, skip) {
	if len(b) < udpHeader {
		return datagram{}, headersCut
	}
	size := int(binary.BigEndian.Uint16(b[4:])) - udpHeader
	if size < 0 {
		return datagram{}, headersCut
	}
	payload := b[udpHeader:]
	d := datagram{
		from: netip.AddrPortFrom(from, binary.BigEndian.Uint16(b)),
		to:   netip.AddrPortFrom(to, binary.BigEndian.Uint16(b[2:])),
	}
	d.payload = payload[:min(size, len(payload))]
	d.missing = size - len(d.payload)
	return d, isUDP
}
