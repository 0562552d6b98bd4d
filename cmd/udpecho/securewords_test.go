package main

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/framing"
	"github.com/gannet-net/gannet/framing/handshake"
	frames "github.com/gannet-net/gannet/framing/packet"
	"github.com/gannet-net/gannet/secure"
)

// recording is a session from its first datagram on, as somebody on the path records it, and as both sides log its keys.
type recording struct {
	t            testing.TB
	log          bytes.Buffer
	datagrams    [][]byte
	client, host *secure.Session
}

// record plays a handshake with a token. The host begins an epoch after each pair of packets.
func record(t testing.TB) *recording {
	r := &recording{t: t}
	key := secure.TokenKey{ID: 7, Key: secure.Secret{7}}
	static := secure.Secret{31: 1}
	token, psk, err := key.Issue(bytes.NewReader(bytes.Repeat([]byte{9}, 100)), secure.Claims{Issued: 1_799_999_940, Expires: 1_800_000_000})
	require.NoError(t, err)
	asking, err := secure.NewClient(0, secure.ClientConfig{Seed: secure.Secret{3}, Token: token, PSK: psk})
	require.NoError(t, err)
	answering, err := secure.NewHost(0, secure.HostConfig{
		Seed: secure.Secret{2}, Static: static, Peers: onePeer{}, TokenKeys: []secure.TokenKey{key}, RekeyAfter: 2, KeyLogWriter: &r.log,
	})
	require.NoError(t, err)
	from := netip.MustParseAddrPort("192.0.2.1:4000")
	for range 2 {
		d := asking.PollDatagram(0, nil)
		answer, drop := answering.Handle(0, 1_800_000_000, nil, d, from)
		require.Equal(t, framing.Accepted, drop)
		require.Equal(t, framing.Accepted, asking.HandleDatagram(0, answer))
		r.datagrams = append(r.datagrams, d, answer)
	}
	joined, err := asking.Outcome()
	require.NoError(t, err)
	r.client = joined.Session
	first := r.client.Seal(nil, []byte{byte(framing.KindHeartbeat)}, 0)
	answering.Handle(0, 1_800_000_000, nil, first, from)
	j, ok := answering.Poll()
	require.True(t, ok)
	r.host = j.Session
	r.keep(first, r.host)
	return r
}

// keep records a datagram, and gives it to the other side.
func (r *recording) keep(d []byte, to *secure.Session) {
	_, _, drop := to.Open(nil, d, -1)
	require.Equal(r.t, framing.Accepted, drop)
	r.datagrams = append(r.datagrams, d)
}

// exchange lets the host seal a packet, and the client answer it.
func (r *recording) exchange(number int64) {
	var b frames.Builder
	b.Reset(nil, frames.MaxPacket)
	b.AppendAck(frames.Ack{Largest: uint16(number - 1)})
	b.AppendUnreliable(frames.Unreliable{Channel: 3, Payload: []byte("hello")})
	r.keep(r.host.Seal(nil, b.Bytes(), number), r.client)
	r.keep(r.client.Seal(nil, []byte{byte(framing.KindHeartbeat)}, number), r.host)
}

// keyFile puts the key log into a file.
func (r *recording) keyFile() string {
	path := filepath.Join(r.t.TempDir(), "key.log")
	require.NoError(r.t, os.WriteFile(path, r.log.Bytes(), 0o600))
	return path
}

func (r *recording) decode(d []byte, args ...string) string {
	got := udpecho(r.t.(*testing.T), append(append([]string{"decode"}, args...), hex.EncodeToString(d))...)
	require.Zero(r.t, got.code, got.err)
	return got.out
}

