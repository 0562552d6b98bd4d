package secure

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"hash"
	"io"
	"net/netip"
	"time"

	"github.com/gannet-net/gannet/framing"
	"github.com/gannet-net/gannet/framing/handshake"
)

const (
	cookieLabel    = "GANNET-1 cookie"
	cookieBucket   = int64(time.Second)
	cookieLife     = 10 // buckets
	cookieKeyLife  = 30 // buckets
	cookieTagStart = 4
)

// cookies makes and checks the cookies of a host, PROTOCOL.md 18.2. It remembers two keys and no client.
type cookies struct {
	random            io.Reader
	current, previous hash.Hash // HMAC with the key of this generation, and of the one before
	generation        uint32
	input             []byte // what is authenticated; kept, since it escapes into the hash
	sum               [sha256.Size]byte
}

// bake makes the cookie for one client at one address.
func (c *cookies) bake(now int64, who handshake.Asker, at netip.AddrPort) (cookie [handshake.CookieSize]byte) {
	bucket := bucketOf(now)
	c.turn(bucket)
	binary.LittleEndian.PutUint32(cookie[:], bucket)
	copy(cookie[cookieTagStart:], c.tag(c.current, bucket, who, at))
	return cookie
}

// check tells whether the cookie was made for this client at this address, and not too long ago.
func (c *cookies) check(now int64, cookie *[handshake.CookieSize]byte, who handshake.Asker, at netip.AddrPort) framing.Drop {
	bucket, made := bucketOf(now), bakedAt(cookie)
	c.turn(bucket)
	if bucket-made > cookieLife { // also one from the future
		return framing.DropCookieOld
	}
	key := c.current
	if made/cookieKeyLife != c.generation {
		key = c.previous
	}
	if !hmac.Equal(cookie[cookieTagStart:], c.tag(key, made, who, at)) {
		return framing.DropCookie
	}
	return framing.Accepted
}

func bucketOf(now int64) uint32 { return uint32(now / cookieBucket) }

// bakedAt is the bucket in which a cookie was made, as that says.
func bakedAt(cookie *[handshake.CookieSize]byte) uint32 { return binary.LittleEndian.Uint32(cookie[:]) }

// turn draws the key of a new generation. The one before stays good for cookies that were made with it.
func (c *cookies) turn(bucket uint32) {
	generation := bucket / cookieKeyLife
	switch {
	case c.current != nil && generation == c.generation:
		return
	case c.current != nil && generation == c.generation+1:
		c.previous = c.current
	default:
		c.previous = c.fresh()
	}
	c.current, c.generation = c.fresh(), generation
}

func (c *cookies) fresh() hash.Hash {
	key := drawSecret(c.random)
	return hmac.New(sha256.New, key[:])
}

func (c *cookies) tag(key hash.Hash, bucket uint32, who handshake.Asker, at netip.AddrPort) []byte {
	address := at.Addr().As16()
	b := append(c.input[:0], cookieLabel...)
	b = binary.LittleEndian.AppendUint32(b, bucket)
	b = binary.LittleEndian.AppendUint32(b, who.ID)
	b = append(b, who.Random[:]...)
	b = append(b, address[:]...)
	c.input = binary.LittleEndian.AppendUint16(b, at.Port())

	key.Reset()
	key.Write(c.input)
	return key.Sum(c.sum[:0])[:handshake.CookieSize-cookieTagStart]
}
