package secure

import (
	"bytes"
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/framing"
	"github.com/gannet-net/gannet/internal/minimalpeer"
)

func TestAPeerMadeFromThePageAloneJoinsAndFollowsEpochs(t *testing.T) {
	m := meet(t, func(h *HostConfig, _ *ClientConfig) { h.RekeyAfter = 2 })
	c := &minimalpeer.Client{
		T: t, Static: minimalpeer.Private(t, bytes.Repeat([]byte{0x51}, 32)), Ephemeral: minimalpeer.Private(t, bytes.Repeat([]byte{0x52}, 32)),
		ID: []byte{1, 2, 3, 4}, Random: []byte("random8!"),
	}
	challenge, _ := m.give(c.Hello())
	payload := append([]byte("finger-1"), 0x10, 0x27, 0, 0, 4, 0, 'd', 'a', 't', 'a')
	accept, drop := m.give(c.Auth(challenge, nil, payload))
	require.Equal(t, framing.Accepted, drop)
	c.Accept(accept, make([]byte, 32))

	first := c.Seal([]byte{7}, 0, 0)
	_, drop = m.give(first)
	require.Equal(t, framing.Accepted, drop)
	require.Len(t, m.joins, 1)
	j := m.joins[0]
	require.Equal(t, "data", string(j.ConnectData))
	require.Equal(t, [8]byte([]byte("finger-1")), j.Fingerprint)
	require.Equal(t, c.Static.PublicKey().Bytes(), j.Identity.Key[:])
	require.Equal(t, j.Session.Binding(), [32]byte(c.Digest))
	require.Equal(t, j.PeerID, binary.LittleEndian.Uint16(c.Payload2[4:]))

	requireOpens(t, j.Session, first, 0)
	require.Equal(t, "one", string(c.Open(j.Session.Seal(nil, []byte("one"), 0), 0)))
	d := j.Session.Seal(nil, []byte("two"), 1) // the host begins epoch 1
	require.Equal(t, byte(0x40), d[8])
	c.Rekey()
	require.Equal(t, "two", string(c.Open(d, 1)))
	requireOpens(t, j.Session, c.Seal([]byte{7}, 1, 1), 1)
}

// TestTheVectorsAreThoseOfThePage computes testdata/handshake.txt anew from its keys, as somebody would who writes a peer.
func TestTheVectorsAreThoseOfThePage(t *testing.T) {
	v := readFields(t, "handshake.txt")[0]
	c := &minimalpeer.Client{
		T: t, Static: minimalpeer.Private(t, v["client_static"]), Ephemeral: minimalpeer.Private(t, v["client_ephemeral"]),
		ID: v["client_id"], Random: v["client_random"],
	}
	require.Equal(t, v["hello"], c.Hello())
	require.Equal(t, v["auth"], c.Auth(v["challenge"], v["token"], v["payload_1"]))
	c.Accept(v["secure_accept"], v["psk"])
	require.Equal(t, v["payload_2"], c.Payload2)
	require.Equal(t, v["handshake_hash"], c.Digest)
	require.Equal(t, v["key_to_host_0"], c.ToHost)
	require.Equal(t, v["key_to_client_0"], c.ToClient)
	require.Equal(t, v["sealed_to_host_0"], c.Seal(v["packet"], 0, 0))
	require.Equal(t, v["packet"], c.Open(v["sealed_to_client_0"], 0))
	c.Rekey()
	require.Equal(t, v["key_to_host_1"], c.ToHost)
	require.Equal(t, v["key_to_client_1"], c.ToClient)
	require.Equal(t, v["packet"], c.Open(v["sealed_to_client_1"], 1<<30+5))
	require.Equal(t, v["sealed_to_host_1"], c.Seal(v["packet"], 1<<30+7, 1))
	require.Equal(t, v["host_public"], minimalpeer.Private(t, v["host_static"]).PublicKey().Bytes())
	require.Equal(t, v["host_ephemeral_public"], v["secure_accept"][5:37])
}
