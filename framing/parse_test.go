package framing

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// fault parses d at a receiver and says what is wrong with the result, "" if nothing is: a datagram that is accepted must be
// what its frame encodes to, and one that is not must give no frame and a reason that framing can judge.
func fault(d []byte, at Role) string {
	f, drop := Parse(d, at)
	if drop == Accepted {
		if again := appendFrame(nil, f); !bytes.Equal(d, again) {
			return fmt.Sprintf("%v encodes to % X", f, again)
		}
		return ""
	}
	if f.Kind != 0 || f.PeerID != 0 || f.Seq != 0 || f.Text != nil || f.Payload != nil {
		return fmt.Sprintf("dropped for %v, but gave %v", drop, f)
	}
	if drop > DropText {
		return fmt.Sprintf("dropped for %v, which framing cannot know", drop)
	}
	return ""
}

// requireSound fails the test if Parse goes wrong on d at any receiver.
func requireSound(t testing.TB, d []byte) {
	for _, at := range roles {
		if s := fault(d, at); s != "" {
			require.Fail(t, s, "% X at the %v", d, at)
		}
	}
}

func TestEveryProperPrefixOfAFrameFailsOrIsAShorterMessage(t *testing.T) {
	for _, g := range goldens {
		t.Run(g.title(), func(t *testing.T) {
			for n := range g.bytes {
				for _, at := range receivers(g.frame.Kind) {
					// What was cut off stands behind the prefix, where a parser that looks past the end would find it.
					f, drop := Parse(g.bytes[:n], at)
					require.Equal(t, dropOfPrefix(g.frame.Kind, n), drop, "first %d bytes", n)
					if drop == Accepted {
						want := g.frame
						want.Payload = g.frame.Payload[:len(g.frame.Payload)-(len(g.bytes)-n)]
						require.Equal(t, want, f, "first %d bytes", n)
					}
				}
			}
		})
	}
}

// dropOfPrefix says what becomes of the first n bytes of a longer frame of kind k.
func dropOfPrefix(k Kind, n int) Drop {
	switch {
	case n == 0:
		return DropEmpty
	case k == KindUnreliable, k == KindReliable && n >= ReliableHeader:
		return Accepted
	}
	return DropShort
}

func TestUnreliableOfEverySizeComesBack(t *testing.T) {
	payload := patterned(MaxUnreliable)
	for n := range MaxUnreliable + 1 {
		d := AppendUnreliable(nil, payload[:n])
		require.Len(t, d, n+1)
		for _, at := range roles {
			f, drop := Parse(d, at)
			require.Equal(t, Accepted, drop)
			require.Equal(t, Frame{Kind: KindUnreliable, Payload: payload[:n]}, f)
		}
	}
}

func TestReliableOfEverySizeComesBack(t *testing.T) {
	payload := patterned(MaxReliable)
	for n := range MaxReliable + 1 {
		d := AppendReliable(nil, int32(n)-600, payload[:n])
		require.Len(t, d, n+5)
		for _, at := range roles {
			f, drop := Parse(d, at)
			require.Equal(t, Accepted, drop)
			require.Equal(t, Frame{Kind: KindReliable, Seq: int32(n) - 600, Payload: payload[:n]}, f)
		}
	}
}

// patterned returns n bytes of which no two neighbours are alike.
func patterned(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(i % 251)
	}
	return b
}

func TestEveryKindByteWithEveryShortBodyIsJudged(t *testing.T) {
	for kind := range 256 {
		for size := range 9 {
			for _, fill := range []byte{0x00, 0x01, 'v', 0xFF} {
				requireSound(t, append([]byte{byte(kind)}, repeat(size, fill)...))
			}
		}
	}
}

func TestEveryBodyOfTwoBytesIsJudged(t *testing.T) {
	d := make([]byte, 3)
	for kind := range len(kinds) {
		d[0] = byte(kind)
		for body := range 1 << 16 {
			binary.BigEndian.PutUint16(d[1:], uint16(body))
			requireSound(t, d)
		}
	}
}

func TestAMillionRandomDatagramsAreJudged(t *testing.T) {
	const largest = 1300
	source := rand.NewChaCha8([32]byte{7})
	random := rand.New(source)
	noise := make([]byte, 1<<20)
	source.Read(noise)

	accepted := 0
	for range 1_000_000 {
		d := noise[random.IntN(len(noise)-largest):][:random.IntN(largest+1)]
		requireSound(t, d)
		if _, drop := Parse(d, Host); drop == Accepted {
			accepted++
		}
	}
	require.NotZero(t, accepted, "the noise must hit valid frames too")
}

func TestFramesAreViewsOfTheDatagram(t *testing.T) {
	for _, g := range goldens {
		for _, at := range receivers(g.frame.Kind) {
			f, _ := Parse(g.bytes, at)
			if len(f.Text) > 0 {
				require.Same(t, &g.bytes[3], &f.Text[0])
			}
			if n := len(f.Payload); n > 0 {
				require.Same(t, &g.bytes[len(g.bytes)-1], &f.Payload[n-1])
			}
			require.Equal(t, len(f.Text), cap(f.Text), "no room to append into the datagram")
			require.Equal(t, len(f.Payload), cap(f.Payload), "no room to append into the datagram")
		}
	}
}

func TestParseLeavesTheDatagramAlone(t *testing.T) {
	for _, row := range readMalformed(t) {
		before := bytes.Clone(row.datagram)
		Parse(row.datagram, row.at)
		require.True(t, bytes.Equal(before, row.datagram), row.name)
	}
}

func TestParseAllocatesNothing(t *testing.T) {
	for _, row := range readMalformed(t) {
		require.Zero(t, testing.AllocsPerRun(10, func() { Parse(row.datagram, row.at) }), row.name)
	}
}
