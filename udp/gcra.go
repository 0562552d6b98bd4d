package udp

import (
	"net/netip"
	"slices"
	"time"
)

const (
	connectInterval = int64(time.Second) / 20 // 20 Connects a second
	connectBurst    = 4 * connectInterval     // 5 at once
	connectBuckets  = 4096
)

// gcra is a rate limit in 8 bytes: the time at which a sender that keeps exactly to the rate would send next (generic cell rate
// algorithm).
//
// gcra(now) has its full burst.
type gcra int64

// allow takes one from the budget, if there is one.
func (g *gcra) allow(now, interval, burst int64) bool {
	due := max(int64(*g), now)
	if due-now > burst {
		return false
	}
	*g = gcra(due + interval)
	return true
}

// connectRate limits Connects by source (PROTOCOL.md 3.3). Its memory is fixed: sources share the buckets by a keyed hash, so that
// nobody can aim at the bucket of somebody else.
type connectRate struct {
	key     [16]byte
	buckets []gcra // made for the first stranger
}

func (r *connectRate) allow(now int64, addr netip.Addr) bool {
	if r.buckets == nil {
		r.buckets = slices.Repeat([]gcra{gcra(now)}, connectBuckets)
	}
	source := rateSource(addr)
	bucket := siphash(&r.key, &source) % connectBuckets
	return r.buckets[bucket].allow(now, connectInterval, connectBurst)
}

// rateSource is what counts as one source: an IPv4 address, or the /64 of an IPv6 address.
func rateSource(addr netip.Addr) [16]byte {
	b := addr.As16()
	if !addr.Unmap().Is4() {
		clear(b[8:])
	}
	return b
}

// networkOf is the same as an address.
func networkOf(addr netip.Addr) netip.Addr { return netip.AddrFrom16(rateSource(addr)).Unmap() }
