package handshake

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/framing"
)

// parse reads d as the kind of its first byte and encodes it again, and says how that went.
func parse(d []byte, at framing.Role) (again []byte, drop framing.Drop) {
	kind, drop := Head(d, at)
	if drop != framing.Accepted {
		return nil, drop
	}
	switch kind {
	case KindHello:
		h, drop := ParseHello(d)
		return encode(drop, func() []byte { return AppendHello(nil, h) })
	case KindChallenge:
		c, drop := ParseChallenge(d)
		return encode(drop, func() []byte { return AppendChallenge(nil, &c) })
	case KindAuth:
		a, drop := ParseAuth(d)
		return encode(drop, func() []byte { return append(AppendAuthHead(nil, a.From, &a.Cookie, a.Token), a.Message1...) })
	case KindSecureAccept:
		s, drop := ParseSecureAccept(d)
		return encode(drop, func() []byte { return append(AppendSecureAcceptHead(nil, s.ClientID), s.Message2...) })
	case KindSealed:
		s, drop := ParseSealed(d)
		return encode(drop, func() []byte { return append(AppendSealedHead(nil, s), d[SealedHead:]...) })
	case KindReset:
		r, drop := ParseReset(d)
		return encode(drop, func() []byte { return AppendReset(nil, &r) })
	default:
		r, drop := ParseSecureRefuse(d)
		return encode(drop, func() []byte { return AppendSecureRefuse(nil, r) })
	}
}

func encode(drop framing.Drop, again func() []byte) ([]byte, framing.Drop) {
	if drop != framing.Accepted {
		return nil, drop
	}
	return again(), drop
}

// requireSound fails the test unless d is dropped by a counter that bytes alone can lead to, or is what it encodes to.
func requireSound(t testing.TB, d []byte, at framing.Role) {
	again, drop := parse(d, at)
	if drop == framing.Accepted {
		require.True(t, bytes.Equal(d, again), "% X encodes to % X", d, again)
		return
	}
	require.True(t, drop <= framing.DropVersionChars || drop == framing.DropBadID || drop >= framing.DropSize && drop <= framing.DropTokenSize, "%v", drop)
}

var asker = Asker{ID: 0x04030201, Random: [8]byte([]byte("random8!"))}

// samples are one datagram of each kind, with the roles that take it.
func samples() map[string][]byte {
	cookie, key := [CookieSize]byte(bytes.Repeat([]byte{0xC0}, CookieSize)), [KeySize]byte(bytes.Repeat([]byte{0x4E}, KeySize))
	auth := AppendAuthHead(nil, asker, &cookie, []byte("token"))
	auth = append(auth, bytes.Repeat([]byte{0xA1}, MinAuth-len(auth))...)
	return map[string][]byte{
		"Hello":        AppendHello(nil, asker),
		"Challenge":    AppendChallenge(nil, &Challenge{asker, cookie, key}),
		"Auth":         auth,
		"SecureAccept": append(AppendSecureAcceptHead(nil, asker.ID), bytes.Repeat([]byte{0xA2}, Message2Size)...),
		"Sealed":       append(AppendSealedHead(nil, Sealed{0x0D0C0B0A, 0x44332211}), bytes.Repeat([]byte{0x5E}, 17)...),
		"Reset":        AppendReset(nil, &Reset{0x0D0C0B0A, [16]byte([]byte("the reset token!"))}),
		"SecureRefuse": AppendSecureRefuse(nil, SecureRefuse{asker, RefusedFull}),
	}
}

func TestDatagramsHaveTheBytesOfTheProtocol(t *testing.T) {
	version := "\x08\x00GANNET-1"
	who := "\x01\x02\x03\x04random8!"
	many := func(s string, n int) string { return string(bytes.Repeat([]byte(s), n)) }
	for name, want := range map[string]string{
		"Hello":        "\x09" + version + who + many("\x00", 1177),
		"Challenge":    "\x0A" + who + many("\xC0", 20) + many("\x4E", 32),
		"Auth":         "\x0B" + version + who + many("\xC0", 20) + "\x05\x00token" + many("\xA1", 462),
		"SecureAccept": "\x0C\x01\x02\x03\x04" + many("\xA2", 83),
		"Sealed":       "\x0D\x0A\x0B\x0C\x0D\x11\x22\x33\x44" + many("\x5E", 17),
		"Reset":        "\x0E\x0A\x0B\x0C\x0Dthe reset token!",
		"SecureRefuse": "\x0F" + who + "\x04",
	} {
		require.Equal(t, want, string(samples()[name]), name)
	}
}

func TestPayloadsHaveTheBytesOfTheProtocol(t *testing.T) {
	one := Payload1{Fingerprint: [8]byte([]byte("finger-1")), TimeoutMS: 0x00010203, ConnectData: []byte("data")}
	require.Equal(t, "finger-1\x03\x02\x01\x00\x04\x00data"+string(make([]byte, 512-45-96-18)), string(AppendPayload1(nil, &one, AuthHead)))
	require.Equal(t, "finger-1\x03\x02\x01\x00\x04\x00data", string(AppendPayload1(nil, &one, 512)), "no zeros where there is enough")

	two := Payload2{0x0D0C0B0A, 0x0201, 7, [16]byte([]byte("the reset token!")), [8]byte([]byte("finger-2")), true}
	require.Equal(t, "\x0A\x0B\x0C\x0D\x01\x02\x07\x00\x00\x00the reset token!finger-2\x01", string(AppendPayload2(nil, &two)))
	again, ok := ParsePayload2(AppendPayload2(nil, &two))
	require.True(t, ok)
	require.Equal(t, two, again)
}

