package rate

import (
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestSipHashGivesThePublishedValue(t *testing.T) {
	var key, message [16]byte
	for i := range key {
		key[i], message[i] = byte(i), byte(i)
	}
	require.Equal(t, uint64(0x3f2acc7f57c29bdb), siphash(&key, &message))
}

func TestASourceIsAnIPv4AddressOrAnIPv6Network(t *testing.T) {
	same := func(a, b string) bool { return SourceOf(netip.MustParseAddr(a)) == SourceOf(netip.MustParseAddr(b)) }
	require.False(t, same("192.0.2.1", "192.0.2.2"))
	require.True(t, same("192.0.2.1", "::ffff:192.0.2.1"))
	require.True(t, same("2001:db8::1", "2001:db8::ffff:1"))
	require.False(t, same("2001:db8::1", "2001:db8:0:1::1"))
}

func TestEachSourceHasItsOwnLimit(t *testing.T) {
	s := NewSources(Limit{5, 250 * time.Millisecond}, [16]byte{1})
	let := func(now time.Duration, addr string) (n int) {
		for range 100 {
			if s.Take(int64(now), netip.MustParseAddr(addr)) {
				n++
			}
		}
		return n
	}
	require.Equal(t, 5, let(-time.Hour, "192.0.2.1"), "at any time of the clock")
	require.Equal(t, 5, let(0, "2001:db8::1"))
	require.Zero(t, let(0, "2001:db8::2"), "of the same network")
	require.Zero(t, let(49*time.Millisecond, "2001:db8::1"))
	require.Equal(t, 1, let(50*time.Millisecond, "2001:db8::1"))
	require.Equal(t, 5, let(0, "2001:db8:0:1::1"))
	require.Equal(t, 100, let(0, "127.0.0.1"))
	require.Equal(t, 100, let(0, "::1"))
	require.Len(t, s.buckets, sourceBuckets)
}

func TestASiteOfIPv6HasALimitForAllItsNetworks(t *testing.T) {
	s := NewSites(Limit{3, time.Second}, [16]byte{1})
	let := func(addr string) (n int) {
		for range 10 {
			if s.Take(0, netip.MustParseAddr(addr)) {
				n++
			}
		}
		return n
	}
	require.Equal(t, 3, let("2001:db8:1::1"))
	require.Zero(t, let("2001:db8:1:2::1"))
	require.Equal(t, 3, let("2001:db8:2::1"))
	require.Equal(t, 10, let("192.0.2.1"))
	require.Equal(t, 10, let("::ffff:192.0.2.1"))
}

func TestSourcesShareBucketsByTheKey(t *testing.T) {
	bucket := func(key byte) (n int) {
		s := NewSources(Limit{1, time.Second}, [16]byte{key})
		addr := netip.MustParseAddr("192.0.2.1")
		s.Take(0, addr)
		for s.bucketOf(addr) != &s.buckets[n] {
			n++
		}
		return n
	}
	require.NotEqual(t, bucket(1), bucket(2))
}

func TestALimitHoldsForLong(t *testing.T) {
	b, let := Full, 0
	limit := Limit{5, time.Second / 6} // 30 a second
	for now := int64(0); now < int64(time.Minute); now += int64(time.Millisecond) / 2 {
		if b.Within(now, limit) {
			let++
		}
	}
	require.InDelta(t, 60*30+4, let, 1)
	month := int64(30 * 24 * time.Hour)
	for range 5 {
		require.True(t, b.Within(month, limit), "a pause gives the burst back, and no more")
	}
	require.False(t, b.Within(month, limit))
}
