package system_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/msgs/system"
)

func handlersAreSampled(t *testing.T) {
	server, client := &profile{}, &profile{}
	w := newWorld(t, fullServer, func(c *system.ServerConfig) { c.Profiler, c.Methods = server, calls(1) })
	g := w.dial(fullClient, func(c *system.ClientConfig) { c.Profiler, c.Methods = client, calls(1) })
	w.frames(10)
	for _, h := range headers { // each message once more, whatever it does
		if h.from == 1 {
			g.fromClient(entry(t, h.name).Delivery, unhex(t, h.bytes)...)
		} else {
			g.fromHost(entry(t, h.name).Delivery, unhex(t, h.bytes)...)
		}
	}
	names := func(p *profile) map[string]bool {
		set := map[string]bool{}
		for _, note := range p.notes {
			if name, ok := strings.CutSuffix(note, " {"); ok {
				set[name] = true
			}
		}
		return set
	}
	for _, name := range []string{"Authenticate", "GetWorkshopFiles", "PingRequest", "PingResponse", "InvokeMethod", "ValidateAssets", "GracefullyDisconnect", "ThirdPartyAntiCheat"} {
		require.Contains(t, names(server), "Server."+name)
	}
	for _, name := range []string{"PingRequest", "PingResponse", "Shutdown", "PlayerDisconnected", "DownloadWorkshopFiles", "Verify", "Accepted", "Rejected", "Banned",
		"Kicked", "Admined", "Unadmined", "ThirdPartyAntiCheat", "QueuePositionChanged", "InvokeMethod", "ReplicateConfig", "UpdateReliableBuffer", "UpdateUnreliableBuffer"} {
		require.Contains(t, names(client), "Client."+name)
	}
}

func badMessagesAreLogged(t *testing.T) {
	w := newWorld(t, func(c *system.ServerConfig) { c.Logs.BadMessages = true })
	g := w.join()
	w.log.Reset()
	for range 3 {
		g.fromClient(lossily, malformed...)
	}
	require.Equal(t, strings.Repeat(`level=WARN msg="Bad message" message=ClientPingRequest from="player 1" reason=size `+
		`error="message ClientPingRequest, field Sent: input is too short" bytes="04 00 00 00 10 00 00 00"`+"\n", 3), w.log.String())

	quiet := newWorld(t)
	h := quiet.join()
	quiet.log.Reset()
	h.fromClient(lossily, malformed...)
	require.Empty(t, quiet.log.String())
}

func logSwitches(t *testing.T) {
	for _, set := range []system.Logs{{}, {SendToClient: true}, {SendToServer: true}, {ReceiveFromClient: true}, {ReceiveFromServer: true}} {
		w := newWorld(t, func(c *system.ServerConfig) { c.Logs = set })
		g := w.join(func(c *system.ClientConfig) { c.Logs = set })
		w.log.Reset()
		g.log.Reset()
		require.Error(t, w.server.Send(g.player(), system.Kicked{Text: strings.Repeat("a", 201)}))
		require.Error(t, g.Send(system.ReadyToConnect{Name: strings.Repeat("a", 33)}))
		g.fromClient(lossily, malformed...)
		g.fromHost(reliably, 13)
		require.Equal(t, set, system.Logs{
			SendToClient:      strings.Contains(w.log.String(), "Message not sent"),
			SendToServer:      strings.Contains(g.log.String(), "Message not sent"),
			ReceiveFromClient: strings.Contains(w.log.String(), "Message could not be read"),
			ReceiveFromServer: strings.Contains(g.log.String(), "Message could not be read"),
		})
	}
}

func unreadIsAWarning(t *testing.T) {
	w := newWorld(t, func(c *system.ServerConfig) { c.Logs.ReceiveFromClient = true })
	g := w.join(func(c *system.ClientConfig) { c.Logs.ReceiveFromServer = true })
	w.log.Reset()
	g.log.Reset()
	g.fromHost(reliably, append(pack(field{13, 5}, field{1, 16}), 0, 0)...)
	require.Equal(t, []string{"player 1 admin true"}, g.news, "it is handled all the same")
	require.Equal(t, "level=WARN msg=\"Did not read to the end of a message\" message=Admined from=\"the host\" bytes=5\n", g.log.String())
	g.fromClient(lossily, append(pack(with([]field{{4, 4}}, time64(1)...)...), 0)...)
	require.Equal(t, "level=WARN msg=\"Did not read to the end of a message\" message=ClientPingRequest from=\"player 1\" bytes=10\n", w.log.String())
}

func nothingIsCompressed(t *testing.T) {
	for _, path := range imported(t) {
		require.False(t, strings.HasPrefix(path, "compress/"), path)
	}
	w := newWorld(t)
	g := w.join()
	require.NoError(t, system.SendLegacy(g.player().Peer(), true, make([]byte, 1000)))
	require.NoError(t, w.server.Send(g.player(), system.HostThirdPartyAntiCheat{Data: make([]byte, 1000)}))
	require.NoError(t, w.server.Send(g.player(), system.ReplicateConfig{}))
	sent := g.host.payloads()
	require.Equal(t, bytes.Repeat([]byte{0}, 1001), sent[0])
	require.Len(t, sent[1], 1002)
	require.Len(t, sent[2], entry(t, "ReplicateConfig").MinSize)
}
