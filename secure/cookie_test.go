package secure

import (
	"encoding/binary"
	"math/rand/v2"
	"net/netip"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/framing"
	"github.com/gannet-net/gannet/framing/handshake"
	"github.com/gannet-net/gannet/internal/testflag"
)

var asker = handshake.Asker{ID: 0x01020304, Random: [8]byte([]byte("random8!"))}

func TestACookieIsGoodFor10s(t *testing.T) {
	for start := range int64(70) { // wherever in the life of a key
		c := cookies{random: newRandom(1)}
		made := start * 1000 * ms
		cookie := c.bake(made, asker, clientAddr)
		for _, age := range []int64{0, 1, 5_000, 10_000} {
			require.Equal(t, framing.Accepted, c.check(made+age*ms, &cookie, asker, clientAddr), "made at %d s, %d ms old", start, age)
		}
		require.Equal(t, framing.DropCookieOld, c.check(made+11_000*ms, &cookie, asker, clientAddr))
	}
}

func TestACookieOfLongAgoIsOldHoweverLongNobodyCame(t *testing.T) {
	c := cookies{random: newRandom(1)}
	cookie := c.bake(0, asker, clientAddr)
	for _, later := range []int64{30, 60, 61, 90, 100_000} {
		require.Equal(t, framing.DropCookieOld, c.check(later*1000*ms, &cookie, asker, clientAddr))
	}
}

func TestACookieOfTheFutureIsRefused(t *testing.T) {
	c := cookies{random: newRandom(1)}
	cookie := c.bake(50_000*ms, asker, clientAddr)
	require.Equal(t, framing.DropCookieOld, c.check(49_000*ms, &cookie, asker, clientAddr))
}

func TestAKeyThatIsTwoGenerationsOldIsGone(t *testing.T) {
	c := cookies{random: newRandom(1)}
	cookie := c.bake(29_000*ms, asker, clientAddr)
	first := c.current
	c.check(31_000*ms, &cookie, asker, clientAddr)
	require.True(t, c.previous == first)
	c.check(61_000*ms, &cookie, asker, clientAddr)
	require.False(t, c.previous == first || c.current == first)
}

func TestACookieIsForOneClientAtOneAddress(t *testing.T) {
	random := rand.New(newRandom(2))
	c := cookies{random: newRandom(1)}
	for range 20_000 {
		now := 10_000*ms + int64(random.Uint64()%15_000)*ms
		cookie, who, at := c.bake(now, asker, clientAddr), asker, clientAddr
		switch random.Uint64() % 6 {
		case 0:
			who.ID ^= 1 << (random.Uint64() % 32)
		case 1:
			who.Random[random.Uint64()%8] ^= 1 << (random.Uint64() % 8)
		case 2:
			ip := at.Addr().As4()
			ip[random.Uint64()%4] ^= 1 << (random.Uint64() % 8)
			at = netip.AddrPortFrom(netip.AddrFrom4(ip), at.Port())
		case 3:
			at = netip.AddrPortFrom(at.Addr(), at.Port()^1<<(random.Uint64()%16))
		case 4:
			cookie[random.Uint64()%20] ^= 1 << (random.Uint64() % 8)
		case 5:
			draw(newRandom(byte(random.Uint64())), cookie[:])
		}
		require.NotEqual(t, framing.Accepted, c.check(now, &cookie, who, at))
	}
}

func TestAnotherHostsCookieIsRefused(t *testing.T) {
	a, b := cookies{random: newRandom(1)}, cookies{random: newRandom(2)}
	cookie := a.bake(0, asker, clientAddr)
	require.Equal(t, framing.DropCookie, b.check(0, &cookie, asker, clientAddr))
}

func TestAnIPv4AddressIsTheSameInBothForms(t *testing.T) {
	c := cookies{random: newRandom(1)}
	mapped := netip.AddrPortFrom(netip.AddrFrom16(clientAddr.Addr().As16()), clientAddr.Port())
	cookie := c.bake(0, asker, clientAddr)
	require.Equal(t, framing.Accepted, c.check(0, &cookie, asker, mapped))
}

func TestCookiesAllocateNothing(t *testing.T) {
	c := cookies{random: newRandom(1)}
	c.bake(0, asker, clientAddr)
	require.Zero(t, testing.AllocsPerRun(100, func() {
		cookie := c.bake(0, asker, clientAddr)
		c.check(0, &cookie, asker, clientAddr)
	}))
}

func TestMadeUpCookiesAreRefused(t *testing.T) {
	tries := 100_000
	if testflag.Long() {
		tries = 10_000_000
	}
	c, random := cookies{random: newRandom(1)}, newRandom(4)
	const now = 100_000 * ms
	var cookie [handshake.CookieSize]byte
	for range rounds(tries) {
		draw(random, cookie[:])
		binary.LittleEndian.PutUint32(cookie[:], bucketOf(now)-uint32(cookie[4])%cookieLife) // what everybody can know is right
		if c.check(now, &cookie, asker, clientAddr) == framing.Accepted {
			require.Fail(t, "a cookie that nobody made", "%x", cookie)
		}
	}
}

func TestNobodyIsTurnedAwayWhileKeysOfCookiesChange(t *testing.T) {
	c, random := cookies{random: newRandom(1)}, rand.New(newRandom(5))
	type coming struct {
		at     int64
		cookie [handshake.CookieSize]byte
	}
	var waiting []coming
	for now := int64(0); now < 1000*1000*ms; now += 100 * ms { // 10,000 of them, while 33 keys come and go
		waiting = append(waiting, coming{now + int64(random.Uint64()%10_000)*ms, c.bake(now, asker, clientAddr)})
		waiting = slices.DeleteFunc(waiting, func(w coming) bool {
			if w.at <= now {
				require.Equal(t, framing.Accepted, c.check(now, &w.cookie, asker, clientAddr))
			}
			return w.at <= now
		})
	}
}