func TestHandshakesAreDecodedWithoutAKey(t *testing.T) {
	r := record(t)
	client := fmt.Sprintf("client %08x, random ", r.client.ID())
	key := secure.Secret{31: 1}.Public()
	for i, says := range []string{
		"^Hello from " + client + "[0-9a-f]{16}\n$",
		"^Challenge for " + client + "[0-9a-f]{16}: cookie of second 0 of the host, host key " + key.String() + "\n$",
		"^Auth from " + client + "[0-9a-f]{16}: cookie of second 0 of the host, " +
			"token of key id 7, 161 bytes, expires 2027-01-15T08:00:00Z, 306 bytes of message 1\n$",
		fmt.Sprintf("^SecureAccept for client %08x: 83 bytes of message 2\n$", r.client.ID()),
		fmt.Sprintf(`^Sealed for session %08x, packet \.\.0, epoch \.\.0, 1 bytes`+"\n$", r.host.ID()),
	} {
		require.Regexp(t, says, r.decode(r.datagrams[i]))
	}
	asker := handshake.Asker{ID: 0xC1, Random: [8]byte{1}}
	for _, row := range []struct {
		says string
		d    []byte
	}{
		{"Reset of session 000000b2 of the host\n", handshake.AppendReset(nil, &handshake.Reset{HostID: 0xB2})},
		{"SecureRefuse for client 000000c1, random 0100000000000000: full\n", handshake.AppendSecureRefuse(nil, handshake.SecureRefuse{To: asker, Code: handshake.RefusedFull})},
		{"Hello of version \"GANNET-9\", client 000000c1, random 0100000000000000\n", bytes.Replace(handshake.AppendHello(nil, asker), []byte("T-1"), []byte("T-9"), 1)},
	} {
		require.Equal(t, row.says, r.decode(row.d))
	}
}

func TestTokensInWords(t *testing.T) {
	ticket := make([]byte, 170)
	ticket[0] = 1
	require.Equal(t, "no token", tokenWords(nil))
	require.Equal(t, "9 bytes that are no token", tokenWords(make([]byte, 9)))
	require.Equal(t, "resume ticket, 170 bytes, expires 1970-01-01T00:00:00Z", tokenWords(ticket))
	ticket[12] = 0x80
	require.Equal(t, "resume ticket, 170 bytes, expires at Unix time -9223372036854775808", tokenWords(ticket))
}

func TestSealedPacketsAreDecodedWithTheKeyLogThroughEpochs(t *testing.T) {
	r := record(t)
	for number := range int64(40) {
		r.exchange(number + 1)
	}
	ip := captureFile{link: linkRaw}
	var packets [][]byte
	for _, d := range r.datagrams {
		header := fromHex(t, "45000000 0000 4000 40 11 0000 0a000001 0a000002 03e8 07d0", fmt.Sprintf("%04x", len(d)+8), "0000")
		packets = append(packets, append(header, d...))
	}
	path := filepath.Join(t.TempDir(), "a.pcap")
	require.NoError(t, os.WriteFile(path, ip.of(packets...), 0o600))

	got := udpecho(t, "decode", "-key", r.keyFile(), path)
	require.Zero(t, got.code, got.err)
	require.Contains(t, got.out, fmt.Sprintf("Sealed to the host, session %08x/%08x, packet 0, epoch 0: Heartbeat\n", r.client.ID(), r.host.ID()))
	require.Regexp(t, `Sealed to the client, .*, packet 40, epoch 39: Ack 39 delay 0; Unreliable channel 3, 5 bytes\n`, got.out)
	require.Equal(t, 81, strings.Count(got.out, "Sealed to the "))
	require.Contains(t, got.out, "85 datagrams, 0 malformed\n")

	got = udpecho(t, "decode", path)
	require.Zero(t, got.code, got.err)
	require.Contains(t, got.out, "85 datagrams, 0 malformed, 81 sealed and not opened, for which -key needs the key log of their sessions\n")
}

func TestWhatCannotBeOpenedSaysWhy(t *testing.T) {
	r := record(t)
	d := r.datagrams[4]
	changed := bytes.Clone(d)
	changed[len(changed)-1] ^= 1
	other := bytes.Clone(d)
	other[1] ^= 1
	key := r.keyFile()
	require.Contains(t, r.decode(d, "-key", key), "Heartbeat")
	require.Contains(t, r.decode(changed, "-key", key), "1 bytes: the logged keys of this id do not open it: it belongs to another session, or was changed on the way\n")
	require.Contains(t, r.decode(other, "-key", key), "1 bytes: no keys of this session in the key log\n")
	require.Contains(t, r.decode(r.client.Seal(nil, []byte{0}, 9), "-key", key), "malformed packet (kind) of 1 bytes, after 0 frames\n")
}

func TestMistakesWithAKeyLogAreExplained(t *testing.T) {
	r := udpecho(t, "decode", "-key", "missing.log", "07")
	require.Equal(t, exitRuntime, r.code)
	require.Contains(t, r.err, "-key: open missing.log")
	path := filepath.Join(t.TempDir(), "host.key")
	require.NoError(t, os.WriteFile(path, []byte(secure.Secret{1}.Reveal()), 0o600))
	r = udpecho(t, "decode", "-key", path, "07")
	require.Equal(t, exitRuntime, r.code)
	require.Contains(t, r.err, path+": line 1: secure: not a line of a key log")
}
