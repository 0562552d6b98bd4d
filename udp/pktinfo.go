package udp

import "net/netip"

// oobSize holds one control message of the largest kind on every system, and on Linux the size of the datagrams of a run beside it.
const oobSize = 64

// maxSources bounds the cache of control messages. A machine has fewer addresses; 127.0.0.0/8 and routed prefixes have more.
const maxSources = 256

// sources caches the control message that makes the system send from a local address, for each address in use.
type sources map[netip.Addr][]byte

// get returns nil for the zero address, which leaves the choice to the system.
func (s *sources) get(from netip.Addr, marshal func(netip.Addr) []byte) []byte {
	if !from.IsValid() {
		return nil
	}
	oob, known := (*s)[from]
	if known {
		return oob
	}
	if *s == nil || len(*s) >= maxSources {
		*s = make(sources)
	}
	oob = marshal(from)
	(*s)[from] = oob
	return oob
}
