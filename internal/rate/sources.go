package rate

import (
	"net/netip"
	"slices"
	"time"
)

const sourceBuckets = 4096

// Limit is so many events at once, and as many more in each period.
type Limit struct {
	Count  int
	Period time.Duration
}

// Within is Take for a limit.
func (b *Bucket) Within(now int64, l Limit) bool { return b.Take(now, l.Count, l.Period) }

// Sources is a limit for each source of datagrams; loopback addresses have none. Its memory is fixed: sources share buckets by a keyed hash, so that nobody
// can aim at the bucket of somebody else.
type Sources struct {
	limit   Limit
	key     [16]byte
	sites   bool
	buckets []Bucket // made for the first source
}

// NewSources makes a limit for each source as SourceOf counts them. Nobody may be able to guess the key.
func NewSources(l Limit, key [16]byte) Sources { return Sources{limit: l, key: key} }

// NewSites makes a limit for each /48 of IPv6, which is what one customer may have: thousands of sources. IPv4 has none.
func NewSites(l Limit, key [16]byte) Sources { return Sources{limit: l, key: key, sites: true} }

// Take reports whether one more event of addr is within the limit, and only then counts it.
func (s *Sources) Take(now int64, addr netip.Addr) bool {
	if addr.IsLoopback() || s.sites && addr.Unmap().Is4() {
		return true
	}
	if s.buckets == nil {
		s.buckets = slices.Repeat([]Bucket{Full}, sourceBuckets)
	}
	return s.bucketOf(addr).Within(now, s.limit)
}

func (s *Sources) bucketOf(addr netip.Addr) *Bucket {
	source := SourceOf(addr)
	if s.sites {
		source = network(addr, 48)
	}
	hashed := source.As16()
	return &s.buckets[siphash(&s.key, &hashed)%sourceBuckets]
}

// SourceOf is what counts as one source: an IPv4 address, or the first address of the /64 of an IPv6 address.
func SourceOf(addr netip.Addr) netip.Addr {
	if addr = addr.Unmap(); addr.Is4() {
		return addr
	}
	return network(addr, 64)
}

func network(addr netip.Addr, bits int) netip.Addr {
	p, _ := addr.Prefix(bits) // of no address there is none
	return p.Addr()
}
