package udp

import (
	"encoding/binary"
	"net"
	"net/netip"
	"strconv"
	"unsafe"

	"golang.org/x/sys/unix"
)

// mmsghdr is what recvmmsg and sendmmsg have for each message: a header, and what they did with it.
type mmsghdr struct {
	unix.Msghdr
	n uint32
}

// messages are headers of recvmmsg or sendmmsg that are prepared once, and what they point to.
type messages struct {
	headers  []mmsghdr
	iovs     []unix.Iovec
	names    []unix.RawSockaddrInet6 // or of IPv4, which is shorter
	controls [][oobSize]byte
}

func newMessages(n int) messages {
	m := messages{make([]mmsghdr, n), make([]unix.Iovec, n), make([]unix.RawSockaddrInet6, n), make([][oobSize]byte, n)}
	for i := range m.headers {
		h := &m.headers[i]
		h.Name = (*byte)(unsafe.Pointer(&m.names[i]))
		h.Iov = &m.iovs[i]
		h.SetIovlen(1)
	}
	return m
}

// hold makes message i one of the bytes of p.
func (m *messages) hold(i int, p []byte) {
	m.iovs[i].Base = unsafe.SliceData(p)
	m.iovs[i].SetLen(len(p))
}

// zones are the names that package net has for the interfaces of link-local peers, and their numbers.
type zones struct {
	names   map[uint32]string
	numbers map[string]uint32
}

func (z *zones) name(number uint32) string {
	name, known := z.names[number]
	if known {
		return name
	}
	name = strconv.FormatUint(uint64(number), 10)
	if i, err := net.InterfaceByIndex(int(number)); err == nil {
		name = i.Name
	}
	if z.names == nil {
		z.names = make(map[uint32]string)
	}
	z.names[number] = name
	return name
}

// number is 0 if there is no such interface.
func (z *zones) number(name string) uint32 {
	number, known := z.numbers[name]
	if known {
		return number
	}
	if i, err := net.InterfaceByName(name); err == nil {
		number = uint32(i.Index)
	} else if n, err := strconv.ParseUint(name, 10, 32); err == nil {
		number = uint32(n)
	}
	if z.numbers == nil {
		z.numbers = make(map[string]uint32)
	}
	z.numbers[name] = number
	return number
}

// addrPort reads the address of a message, as it lies in memory.
func addrPort(name *unix.RawSockaddrInet6, z *zones) netip.AddrPort {
	switch name.Family {
	case unix.AF_INET:
		sa := (*unix.RawSockaddrInet4)(unsafe.Pointer(name))
		return netip.AddrPortFrom(netip.AddrFrom4(sa.Addr), bigEndian(sa.Port))
	case unix.AF_INET6:
		addr := netip.AddrFrom16(name.Addr).Unmap()
		if name.Scope_id != 0 && !addr.Is4() {
			addr = addr.WithZone(z.name(name.Scope_id))
		}
		return netip.AddrPortFrom(addr, bigEndian(name.Port))
	}
	return netip.AddrPort{}
}

// setName writes an address for a socket of IPv4, or of IPv6, and returns its length. It reports false if the socket cannot send there.
func setName(name *unix.RawSockaddrInet6, addr netip.AddrPort, v4 bool, z *zones) (length uint32, ok bool) {
	ip := addr.Addr()
	switch {
	case v4 && !ip.Unmap().Is4():
		return 0, false
	case v4:
		*(*unix.RawSockaddrInet4)(unsafe.Pointer(name)) = unix.RawSockaddrInet4{
			Family: unix.AF_INET, Port: bigEndian(addr.Port()), Addr: ip.Unmap().As4(),
		}
		return unix.SizeofSockaddrInet4, true
	}
	*name = unix.RawSockaddrInet6{Family: unix.AF_INET6, Port: bigEndian(addr.Port()), Addr: ip.As16()}
	if zone := ip.Zone(); zone != "" {
		name.Scope_id = z.number(zone)
	}
	return unix.SizeofSockaddrInet6, true
}

// bigEndian turns a port into that of a socket address, or back.
func bigEndian(port uint16) uint16 {
	var b [2]byte
	binary.NativeEndian.PutUint16(b[:], port)
	return binary.BigEndian.Uint16(b[:])
}
