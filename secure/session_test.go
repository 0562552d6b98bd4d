package secure

import (
	"bytes"
	"crypto/cipher"
	"encoding/binary"
	"math/rand/v2"
	"reflect"
	"runtime"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/framing"
	"github.com/gannet-net/gannet/framing/handshake"
)

var testKeys = trafficKeys{toHost: Secret{1, 2, 3}, toClient: Secret{4, 5, 6}, binding: [32]byte{7}}

// pair makes both sides of a session.
func pair() (client, host *Session) { return pairOf(newAESGCM) }

func pairOf(newCipher func(*Secret) cipher.AEAD) (client, host *Session) {
	client = newSession(framing.Client, &testKeys, 0xC1, 0xB2, newCipher)
	host = newSession(framing.Host, &testKeys, 0xB2, 0xC1, newCipher)
	return client, host
}

// requireOpens fails the test unless s opens d as the given number.
func requireOpens(t testing.TB, s *Session, d []byte, number int64) {
	t.Helper()
	_, n, drop := s.Open(nil, d, -1)
	require.Equal(t, framing.Accepted, drop)
	require.Equal(t, number, n)
}

func requireDrops(t testing.TB, want framing.Drop, s *Session, d []byte) {
	t.Helper()
	before := *s
	packet, _, drop := s.Open(nil, d, -1)
	require.Equal(t, want, drop)
	require.Nil(t, packet)
	after := *s
	for _, state := range []*Session{&before, &after} {
		state.forged, state.nonce, state.newCipher = 0, [12]byte{}, nil // functions are never equal
	}
	require.True(t, reflect.DeepEqual(before, after), "what is dropped changes nothing")
}

func TestASealedDatagramHasTheBytesOfTheProtocol(t *testing.T) {
	client, _ := pair()
	client.sealing.number = 5 // whose low bits are 1
	number := int64(7)<<numberBits | 0x01020304
	d := client.Seal(nil, []byte("packet"), number)
	require.Len(t, d, len("packet")+25)
	require.Equal(t, []byte{13, 0xB2, 0, 0, 0, 0x04, 0x03, 0x02, 0x41}, d[:9])

	nonce := binary.BigEndian.AppendUint64(make([]byte, 4), uint64(number))
	packet, err := newAESGCM(&testKeys.toHost).Open(nil, nonce, d[9:], d[:9])
	require.NoError(t, err)
	require.Equal(t, "packet", string(packet))
}

func TestEachDirectionHasItsKey(t *testing.T) {
	client, host := pair()
	d := client.Seal(nil, []byte("x"), 0)
	requireOpens(t, host, d, 0)
	binary.LittleEndian.PutUint32(d[1:], client.ID())
	requireDrops(t, framing.DropAuth, client, d)
}

func TestSealAndOpenWorkInPlace(t *testing.T) {
	client, host := pair()
	buf := append(make([]byte, handshake.SealedHead), "in place"...)
	d := client.Seal(buf[:0], buf[handshake.SealedHead:], 3)
	packet, _, drop := host.Open(d[handshake.SealedHead:handshake.SealedHead], d, -1)
	require.Equal(t, framing.Accepted, drop)
	require.Equal(t, "in place", string(packet))
	require.Same(t, &d[handshake.SealedHead], &packet[0])
}

func TestEverythingIsWrittenBehindWhatIsThere(t *testing.T) {
	client, host := pair()
	d := client.Seal([]byte("before"), []byte("packet"), 0)
	require.Equal(t, "before", string(d[:6]))
	packet, _, _ := host.Open([]byte("there "), d[6:], -1)
	require.Equal(t, "there packet", string(packet))
}

func TestANumberIsNeverSealedTwice(t *testing.T) {
	client, _ := pair()
	client.Seal(nil, []byte("x"), 5)
	for _, number := range []int64{5, 4, -1, maxNumber + 1} {
		require.PanicsWithValue(t, "BUG: secure: Seal: packet number is not above the last one", func() { client.Seal(nil, []byte("x"), number) })
	}
	client.Seal(nil, []byte("x"), maxNumber)
}

