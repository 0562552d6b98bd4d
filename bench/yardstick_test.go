package bench

import (
	"crypto/aes"
	"crypto/cipher"
	"fmt"
	"net"
	"testing"

	"github.com/gannet-net/gannet/framing/handshake"
	"github.com/gannet-net/gannet/internal/stopwatch"
)

// Yardsticks are what every program pays for the same thing on this machine, none of it ours. bench/relative divides by them, so that a slower
// machine, or one with other work to do, does not read as slower code.

// sealedSizes are those of a packet with one small message, and of the largest.
var sealedSizes = []int{64, 1172}

// AES-256-GCM by itself: a packet sealed and opened.
func BenchmarkYardstickCipher(b *testing.B) {
	for _, size := range sealedSizes {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			seal := bareCipher(b, size)
			defer stopwatch.Op(b)()
			for b.Loop() {
				seal()
			}
		})
	}
}

func bareCipher(tb testing.TB, size int) func() {
	block, err := aes.NewCipher(make([]byte, 32))
	if err != nil {
		tb.Fatal(err)
	}
	c, err := cipher.NewGCM(block)
	if err != nil {
		tb.Fatal(err)
	}
	nonce, packet, additional := make([]byte, 12), make([]byte, size), make([]byte, handshake.SealedHead)
	d, plain := make([]byte, 0, 1200), make([]byte, 0, 1200)
	return func() {
		d = c.Seal(d[:0], nonce, packet, additional)
		if _, err := c.Open(plain, nonce, d, additional); err != nil {
			tb.Fatal(err)
		}
	}
}

type step interface{ take(d []byte) int }

type copies struct{ to [1200]byte }

func (c *copies) take(d []byte) int { return copy(c.to[:], d) }

// What code is made of: a look-up in a map of 1,000, a call through an interface, and a copy of 1,200 bytes to where 1.2 MB lie.
func BenchmarkYardstickCode(b *testing.B) {
	const keys = 1000
	table, d := map[uint32]step{}, make([]byte, 1200)
	for i := range uint32(keys) {
		table[i*2654435761] = &copies{}
	}
	key := uint32(0)
	defer stopwatch.Op(b)()
	for b.Loop() {
		key = (key + 617) % keys
		if table[key*2654435761].take(d) != len(d) {
			b.Fatal("a copy is short")
		}
	}
}

// One datagram of 64 bytes from a bare socket to another on loopback.
func BenchmarkYardstickDatagram(b *testing.B) {
	from, to := bareSocket(b), bareSocket(b)
	addr, d := to.LocalAddr().(*net.UDPAddr).AddrPort(), make([]byte, 64)
	defer stopwatch.Op(b)()
	for b.Loop() {
		if _, err := from.WriteToUDPAddrPort(d, addr); err != nil {
			b.Fatal(err)
		}
		if _, _, err := to.ReadFromUDPAddrPort(d); err != nil {
			b.Fatal(err)
		}
	}
}

func bareSocket(tb testing.TB) *net.UDPConn {
	c, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = c.Close() })
	return c
}
