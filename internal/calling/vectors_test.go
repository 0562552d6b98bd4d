package calling

import (
	"fmt"
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"

	arena "github.com/gannet-net/gannet/internal/testcontract"
	"github.com/gannet-net/gannet/loopback"
	"github.com/gannet-net/gannet/msgs"
	"github.com/gannet-net/gannet/msgs/layout"
	"github.com/gannet-net/gannet/rpc"
	"github.com/gannet-net/gannet/transport"
)

// narrow is a catalogue whose ids have 5 and 4 bits.
var narrow = msgs.Catalogue{
	Name: "narrow", Protocol: "NARROW-1", Codec: layout.Bits, HostIDs: 19, ClientIDs: 9,
	Description: "catalogue narrow protocol NARROW-1 codec bits hostids 19 clientids 9\n" +
		"message 6 Up from client delivery ordered channel 0\n  Body rest\nmessage 17 Down from host delivery ordered channel 0\n  Body rest\n",
	Entries: []msgs.Entry{
		{ID: 6, Name: "Up", From: msgs.Client, Delivery: transport.ReliableOrdered, MaxSize: layout.Unlimited},
		{ID: 17, Name: "Down", From: msgs.Host, Delivery: transport.ReliableOrdered, MaxSize: layout.Unlimited},
	},
}

var (
	up   = msgs.Descriptor{Catalogue: &narrow, Entry: &narrow.Entries[0]}
	down = msgs.Descriptor{Catalogue: &narrow, Entry: &narrow.Entries[1]}
)

// manyOf is a contract of n methods for each side, all like one of the arena's.
func manyOf(n int, client, server string) *rpc.Contract {
	c := &rpc.Contract{Catalogue: &msgs.Catalogue{Name: "many", Protocol: "MANY-1"}}
	for _, name := range []string{client, server} {
		like := arena.Contract.Methods[place(name)]
		of := *like.Of
		for i := range n {
			m := like
			m.ID, m.Name, m.Of = uint16(i), fmt.Sprintf("%s%d", name, i), &of
			c.Methods = append(c.Methods, m)
		}
	}
	return c
}

// place is where in the arena's contract a method is.
func place(name string) int {
	for i := range arena.Contract.Methods {
		if arena.Contract.Methods[i].Name == name {
			return i
		}
	}
	panic(name)
}

// wired is a side whose calls the test reads off the connection.
type wired struct {
	*rpc.Calls
	router *msgs.Router
	here   *loopback.Conn
	there  *loopback.Conn
}

func wiredSide(t *testing.T, side msgs.Side, c rpc.Config) *wired {
	client, host, err := loopback.Pipe(loopback.Config{Driving: transport.GameLoop})
	require.NoError(t, err)
	t.Cleanup(client.Abort)
	w := &wired{here: client, there: host}
	if side == msgs.Host {
		w.here, w.there = host, client
	}
	w.router, err = msgs.NewRouter(msgs.Config{Side: side, Catalogues: []msgs.Mount{{Catalogue: &narrow, AnyMode: []msgs.Descriptor{up, down}}}})
	require.NoError(t, err)
	c.Router, c.Carrier = w.router, rpc.Carrier{Host: down, Client: up}
	w.Calls, err = rpc.New(c)
	require.NoError(t, err)
	w.router.Pump(w.here)
	return w
}

// sent is the one message that has come out at the other end.
func (w *wired) sent(t *testing.T) []byte {
	w.there.Poll()
	var payload []byte
	for ev := range transport.Events(w.there) {
		if ev.Kind == transport.Message {
			require.Nil(t, payload)
			payload = ev.Retain()
		}
	}
	return payload
}

func TestTheHeadersAreThoseOfTheSeed(t *testing.T) {
	many := manyOf(150, "DoorClient.Painted", "LevelServer.Hello")

	server := wiredSide(t, msgs.Host, rpc.Config{Contracts: []*rpc.Contract{many}})
	out := server.All().Begin(many, 3, 1)
	reflect.ValueOf(out.Args).Elem().Field(0).SetUint(42)
	require.NoError(t, out.Send())
	require.Equal(t, []byte{0x71, 0x20, 0, 0, 0, 0x40, 0x05}, server.sent(t), "message 17 in 5 bits, method 3 in 8, net id 1 in 32, 42 in 8")

	client := wiredSide(t, msgs.Client, rpc.Config{Contracts: []*rpc.Contract{many}})
	require.NoError(t, client.Server().Begin(many, 150+3, 0).Send())
	require.Equal(t, []byte{0x36, 0}, client.sent(t), "message 6 in 4 bits, method 3 in 8")
}