func TestPayload1ComesBackWithAnyConnectData(t *testing.T) {
	for size := range MaxConnectData + 1 {
		for _, head := range []int{AuthHead, AuthHead + 161, AuthHead + MaxToken} {
			p := Payload1{ConnectData: bytes.Repeat([]byte{'d'}, size)}
			b := AppendPayload1(nil, &p, head)
			require.GreaterOrEqual(t, head+Message1Overhead+len(b), MinAuth)
			require.LessOrEqual(t, head+Message1Overhead+len(b), MaxAuth)
			again, ok := ParsePayload1(b, head)
			require.True(t, ok)
			require.Equal(t, p, again)
		}
	}
}

func TestPayloadsThatBreakTheirLayoutAreRefused(t *testing.T) {
	good := AppendPayload1(nil, &Payload1{ConnectData: []byte("data")}, AuthHead)
	for name, bad := range map[string][]byte{
		"nothing":                    {},
		"one byte short":             good[:len(good)-1],
		"one byte more":              append(bytes.Clone(good), 0),
		"zeros that are none":        append(bytes.Clone(good[:len(good)-1]), 1),
		"connect data beyond":        append(bytes.Clone(good[:12]), 0xFF, 0xFF),
		"length of the data too low": append(append(bytes.Clone(good[:12]), 3, 0), good[14:]...),
		"257 bytes of connect data":  append(append(bytes.Clone(good[:12]), 1, 1), make([]byte, 512)...),
	} {
		_, ok := ParsePayload1(bad, AuthHead)
		require.False(t, ok, name)
	}
	_, ok := ParsePayload1(append(make([]byte, Payload1Head), 0), 512)
	require.False(t, ok, "zeros where none are needed")
	for _, size := range []int{0, Payload2Size - 1, Payload2Size + 1} {
		_, ok := ParsePayload2(make([]byte, size))
		require.False(t, ok, "%d bytes", size)
	}
	_, ok = ParsePayload2(append(make([]byte, Payload2Size-1), 2))
	require.False(t, ok, "admitted is 0 or 1")
}

func TestAnotherVersionStillTellsWhoAsks(t *testing.T) {
	d := append([]byte{9, 9, 0}, "HRD-SEC-9"...)
	d = append(appendAsker(d, asker), bytes.Repeat([]byte{'?'}, 1200-len(d)-12)...)
	who, drop := ParseHello(d)
	require.Equal(t, framing.DropVersion, drop)
	require.Equal(t, asker, who)
}

func TestAnAuthKnowsWhatStandsBeforeMessage1(t *testing.T) {
	d := samples()["Auth"]
	a, drop := ParseAuth(d)
	require.Equal(t, framing.Accepted, drop)
	require.Equal(t, "token", string(a.Token))
	require.Equal(t, d, append(bytes.Clone(a.Head), a.Message1...))
	require.Len(t, a.Head, AuthHead+len("token"))
	require.Equal(t, len(a.Head), cap(a.Head), "no room to append into the datagram")
}

func TestEveryTruncationAndEveryFlippedBitIsJudged(t *testing.T) {
	for _, d := range samples() {
		for _, at := range []framing.Role{framing.Client, framing.Host} {
			for n := range d {
				requireSound(t, d[:n], at)
			}
			for bit := range 8 * min(len(d), 60) {
				m := bytes.Clone(d)
				m[bit/8] ^= 1 << (bit % 8)
				requireSound(t, m, at)
			}
		}
	}
}

func TestParsingAllocatesNothing(t *testing.T) {
	for name, d := range samples() {
		buf := make([]byte, 0, framing.MaxDatagram)
		require.Zero(t, testing.AllocsPerRun(100, func() {
			for _, at := range []framing.Role{framing.Client, framing.Host} {
				Head(d, at)
			}
			ParseHello(d)
			ParseChallenge(d)
			ParseAuth(d)
			ParseSecureAccept(d)
			ParseSealed(d)
			ParseReset(d)
			ParseSecureRefuse(d)
			buf = AppendHello(buf[:0], asker)
		}), name)
	}
}

func TestAppendRefusesToMakeWhatWouldBeDropped(t *testing.T) {
	for name, mistake := range map[string]func(){
		"client id 0":                 func() { AppendHello(nil, Asker{}) },
		"token of 513 bytes":          func() { AppendAuthHead(nil, asker, new([CookieSize]byte), make([]byte, 513)) },
		"connect data of 257 bytes":   func() { AppendPayload1(nil, &Payload1{ConnectData: make([]byte, 257)}, 0) },
		"refusal for the client id 0": func() { AppendSecureRefuse(nil, SecureRefuse{}) },
	} {
		t.Run(name, func(t *testing.T) {
			defer func() { require.Contains(t, recover(), "BUG: handshake: ") }()
			mistake()
		})
	}
}
