package system_test

import (
	"encoding/hex"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/msgs"
	"github.com/gannet-net/gannet/msgs/system"
	"github.com/gannet-net/gannet/wire"
)

// headers are the first bytes of each message, worked out by hand. What follows the id is ones, where it can be: they show where the id ends.
var headers = []struct {
	from    msgs.Side
	message any // a message, or the body of a raw one
	name    string
	bytes   string
}{
	{msgs.Host, aligned(0xFF), "UpdateReliableBuffer", "00 FF"},
	{msgs.Host, aligned(0xFF), "UpdateUnreliableBuffer", "01 FF"},
	{msgs.Host, &system.HostPingRequest{Sent: -1}, "HostPingRequest", "E2 FF FF FF FF FF FF FF 1F"},
	{msgs.Host, &system.HostPingResponse{Sent: -1}, "HostPingResponse", "E3 FF FF FF FF FF FF FF 1F"},
	{msgs.Host, &system.Shutdown{Seconds: 0xFFFF}, "Shutdown", "E4 FF 3F"},
	{msgs.Host, &system.PlayerConnected{Player: 0xFFFF, Account: math.MaxUint64}, "PlayerConnected", "E5 FF FF FF FF FF FF FF FF FF"},
	{msgs.Host, &system.PlayerDisconnected{Player: 0xFFFF}, "PlayerDisconnected", "E6 FF 1F"},
	{msgs.Host, &system.DownloadWorkshopFiles{List: true, First: 0xFF}, "DownloadWorkshopFiles", "E7 3F 00 00"},
	{msgs.Host, &system.Verify{}, "Verify", "08"},
	{msgs.Host, &system.Accepted{Player: 0xFFFF}, "Accepted", "E9 FF 1F"},
	{msgs.Host, &system.Rejected{Reason: system.ReasonPing}, "Rejected", "4A 03"},
	{msgs.Host, &system.Banned{Seconds: math.MaxUint32}, "Banned", "EB FF FF FF 3F"},
	{msgs.Host, &system.Kicked{Reason: system.ReasonPing}, "Kicked", "4C 03"},
	{msgs.Host, &system.Admined{Player: 0xFFFF}, "Admined", "ED FF 1F"},
	{msgs.Host, &system.Unadmined{Player: 0xFFFF}, "Unadmined", "EE FF 1F"},
	{msgs.Host, &system.HostThirdPartyAntiCheat{Data: []byte{0xFF}}, "HostThirdPartyAntiCheat", "2F 00 FF"},
	{msgs.Host, &system.QueuePositionChanged{Position: 0xFF}, "QueuePositionChanged", "F0 1F"},
	{msgs.Host, func(w *wire.BitWriter) { w.Bits(3, 8); w.Uint32(1); w.Uint8(42) }, "HostInvokeMethod", "71 20 00 00 00 40 05"},
	{msgs.Host, &system.ReplicateConfig{Damage: system.DamageConfig{Player: -math.MaxFloat32}}, "ReplicateConfig", "F2 FF FF EF 1F"},

	{msgs.Client, &system.GetWorkshopFiles{Done: true}, "GetWorkshopFiles", "10"},
	{msgs.Client, &system.ReadyToConnect{Version: math.MaxUint32}, "ReadyToConnect", "F1 FF FF FF 1F"},
	{msgs.Client, &system.Authenticate{Version: math.MaxUint32}, "Authenticate", "F2 FF FF FF 0F"},
	{msgs.Client, &system.ClientThirdPartyAntiCheat{Data: []byte{0xFF}}, "ClientThirdPartyAntiCheat", "13 00 FF"},
	{msgs.Client, &system.ClientPingRequest{Sent: -1}, "ClientPingRequest", "F4 FF FF FF FF FF FF FF 0F"},
	{msgs.Client, &system.ClientPingResponse{Sent: -1}, "ClientPingResponse", "F5 FF FF FF FF FF FF FF 0F"},
	{msgs.Client, func(w *wire.BitWriter) { w.Bits(3, 8) }, "ClientInvokeMethod", "36 00"},
	{msgs.Client, &system.ValidateAssets{Last: true}, "ValidateAssets", "07 02"},
	{msgs.Client, &system.GracefullyDisconnect{}, "GracefullyDisconnect", "08"},
}

func aligned(b ...byte) func(*wire.BitWriter) {
	return func(w *wire.BitWriter) { w.Align(); w.Raw(b) }
}

func unhex(t *testing.T, text string) []byte {
	b, err := hex.DecodeString(strings.ReplaceAll(text, " ", ""))
	require.NoError(t, err)
	return b
}

func TestTheHeaderOfEachMessageIsByteExact(t *testing.T) {
	require.Len(t, headers, len(system.Catalogue.Entries))
	for _, h := range headers {
		m, ok := h.message.(msgs.Message)
		if !ok {
			continue // the rows of raw messages send them
		}
		require.Equal(t, h.name, m.Descriptor().Entry.Name)
		require.Equal(t, h.from, m.Descriptor().Entry.From)
		b, err := m.Append(nil)
		require.NoError(t, err, h.name)
		want := unhex(t, h.bytes)
		require.Equal(t, want, b[:min(len(b), len(want))], h.name)
		require.GreaterOrEqual(t, len(b), len(want), h.name)
	}
}

func idsAreFirst(t *testing.T) {
	require.Equal(t, []int{19, 9}, []int{system.Catalogue.HostIDs, system.Catalogue.ClientIDs})
	next := map[msgs.Side]byte{}
	for _, h := range headers {
		bits := map[msgs.Side]int{msgs.Host: 5, msgs.Client: 4}[h.from]
		first := unhex(t, h.bytes)[0]
		require.Equal(t, next[h.from], first&(1<<bits-1), h.name)
		require.Equal(t, uint16(next[h.from]), entry(t, h.name).ID, h.name)
		next[h.from]++
	}
	require.Equal(t, map[msgs.Side]byte{msgs.Host: 19, msgs.Client: 9}, next)

	w := newWorld(t, func(c *system.ServerConfig) { c.ClientMethods = 150 })
	g := w.join(func(c *system.ClientConfig) { c.ServerMethods = 150 })
	require.NoError(t, w.server.Invoke(w.server.Playing(), reliably, 3, func(w *wire.BitWriter) { w.Uint32(1); w.Uint8(42) }))
	require.NoError(t, g.Invoke(reliably, 3, nil))
	require.NoError(t, system.SendLegacy(w.server.Playing(), true, []byte{0xFF}))
	require.NoError(t, system.SendLegacy(w.server.Playing(), false, []byte{0xFF}))
	require.NoError(t, system.Verify{}.Send(g.player().Peer()))
	require.Equal(t, [][]byte{unhex(t, "71 20 00 00 00 40 05"), unhex(t, "00 FF"), unhex(t, "01 FF"), {8}}, g.host.payloads())
	require.Equal(t, [][]byte{unhex(t, "36 00")}, g.end.payloads())
}
