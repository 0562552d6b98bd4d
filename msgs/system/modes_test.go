package system_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/msgs/system"
	"github.com/gannet-net/gannet/transport"
)

func reliableMessages(t *testing.T) {
	for _, name := range []string{
		"Accepted", "Rejected", "Banned", "Kicked", "Verify", "GetWorkshopFiles", "ReadyToConnect", "Authenticate", "QueuePositionChanged", // the way in
		"PlayerConnected", "PlayerDisconnected", "HostInvokeMethod", "ClientInvokeMethod", "ReplicateConfig", "Admined", "Unadmined",
		"DownloadWorkshopFiles", "ValidateAssets", "Shutdown", "GracefullyDisconnect", "UpdateReliableBuffer",
	} {
		require.Equal(t, transport.ReliableOrdered, entry(t, name).Delivery, name)
	}
}

func lossyMessages(t *testing.T) {
	for _, name := range []string{
		"UpdateUnreliableBuffer", "HostThirdPartyAntiCheat", "ClientThirdPartyAntiCheat",
		"HostPingRequest", "HostPingResponse", "ClientPingRequest", "ClientPingResponse", // unless a setting says otherwise
	} {
		require.Equal(t, transport.Unreliable, entry(t, name).Delivery, name)
	}
	w := newWorld(t, func(c *system.ServerConfig) { c.ClientMethods = 1 })
	g := w.join()
	require.NoError(t, w.server.Invoke(w.server.Playing(), lossily, 0, nil))
	require.Equal(t, options{Delivery: lossily}, g.host.sent[0].o, "voice and poses are calls that may be lost")
}
