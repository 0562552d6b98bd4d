package udp

import (
	"encoding/binary"
	"strconv"
	"strings"
	"unsafe"

	"golang.org/x/sys/unix"
)

// CanJoin asks the system whether it knows UDP_SEGMENT.
func (s *udpSocket) CanJoin() bool {
	can := false
	_ = s.raw.Control(func(fd uintptr) {
		_, err := unix.GetsockoptInt(int(fd), unix.IPPROTO_UDP, unix.UDP_SEGMENT)
		can = err == nil
	})
	return can
}

// JoinReads sets UDP_GRO.
func (s *udpSocket) JoinReads(on bool) bool {
	value, set := 0, false
	if on {
		value = 1
	}
	_ = s.raw.Control(func(fd uintptr) {
		set = unix.SetsockoptInt(int(fd), unix.IPPROTO_UDP, unix.UDP_GRO, value) == nil
	})
	if on && set {
		s.joins = true
	}
	return on && set
}

// withSegment is a control message, of pktinfo or none, and one of UDP_SEGMENT behind it.
func (w *batchWriter) withSegment(i int, control []byte, segment int) []byte {
	b := w.controls[i][:copy(w.controls[i][:], control)+unix.CmsgSpace(2)]
	h := (*unix.Cmsghdr)(unsafe.Pointer(&b[len(control)]))
	h.Level, h.Type = unix.IPPROTO_UDP, unix.UDP_SEGMENT
	h.SetLen(unix.CmsgLen(2))
	binary.NativeEndian.PutUint16(b[len(control)+unix.CmsgLen(0):], uint16(segment))
	return b
}

// segmentOf is the size of the datagrams of a run that was read, or size if it is none.
func segmentOf(control []byte, size int) int {
	for len(control) >= unix.SizeofCmsghdr {
		header, data, rest, err := unix.ParseOneSocketControlMessage(control)
		switch {
		case err != nil:
			return size
		case header.Level == unix.IPPROTO_UDP && header.Type == unix.UDP_GRO && len(data) >= 2:
			return int(binary.NativeEndian.Uint16(data))
		}
		control = rest
	}
	return size
}

// damagesRuns reports whether the kernel is known to damage joined datagrams that it sends.
func damagesRuns() bool {
	var name unix.Utsname
	return unix.Uname(&name) == nil && isDamaging(unix.ByteSliceToString(name.Release[:]))
}

// isDamaging knows the releases: 7.0 up to 7.1.4.
func isDamaging(release string) bool {
	var v [3]int
	for i, part := range strings.SplitN(release, ".", 3) {
		digits := strings.IndexFunc(part, func(r rune) bool { return r < '0' || r > '9' })
		if digits < 0 {
			digits = len(part)
		}
		v[i], _ = strconv.Atoi(part[:digits])
	}
	return v[0] == 7 && (v[1] == 0 || v[1] == 1 && v[2] <= 4)
}
