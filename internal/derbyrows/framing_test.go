package derbyrows

import (
	"context"
	"encoding/hex"
	"fmt"
	"net/netip"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/msgs/derby"
	"github.com/gannet-net/gannet/sim"
	"github.com/gannet-net/gannet/transport"
	"github.com/gannet-net/gannet/udp"
)

// wireLobby is a derby.Host over UDP on the simulator, and a socket that says datagrams to it, byte by byte.
type wireLobby struct {
	*testing.T
	nw   *sim.Network
	host *derby.Host
	udp  *udp.Host
	at   netip.AddrPort
	sock *sim.Socket
	sent [][]byte // by the host
}

func newWireLobby(t *testing.T) *wireLobby {
	w := &wireLobby{T: t, nw: sim.New(1)}
	node := w.nw.Node("host")
	config := socketOn(t, node, 7000)
	var err error
	w.udp, err = udp.Listen("", config)
	require.NoError(t, err)
	w.host, err = derby.NewHost(derby.HostConfig{})
	require.NoError(t, err)
	w.at = node.AddrPort(7000)
	node.Attach(sim.ProcessFunc(func(now int64) int64 {
		w.host.Router().Pump(w.udp)
		w.host.Router().RunFrame()
		w.udp.Flush()
		return now + int64(time.Second/60)
	}))
	w.nw.Watch(func(e sim.Event) {
		if e.Kind == sim.Sent && e.From == node {
			w.sent = append(w.sent, slices.Clone(e.Payload))
		}
	})
	w.sock, err = w.nw.Node("raw").Listen(0)
	require.NoError(t, err)
	return w
}

func socketOn(t *testing.T, n *sim.Node, port uint16) udp.Config {
	s, err := n.Listen(port)
	require.NoError(t, err)
	return udp.Config{Protocol: udp.Base, Plain: udp.PlainPrivateLAN, Driving: udp.GameLoop, Clock: n.Clock, Socket: s, Poison: true}
}

// joins is a derby.Client on a node of its own, driven 60 times a second.
func (w *wireLobby) joins(name string, game func(derby.GameMessage)) (*derby.Client, *udp.Conn) {
	node := w.nw.Node(fmt.Sprint(name, " at ", w.nw.Now()))
	conn, err := udp.Dial(context.Background(), w.at.String(), socketOn(w.T, node, 0))
	require.NoError(w, err)
	client, err := derby.NewClient(derby.ClientConfig{Self: derby.PlayerInfo{Name: name}, Game: game})
	require.NoError(w, err)
	node.Attach(sim.ProcessFunc(func(now int64) int64 {
		client.Router().Pump(conn)
		client.Router().RunFrame()
		conn.Flush()
		return now + int64(time.Second/60)
	}))
	return client, conn
}

// says sends datagrams, and returns what the host has sent within a tenth of a second, in hex.
func (w *wireLobby) says(datagrams ...string) (answers []string) {
	w.sent = nil
	for _, d := range datagrams {
		require.NoError(w, w.sock.Write([]byte(d), w.at, netip.Addr{}))
	}
	w.nw.RunFor(100 * time.Millisecond)
	for _, d := range w.sent {
		answers = append(answers, hex.EncodeToString(d))
	}
	return answers
}

const connect = "\x01\x0b\x00HRD-LOCAL-1"

