package secure

import (
	"crypto/sha256"
	"encoding/binary"
	"net/netip"
	"slices"
	"time"
)

// rate is so many events a second, and so many at once.
type rate struct {
	interval int64 // ns between events
	burst    int64 // ns of events that may come early
}

func perSecond(events, burst int64) rate {
	interval := int64(time.Second) / events
	return rate{interval, (burst - 1) * interval}
}

// Limits of PROTOCOL.md 18.4 and 22.
var (
	strangersRate  = perSecond(100_000, 10_000) // Hello and Auth of a host before the cookie
	attemptsRate   = perSecond(20, 5)           // Auth of an address after it
	sitesRate      = perSecond(100, 25)         // Auth of an IPv6 site after it
	exchangesRate  = perSecond(500, 100)        // Auth of a host after it
	resetsRate     = perSecond(1000, 100)       // Reset of a host
	resetsFromRate = perSecond(4, 4)            // Reset to an address
)

// gcra is a budget in 8 bytes: the time at which one who keeps exactly to the rate would come next (generic cell rate algorithm). gcra(now)
// has its full burst.
type gcra int64

// allow takes one from the budget, if there is one.
func (g *gcra) allow(now int64, r rate) bool {
	due := max(int64(*g), now)
	if due-now > r.burst {
		return false
	}
	*g = gcra(due + r.interval)
	return true
}

const addressBuckets = 4096

// addressBudgets is a budget for each address. Its memory is fixed: addresses share the buckets by a keyed hash, so that nobody can aim
// at the bucket of somebody else.
type addressBudgets struct {
	rate    rate
	key     Secret
	buckets []gcra // made for the first address
}

func (a *addressBudgets) allow(now int64, addr netip.Addr) bool {
	return addr.IsLoopback() || a.take(now, sourceOf(addr))
}

func (a *addressBudgets) take(now int64, source [16]byte) bool {
	if a.buckets == nil {
		a.buckets = slices.Repeat([]gcra{gcra(now)}, addressBuckets)
	}
	var in [48]byte
	copy(in[copy(in[:], a.key[:]):], source[:])
	hash := sha256.Sum256(in[:])
	return a.buckets[binary.LittleEndian.Uint64(hash[:])%addressBuckets].allow(now, a.rate)
}

// sourceOf is what counts as one address: that of IPv4, or the /64 of IPv6.
func sourceOf(addr netip.Addr) [16]byte {
	b := addr.As16()
	if !addr.Unmap().Is4() {
		clear(b[8:])
	}
	return b
}

// siteBudgets is a budget for each /48 of IPv6, which is what one customer may have: thousands of addresses as sourceOf counts them. IPv4 has none.
type siteBudgets addressBudgets

func (s *siteBudgets) allow(now int64, addr netip.Addr) bool {
	if addr.IsLoopback() || addr.Unmap().Is4() {
		return true
	}
	site := addr.As16()
	clear(site[6:])
	return (*addressBudgets)(s).take(now, site)
}