func TestEveryFlippedBitIsFoundOut(t *testing.T) {
	client, host := pair()
	d := client.Seal(nil, []byte("some packet"), 9)
	for bit := range 8 * len(d) {
		forged := bytes.Clone(d)
		forged[bit/8] ^= 1 << (bit % 8)
		_, _, drop := host.Open(nil, forged, -1)
		require.NotEqual(t, framing.Accepted, drop, "bit %d", bit)
	}
	for n := range d {
		_, _, drop := host.Open(nil, d[:n], -1)
		require.NotEqual(t, framing.Accepted, drop, "%d bytes", n)
	}
	_, _, drop := host.Open(nil, append(bytes.Clone(d), 0), -1)
	require.Equal(t, framing.DropAuth, drop)
	requireOpens(t, host, d, 9)
}

func TestSealedDatagramsEndInTheCounterOfTheProtocol(t *testing.T) {
	client, host := pair()
	good := client.Seal(nil, []byte("x"), 2000)
	requireOpens(t, host, good, 2000)
	fresh := func(number int64, change func(d []byte)) []byte {
		twin, _ := pair()
		d := twin.Seal(nil, []byte("x"), number)
		change(d)
		return d
	}
	for name, c := range map[string]struct {
		d    []byte
		drop framing.Drop
	}{
		"25 bytes":                    {good[:25], framing.DropShort},
		"another id":                  {fresh(2001, func(d []byte) { d[1]++ }), framing.DropNoPeer},
		"not sealed":                  {fresh(2001, func(d []byte) { d[0] = 4 }), framing.DropKind},
		"a wrong tag":                 {fresh(2001, func(d []byte) { d[len(d)-1]++ }), framing.DropAuth},
		"the same number":             {good, framing.DropDuplicate},
		"the same number, other text": {fresh(2000, func(d []byte) { d[10]++ }), framing.DropDuplicate},
		"1024 behind":                 {fresh(2000-1024, func([]byte) {}), framing.DropDuplicate},
		"the next epoch, not begun":   {fresh(2001, func(d []byte) { d[8] ^= 0x40 }), framing.DropEpoch},
		"an epoch far ahead":          {fresh(2001, func(d []byte) { d[8] ^= 0x80 }), framing.DropEpoch},
		"the epoch before the first":  {fresh(1999, func(d []byte) { d[8] ^= 0xC0 }), framing.DropEpoch},
	} {
		t.Run(name, func(t *testing.T) { requireDrops(t, c.drop, host, c.d) })
	}
	requireOpens(t, host, fresh(2000-1023, func([]byte) {}), 2000-1023)
	requireOpens(t, host, fresh(2001, func([]byte) {}), 2001)
}

func TestANumberBelowTheFirstIsADuplicate(t *testing.T) {
	client, host := pair()
	d := client.Seal(nil, []byte("x"), numberMask) // nearest to 0 is -1
	requireDrops(t, framing.DropDuplicate, host, d)
}

func TestPacketsMayComeInAnyOrderWithinTheWindow(t *testing.T) {
	client, host := pair()
	random := rand.New(newRandom(1))
	var all [][]byte
	for number := range int64(5000) {
		all = append(all, client.Seal(nil, []byte("x"), number))
	}
	for block := range slices.Chunk(all, 500) {
		for i := range block {
			j := random.Uint64() % 500
			block[i], block[j] = block[j], block[i]
		}
	}
	opened := 0
	for range 3 { // and again, and again
		for _, d := range all {
			if _, _, drop := host.Open(nil, d, -1); drop == framing.Accepted {
				opened++
			} else {
				require.Equal(t, framing.DropDuplicate, drop)
			}
		}
	}
	require.Equal(t, 5000, opened, "each once")
}

func TestAForgedNumberMovesNoWindow(t *testing.T) {
	client, host := pair()
	requireOpens(t, host, client.Seal(nil, []byte("x"), 10), 10)
	forged := client.Seal(nil, []byte("x"), 1<<29-1)
	forged[12] ^= 1
	requireDrops(t, framing.DropAuth, host, forged)
	require.Equal(t, int64(10), host.Highest())
}

