package main

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/framing"
)

func TestDatagramsInWords(t *testing.T) {
	for _, row := range []struct {
		datagram []byte
		says     string
	}{
		{framing.AppendConnect(nil, "HRD-LOCAL-1"), `Connect "HRD-LOCAL-1"`},
		{framing.AppendAccept(nil, 7), "Accept id 7"},
		{framing.AppendRefuse(nil, "full"), `Refuse "full"`},
		{framing.AppendUnreliable(nil, []byte("abc")), "Unreliable, 3 bytes"},
		{framing.AppendReliable(nil, -2, []byte("abc")), "Reliable seq -2, 3 bytes"},
		{framing.AppendAck(nil, 5), "Ack seq 5"},
		{framing.AppendHeartbeat(nil), "Heartbeat"},
		{framing.AppendDisconnect(nil), "Disconnect"},
	} {
		said, v := words(row.datagram, nil)
		require.Equal(t, row.says, said)
		require.Equal(t, fine, v)
	}
}

func TestMalformedDatagramsSayWhatIsWrong(t *testing.T) {
	for _, row := range []struct {
		datagram string
		says     string
	}{
		{"", "malformed (empty): no bytes"},
		{"\x04" + string(make([]byte, 1200)), "malformed (oversize): 1201 bytes, at most 1200 are allowed"},
		{"\x00", "malformed (kind): there is no kind 0"},
		{"\x10", "malformed (kind): there is no kind 16"},
		{"\xff", "malformed (kind): there is no kind 255"},
		{"\x09", "malformed (size): Hello of 1 bytes: Hello has 1200, Auth 512 to 1200"},
		{"\x09\x08\x00GANNET-1" + string(make([]byte, 1189)), "malformed (bad-id): Hello with client id 0"},
		{"\x09\x08\x00GANNET-1\x01" + string(make([]byte, 1187)) + "\x01", "malformed (padding): Hello with something else than zeros at its end"},
		{"\x09\x00\x00" + string(make([]byte, 1197)), "malformed (version-empty): Hello with another version than GANNET-1"},
		{"\x09\xff\xff" + string(make([]byte, 1197)), "malformed (short): Hello of 1200 bytes, and too few for its fields"},
		{"\x0a", "malformed (short): Challenge of 1 bytes, 65 are needed"},
		{"\x0a" + string(make([]byte, 64)), "malformed (bad-id): Challenge with client id 0"},
		{"\x0b" + string(make([]byte, 511)), "malformed (version-empty): Auth with another version than GANNET-1"},
		{"\x0b\x08\x00GANNET-2" + string(make([]byte, 600)), "malformed (version): Auth with another version than GANNET-1"},
		{"\x0b\x08\x00GANNET-1\x01" + string(make([]byte, 31)) + "\x01\x02" + string(make([]byte, 600)),
			"malformed (token-size): Auth with a token that is longer than 512 bytes, or than the datagram"},
		{"\x0c" + string(make([]byte, 90)), "malformed (trailing): SecureAccept of 91 bytes, 88 are needed"},
		{"\x0d" + string(make([]byte, 24)), "malformed (short): Sealed of 25 bytes, at least 26 are needed"},
		{"\x0e", "malformed (short): Reset of 1 bytes, 21 are needed"},
		{"\x0f" + string(make([]byte, 14)), "malformed (trailing): SecureRefuse of 15 bytes, 14 are needed"},
		{"\x01", "malformed (short): Connect ends within the length of its text"},
		{"\x01\x05\x00abc", "malformed (short): Connect claims a text of 5 bytes, 3 are there"},
		{"\x01\x00\x00", "malformed (version-empty): Connect with a version of 0 bytes"},
		{"\x01\x21\x00" + string(bytes.Repeat([]byte("v"), 33)), "malformed (version-long): Connect with a version of 33 bytes, at most 32 are allowed"},
		{"\x01\x01\x00ab", "malformed (trailing): Connect has 1 bytes after its text"},
		{"\x01\x02\x00a ", `malformed (version-chars): Connect with the version "a ", which is not printable ASCII without spaces`},
		{"\x02", "malformed (short): Accept of 1 bytes, 2 are needed"},
		{"\x02\x01\x01", "malformed (trailing): Accept of 3 bytes, 2 are needed"},
		{"\x02\x00", "malformed (bad-id): Accept id 0: ids are 1 to 250"},
		{"\x02\xfb", "malformed (bad-id): Accept id 251: ids are 1 to 250"},
		{"\x03\x01\x00\xff", `malformed (text): Refuse with the reason "\xff", which is not UTF-8`},
		{"\x03\x02\x00a", "malformed (short): Refuse claims a text of 2 bytes, 1 are there"},
		{"\x03\x00\x00a", "malformed (trailing): Refuse has 1 bytes after its text"},
		{"\x05\x00\x00", "malformed (short): Reliable of 3 bytes, 5 are needed"},
		{"\x06\x00\x00\x00\x00\x00", "malformed (trailing): Ack of 6 bytes, 5 are needed"},
		{"\x07\x00", "malformed (trailing): Heartbeat of 2 bytes, 1 are needed"},
		{"\x08\x00", "malformed (trailing): Disconnect of 2 bytes, 1 are needed"},
	} {
		said, v := words([]byte(row.datagram), nil)
		require.Equal(t, row.says, said)
		require.Equal(t, malformed, v)
	}
}

// requireOneLine requires words for a datagram, whatever it is, that fit in one line.
func requireOneLine(t *testing.T, d []byte) {
	said, _ := words(d, nil)
	require.NotEmpty(t, said)
	require.NotContains(t, said, "\n")
}
