//go:build !linux

package udp

import (
	"bytes"
	"net"
	"net/netip"

	"golang.org/x/net/ipv4"
	"golang.org/x/net/ipv6"
)

// pktinfo tells for each datagram to which local address it was sent, and sends from a chosen one. The zero pktinfo is off. On a
// socket for both families it knows the addresses of IPv6 alone.
type pktinfo struct {
	on, v4  bool
	sources sources

	seen []byte // the last control message, which most others repeat
	dst  netip.Addr
}

// enable switches it on for a socket that is bound to a wildcard address. It stays off if the system does not want to.
func (p *pktinfo) enable(s *udpSocket) bool {
	p.v4 = s.local.Addr().Is4()
	var err error
	if p.v4 {
		err = ipv4.NewPacketConn(s.conn).SetControlMessage(ipv4.FlagDst, true)
	} else {
		err = ipv6.NewPacketConn(s.conn).SetControlMessage(ipv6.FlagDst, true)
	}
	p.on = err == nil
	return p.on
}

// destination is the local address that a control message tells, zero if it tells none.
func (p *pktinfo) destination(oob []byte) netip.Addr {
	if !p.on || len(oob) == 0 {
		return netip.Addr{}
	}
	if !bytes.Equal(oob, p.seen) {
		p.seen = append(p.seen[:0], oob...)
		p.dst = p.parse(oob)
	}
	return p.dst
}

func (p *pktinfo) parse(oob []byte) netip.Addr {
	var dst net.IP
	if p.v4 {
		var m ipv4.ControlMessage
		if m.Parse(oob) == nil {
			dst = m.Dst
		}
	} else {
		var m ipv6.ControlMessage
		if m.Parse(oob) == nil {
			dst = m.Dst
		}
	}
	addr, _ := netip.AddrFromSlice(dst)
	return addr.Unmap()
}

// source is the control message to send from the given address.
func (p *pktinfo) source(from netip.Addr) []byte {
	if !p.on {
		return nil
	}
	return p.sources.get(from, p.marshal)
}

func (p *pktinfo) marshal(from netip.Addr) []byte {
	switch {
	case p.v4:
		return (&ipv4.ControlMessage{Src: from.AsSlice()}).Marshal()
	case from.Is4():
		return nil
	}
	return (&ipv6.ControlMessage{Src: from.AsSlice()}).Marshal()
}