func TestForgedPacketsAreDroppedWithoutAllocating(t *testing.T) {
	client, host := pair()
	requireOpens(t, client, host.Seal(nil, []byte("x"), 0), 0)
	random := newRandom(1)
	d, scratch := make([]byte, 1200), make([]byte, 0, 1200)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range 100_000 {
		draw(random, d[:40])
		d[0] = byte(handshake.KindSealed)
		binary.LittleEndian.PutUint32(d[1:], client.ID())
		if _, _, drop := client.Open(scratch, d[:40+int(d[20])], -1); drop == framing.Accepted {
			require.Fail(t, "a forged packet was opened")
		}
	}
	runtime.ReadMemStats(&after)
	require.Less(t, after.Mallocs-before.Mallocs, uint64(100), "epochs of all kinds among them")
	requireOpens(t, client, host.Seal(nil, []byte("x"), 1), 1)
}

func TestASessionThatWasForgedTooOftenOpensNothingAnyMore(t *testing.T) {
	client, host := pair()
	host.forged = maxForged - 1
	d := client.Seal(nil, []byte("x"), 0)
	forged := bytes.Clone(d)
	forged[20] ^= 1
	_, _, drop := host.Open(nil, forged, -1)
	require.Equal(t, framing.DropAuth, drop)
	requireDrops(t, framing.DropAuth, host, d)
}

func TestSealingAndOpeningAllocateNothing(t *testing.T) {
	client, host := pair()
	packet, d, plain := make([]byte, 1172), make([]byte, 0, 1200), make([]byte, 0, 1200)
	number := int64(0)
	require.Zero(t, testing.AllocsPerRun(100, func() {
		d = client.Seal(d[:0], packet, number)
		host.Open(plain, d, -1)
		number++
	}))
	require.Equal(t, number-1, host.Highest())
}

func TestNumbersAreExpandedToTheNearest(t *testing.T) {
	for _, c := range []struct {
		low              uint32
		expected, number int64
	}{
		{0, 0, 0},
		{numberMask, 0, -1},
		{0, 1 << 30, 1 << 30},
		{numberMask, 1 << 30, 1<<30 - 1},
		{5, 1<<30 - 3, 1<<30 + 5},
		{1 << 29, 0, 1 << 29},
		{1<<29 + 1, 0, 1<<29 + 1 - 1<<30},
		{0xC0000007, 7, 7}, // the bits of the epoch are none of the number
		{numberMask, maxNumber, maxNumber},
		{0, maxNumber, maxNumber + 1},
	} {
		require.Equal(t, c.number, expand(c.low, c.expected), "%#x near %d", c.low, c.expected)
	}
	random := rand.New(newRandom(3))
	for range 10_000 {
		number := int64(random.Uint64() >> 2)
		expected := number + int64(random.Uint64()%(1<<30-1)) - (1<<29 - 1)
		require.Equal(t, number, expand(uint32(number)&numberMask, expected))
	}
}

func TestNumbersGoOnWhereTheirLowBitsWrap(t *testing.T) {
	client, host := pair()
	for _, number := range []int64{1<<29 - 1, 1<<30 - 1, 1 << 30, 1<<30 + 1, 3<<29 - 5, 1<<31 - 8, 1<<31 + 5} {
		requireOpens(t, host, client.Seal(nil, []byte("x"), number), number)
	}
}

func TestASessionTakesLittleMemory(t *testing.T) {
	quiet := bytesEach(func() *Session { client, _ := pair(); return client })
	changing := bytesEach(func() *Session {
		client, _ := pair()
		client.promote(0) // the most that a session holds: the epoch before, the current and the next
		return client
	})
	t.Logf("%d bytes, %d while the epoch changes", quiet, changing)
	require.LessOrEqual(t, quiet, uint64(2900))
	require.LessOrEqual(t, changing, uint64(3584))
}

// bytesEach is the memory that stays with each session.
func bytesEach(newSession func() *Session) uint64 {
	kept := make([]*Session, 500)
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	for i := range kept {
		kept[i] = newSession()
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	runtime.KeepAlive(kept)
	return (after.HeapAlloc - before.HeapAlloc) / uint64(len(kept))
}