var framingRows = map[string]func(*testing.T){
	"N062": func(t *testing.T) {
		w := newWireLobby(t)
		require.Equal(t, []string{"0201"}, w.says(connect), "Accept and the peer's id")
		ping := "\x01\x00\x00\x00\x00\x00\x00\xf8\x3f"
		answers := w.says("\x05\x00\x00\x00\x00" + ping)
		require.Equal(t, "0600000000", answers[0], "Ack and the sequence")
		require.Equal(t, "050000000002000000000000f83f", answers[1], "Reliable, the sequence, and a Pong")
		answers = w.says("\x06\x00\x00\x00\x00", "\x04"+ping)
		require.Empty(t, answers, "Unreliable: but a Ping is to be reliable")
		require.Equal(t, "delivery=1", w.host.Router().Stats().Drops.String())
		w.sent = nil
		w.nw.RunFor(1100 * time.Millisecond)
		require.Equal(t, [][]byte{{7}}, w.sent, "Heartbeat")
		w.says("\x08")
		require.Zero(t, w.udp.Stats().Peers, "Disconnect")
	},
	"N063": func(t *testing.T) {
		w := newWireLobby(t)
		require.Equal(t, []string{"030700" + hex.EncodeToString([]byte("version"))}, w.says("\x01\x0b\x00HRD-LOCAL-2"))
		require.Zero(t, w.udp.Stats().Peers)
		require.Equal(t, []string{"0201"}, w.says(connect))
	},
	"N064": func(t *testing.T) {
		w := newWireLobby(t)
		client, _ := w.joins("Ann", nil)
		longest := 0
		w.nw.Watch(func(e sim.Event) { longest = max(longest, len(e.Payload)) })
		w.nw.RunFor(time.Second)
		require.NotZero(t, client.ID())
		require.NoError(t, w.host.StartRun(derby.StartRun{}))
		w.nw.RunFor(time.Second)

		var tooLarge *transport.TooLargeError
		require.ErrorAs(t, derby.AtBatPitch{Decoys: make([]derby.Vec3, 96)}.Send(client.ToAll()), &tooLarge, "1207 bytes")
		require.NoError(t, derby.AtBatPitch{Decoys: make([]derby.Vec3, 95)}.Send(client.ToAll()), "1195 bytes, and 5 before them")
		w.nw.RunFor(time.Second)
		require.Equal(t, 1200, longest)
		require.EqualValues(t, 1, w.host.Stats().TooMany, "but a pitch may not have so many here")
	},
	"N065": func(t *testing.T) {
		clientEnd, hostEnd := newPipe()
		clock := func() int64 { return 1 }
		dialled := derby.DialPipe(clientEnd, clock)
		_, some := dialled.Next()
		require.False(t, some)
		require.ErrorIs(t, dialled.Send([]byte{1}, transport.SendOptions{Delivery: transport.ReliableOrdered}), transport.ErrNotConnected)

		accepted, err := derby.AcceptPipe(hostEnd, 9, clock)
		require.NoError(t, err)
		require.Equal(t, [][]byte{{0xFF, 9}}, clientEnd.in.waiting)

		host, err := derby.NewHost(derby.HostConfig{})
		require.NoError(t, err)
		var shown []string
		client, err := derby.NewClient(derby.ClientConfig{Self: derby.PlayerInfo{Name: "Ann"}, Game: func(m derby.GameMessage) { shown = append(shown, name(m.Message)) }})
		require.NoError(t, err)
		turn := func() {
			host.Router().Pump(accepted)
			host.Router().RunFrame()
			client.Router().Pump(dialled)
			client.Router().RunFrame()
		}
		turn()
		require.EqualValues(t, 9, dialled.ID())
		require.Equal(t, [][]byte{encoded(&derby.Hello{Protocol: "DERBY-1", Player: derby.PlayerInfo{Name: "Ann"}})}, hostEnd.in.waiting, "no byte around it")
		turn()
		turn()
		require.EqualValues(t, 9, client.ID())
		require.NoError(t, host.StartRun(derby.StartRun{}))
		require.NoError(t, host.StartRound(derby.RoundStart{}))
		require.NoError(t, derby.AtBatBegin{}.Send(host.ToAll()))
		require.NoError(t, derby.AtBatPose{}.Send(host.ToAll()), "unreliable, and taken for that at the other end")
		require.NoError(t, hostEnd.Send([]byte{0xFF, 3}), "a message with an id that nobody knows")
		turn()
		require.Equal(t, []string{"IntroProgress", "RoundStart", "AtBatBegin", "AtBatPose"}, shown)
		require.Equal(t, "unknown=1", client.Router().Stats().Drops.String())
		require.EqualValues(t, 9, dialled.ID())

		require.NoError(t, client.Leave())
		turn()
		turn()
		require.Empty(t, host.Roster())

		strangerEnd, otherEnd := newPipe()
		require.NoError(t, otherEnd.Send([]byte{0xFE, 9}))
		ev, _ := derby.DialPipe(strangerEnd, clock).Next()
		require.Equal(t, transport.DialFailed, ev.Kind)
		require.ErrorContains(t, ev.Err, "the 2 bytes FF and the peer's id")
		require.True(t, strangerEnd.closed)
		_, err = derby.AcceptPipe(otherEnd, 0, clock)
		require.Error(t, err, "0 is the host")
	},
}
