package secure

import (
	"bytes"
	"encoding/hex"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// readFields reads a file of testdata: a field a line, its name before its bytes in hex; an empty line ends a block.
func readFields(t testing.TB, name string) []map[string][]byte {
	text, err := os.ReadFile("testdata/" + name)
	require.NoError(t, err)
	var blocks []map[string][]byte
	for block := range strings.SplitSeq(string(text), "\n\n") {
		fields := map[string][]byte{}
		for line := range strings.Lines(block) {
			if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
				continue
			}
			name, value, _ := strings.Cut(line, " ")
			if b, err := hex.DecodeString(value); err == nil {
				fields[name] = b
			}
		}
		if len(fields) > 0 {
			blocks = append(blocks, fields)
		}
	}
	return blocks
}

func TestTheExchangeGivesThePublishedAnswers(t *testing.T) {
	vectors := readFields(t, "noise.txt")
	require.Len(t, vectors, 4)
	for _, v := range vectors {
		initiator, responder := Secret(v["init_static"]), Secret(v["resp_static"])
		psk := Secret(v["preshared_key"])
		fromInitiator, fromResponder := bytes.NewReader(v["gen_init_ephemeral"]), bytes.NewReader(v["gen_resp_ephemeral"])

		client := beginAsClient(fromInitiator, initiator.pair(), responder.Public(), &psk, v["prologue"])
		host := beginAsHost(fromResponder, responder.pair(), v["prologue"])

		m, err := client.write(nil, v["msg_0_payload"])
		require.NoError(t, err)
		require.Equal(t, v["msg_0_ciphertext"], m)
		payload, err := host.read(nil, m)
		require.NoError(t, err)
		require.True(t, bytes.Equal(v["msg_0_payload"], payload))
		require.Equal(t, initiator.Public(), host.peer())

		host.usePSK(&psk)
		m, err = host.write(nil, v["msg_1_payload"])
		require.NoError(t, err)
		require.Equal(t, v["msg_1_ciphertext"], m)
		payload, err = client.read(nil, m)
		require.NoError(t, err)
		require.True(t, bytes.Equal(v["msg_1_payload"], payload))

		require.Zero(t, fromInitiator.Len()+fromResponder.Len(), "the ephemeral keys came from the given randomness")
		require.Equal(t, client.keys, host.keys)
		require.Equal(t, v["msg_2_ciphertext"], transport(client.keys.toHost, v["msg_2_payload"]))
		require.Equal(t, v["msg_3_ciphertext"], transport(host.keys.toClient, v["msg_3_payload"]))
	}
}

// transport seals the first message under a key as Noise does.
func transport(key Secret, payload []byte) []byte {
	return newAESGCM(&key).Seal(nil, make([]byte, 12), payload, nil)
}

// exchangeWith runs an exchange whose sides may know different things, and gives the error of the side that notices.
func exchangeWith(hostKey Key, clientPSK, hostPSK Secret, clientPrologue, hostPrologue string) error {
	static, other := Secret{0x10}, Secret{0x20}
	client := beginAsClient(newRandom(3), other.pair(), hostKey, &clientPSK, []byte(clientPrologue))
	host := beginAsHost(newRandom(4), static.pair(), []byte(hostPrologue))
	m, err := client.write(nil, nil)
	if err != nil {
		return err
	}
	if _, err := host.read(nil, m); err != nil {
		return err
	}
	host.usePSK(&hostPSK)
	if m, err = host.write(nil, nil); err != nil {
		return err
	}
	_, err = client.read(nil, m)
	return err
}

func TestTwoSidesThatKnowDifferentThingsHaveNoSession(t *testing.T) {
	key := Secret{0x10}.Public()
	require.NoError(t, exchangeWith(key, Secret{5}, Secret{5}, "same", "same"))
	require.Error(t, exchangeWith(key, Secret{5}, Secret{6}, "same", "same"), "psk")
	require.Error(t, exchangeWith(key, Secret{5}, Secret{5}, "same", "Same"), "prologue")
	require.Error(t, exchangeWith(Secret{0x70}.Public(), Secret{5}, Secret{5}, "same", "same"), "host key")
}

// lowOrder are the points of small order on Curve25519, as RFC 7748 section 6.1 and its errata warn of.
var lowOrder = []string{
	"0000000000000000000000000000000000000000000000000000000000000000",
	"0100000000000000000000000000000000000000000000000000000000000000",
	"e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800",
	"5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157",
	"ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
	"edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
	"eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
}

func TestPointsOfLowOrderAreRefused(t *testing.T) {
	for _, point := range lowOrder {
		b, err := hex.DecodeString(point)
		require.NoError(t, err)
		require.Error(t, exchangeWith(Key(b), Secret{}, Secret{}, "", ""), "as the key of a host: %s", point)

		host := beginAsHost(newRandom(4), Secret{0x10}.pair(), nil)
		_, err = host.read(nil, append(b, make([]byte, 78)...))
		require.Error(t, err, "as an ephemeral key: %s", point)
	}
}

func TestAMessageThatIsRefusedLeavesTheExchangeAsItWas(t *testing.T) {
	static, psk := Secret{0x10}, Secret{}
	client := beginAsClient(newRandom(3), Secret{0x20}.pair(), static.Public(), &psk, nil)
	host := beginAsHost(newRandom(4), static.pair(), nil)
	m, err := client.write(nil, []byte("one"))
	require.NoError(t, err)
	_, err = host.read(nil, m)
	require.NoError(t, err)
	host.usePSK(&psk)
	m, err = host.write(nil, []byte("two"))
	require.NoError(t, err)

	for i := range m {
		forged := bytes.Clone(m)
		forged[i] ^= 1
		_, err := client.read(nil, forged)
		require.Error(t, err, "byte %d", i)
	}
	payload, err := client.read(nil, m)
	require.NoError(t, err)
	require.Equal(t, "two", string(payload))
}

func TestSecretsOfOtherPurposesHaveOtherBytes(t *testing.T) {
	s := Secret{9}
	require.NotEqual(t, s.derive("a"), s.derive("b"))
	require.NotEqual(t, s.derive("a"), Secret{8}.derive("a"))
}
