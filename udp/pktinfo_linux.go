package udp

import (
	"net/netip"
	"unsafe"

	"golang.org/x/sys/unix"
)

// pktinfo tells for each datagram to which local address it was sent, and sends from a chosen one. The zero pktinfo is off.
type pktinfo struct {
	on, v4  bool
	sources sources
}

// enable switches it on for a socket that is bound to a wildcard address. It stays off if the system does not want to.
func (p *pktinfo) enable(s *udpSocket) bool {
	p.v4 = s.local.Addr().Is4()
	_ = s.raw.Control(func(fd uintptr) {
		level, option := unix.IPPROTO_IPV6, unix.IPV6_RECVPKTINFO
		if p.v4 {
			level, option = unix.IPPROTO_IP, unix.IP_PKTINFO
		}
		p.on = unix.SetsockoptInt(int(fd), level, option, 1) == nil
	})
	return p.on
}

// destination is the local address that a control message tells, zero if it tells none. It is safe for concurrent use.
func (p *pktinfo) destination(oob []byte) netip.Addr {
	for len(oob) >= unix.SizeofCmsghdr {
		header, data, rest, err := unix.ParseOneSocketControlMessage(oob)
		switch {
		case err != nil:
			return netip.Addr{}
		case header.Level == unix.IPPROTO_IP && header.Type == unix.IP_PKTINFO && len(data) >= unix.SizeofInet4Pktinfo:
			info := (*unix.Inet4Pktinfo)(unsafe.Pointer(&data[0]))
			return netip.AddrFrom4(info.Spec_dst) // not that of a broadcast
		case header.Level == unix.IPPROTO_IPV6 && header.Type == unix.IPV6_PKTINFO && len(data) >= unix.SizeofInet6Pktinfo:
			info := (*unix.Inet6Pktinfo)(unsafe.Pointer(&data[0]))
			return netip.AddrFrom16(info.Addr).Unmap()
		}
		oob = rest
	}
	return netip.Addr{}
}

// source is the control message to send from the given address.
func (p *pktinfo) source(from netip.Addr) []byte {
	if !p.on {
		return nil
	}
	return p.sources.get(from, p.marshal)
}

func (p *pktinfo) marshal(from netip.Addr) []byte {
	if p.v4 {
		return unix.PktInfo4(&unix.Inet4Pktinfo{Spec_dst: from.As4()})
	}
	return unix.PktInfo6(&unix.Inet6Pktinfo{Addr: from.As16()})
}
