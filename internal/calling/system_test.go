package calling

import (
	"fmt"
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"

	arena "github.com/gannet-net/gannet/internal/testcontract"
	"github.com/gannet-net/gannet/loopback"
	"github.com/gannet-net/gannet/msgs"
	"github.com/gannet-net/gannet/msgs/system"
	"github.com/gannet-net/gannet/rpc"
	"github.com/gannet-net/gannet/transport"
)

// overSystem is the carrier of the system messages.
var overSystem = rpc.Carrier{Host: (*system.HostInvokeMethod)(nil).Descriptor(), Client: (*system.ClientInvokeMethod)(nil).Descriptor()}

func TestCallsTravelInTheSystemMessages(t *testing.T) {
	now := int64(1)
	clock := func() int64 { return now }
	contract := []msgs.Mount{{Catalogue: &arena.Catalogue, Channel: 8}}
	server, err := system.NewServer(system.ServerConfig{Clock: clock, Calls: true, Catalogues: contract})
	require.NoError(t, err)
	client, err := system.NewClient(system.ClientConfig{Clock: clock, Calls: true, Catalogues: contract})
	require.NoError(t, err)
	here, there, err := loopback.Pipe(loopback.Config{Driving: transport.GameLoop, Clock: clock})
	require.NoError(t, err)
	defer here.Abort()

	many := manyOf(150, "DoorClient.Painted", "LevelServer.Hello")
	calls := func(r *msgs.Router) *rpc.Calls {
		c, err := rpc.New(rpc.Config{Router: r, Carrier: overSystem, Contracts: []*rpc.Contract{many}})
		require.NoError(t, err)
		return c
	}
	atServer, atClient := calls(server.Router()), calls(client.Router())
	heard := []string(nil)
	for i := range many.Methods {
		m := &many.Methods[i]
		m.Call = func(in *rpc.In, args any) {
			heard = append(heard, fmt.Sprint(m.Name, " ", reflect.ValueOf(args).Elem()))
		}
	}
	require.NoError(t, atServer.Bind(many.Methods[150].Of, 0, t, t))
	require.NoError(t, atClient.Bind(many.Methods[0].Of, 1, t, t))
	frame := func() {
		for range 3 {
			server.Frame(there)
			client.Frame(here)
		}
	}
	frame()

	out := atServer.All().Begin(many, 3, 1)
	reflect.ValueOf(out.Args).Elem().Field(0).SetUint(42)
	require.NoError(t, out.Send())
	require.Equal(t, []byte{0x71, 0x20, 0, 0, 0, 0x40, 0x05}, unread(here))
	require.NoError(t, atClient.Server().Begin(many, 150+3, 0).Send())
	require.Equal(t, []byte{0x36, 0}, unread(there))

	out = atServer.All().Begin(many, 3, 1)
	reflect.ValueOf(out.Args).Elem().Field(0).SetUint(42)
	require.NoError(t, out.Send())
	require.NoError(t, atClient.Server().Begin(many, 150+3, 0).Send())
	frame()
	require.ElementsMatch(t, []string{"LevelServer.Hello3 {}", "DoorClient.Painted3 {42}"}, heard)

	t.Log("what is no call is a bad packet")
	require.NoError(t, here.Send([]byte{0xf6, 0x0f}, ordered))
	frame()
	require.Equal(t, "unknown=1", atServer.Stats().Drops.String())
	require.Equal(t, uint64(1), server.Stats().Bad)

	_, err = system.NewServer(system.ServerConfig{Clock: clock, Calls: true, ClientMethods: 1})
	require.ErrorContains(t, err, "package rpc has its own methods")
	_, err = system.NewClient(system.ClientConfig{Clock: clock, Calls: true, ServerMethods: 1})
	require.ErrorContains(t, err, "package rpc has its own methods")
}

// unread takes the one message off a connection.
func unread(c *loopback.Conn) (payload []byte) {
	c.Poll()
	for ev := range transport.Events(c) {
		if ev.Kind == transport.Message {
			payload = ev.Retain()
		}
	}
	return payload
}
