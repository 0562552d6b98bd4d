package main

import (
	"errors"
	"net/netip"

	"github.com/gannet-net/gannet/framing"
	"github.com/gannet-net/gannet/reliable"
	"github.com/gannet-net/gannet/sim"
	"github.com/gannet-net/gannet/transport"
	"github.com/gannet-net/gannet/udp"
)

// simEnd is one side of a simulated connection, driven as a game loop drives it: a host or a connection of package udp, or a packetEnd.
type simEnd interface {
	Poll()
	Next() (transport.Event, bool)
	Flush()
	NextDeadline() int64
}

// simConn is an end that sends.
type simConn interface {
	simEnd
	Send(payload []byte, o transport.SendOptions) error
	Stats() udp.Stats
}

// packetEnd is an endpoint on the packet wire at a socket of the simulator, with a session that was made before the run, so that what is measured
// is the packet wire alone. The connection stands from the start.
type packetEnd struct {
	node     *sim.Node
	socket   *sim.Socket
	peer     netip.AddrPort
	endpoint *reliable.Endpoint
	session  *watchedSession
	lent     []byte // the payload that the last Next returned
	in, out  []byte
}

func newPacketEnd(node *sim.Node, socket *sim.Socket, peer netip.AddrPort, session *watchedSession, c reliable.Config) *packetEnd {
	c.Sealer = session
	return &packetEnd{
		node: node, socket: socket, peer: peer, session: session, endpoint: reliable.New(node.Clock(), c), in: make([]byte, framing.MaxDatagram+1),
	}
}

// Poll takes what has come in.
func (e *packetEnd) Poll() {
	for {
		n, from, _, _ := e.socket.TryRead(e.in)
		if !from.IsValid() {
			return
		}
		e.endpoint.HandleDatagram(e.node.Clock(), e.in[:n])
	}
}

// Next returns the next event. Its payload is lent until the next call.
func (e *packetEnd) Next() (transport.Event, bool) {
	if e.lent != nil {
		e.endpoint.Recycle(e.lent)
		e.lent = nil
	}
	ev, ok := e.endpoint.PollEvent()
	if !ok {
		return transport.Event{}, false
	}
	if ev.Kind == reliable.EventMessage {
		e.lent = ev.Payload
	}
	out := transport.Event{Kind: transport.EventKind(ev.Kind), Delivery: transport.Delivery(ev.Mode), Payload: ev.Payload, At: ev.At}
	if ev.Kind == reliable.EventDisconnected {
		out.Err = endOf(ev)
	}
	return out, true
}

// endOf names why a session ended that neither side closes.
func endOf(ev reliable.Event) error {
	if ev.Cause == reliable.ProtocolError {
		return errors.New("the peer broke the protocol")
	}
	return &transport.DisconnectError{Cause: transport.TimedOut, Undelivered: ev.Undelivered}
}

// Flush sends what is due. A write that fails is a lost datagram.
func (e *packetEnd) Flush() {
	for {
		e.out = e.endpoint.PollDatagram(e.node.Clock(), e.out[:0])
		if len(e.out) == 0 {
			return
		}
		_ = e.socket.Write(e.out, e.peer, netip.Addr{})
	}
}

// NextDeadline is when Poll, Next and Flush have to be called again.
func (e *packetEnd) NextDeadline() int64 { return e.endpoint.NextDeadline() }

// Send queues a copy of payload.
func (e *packetEnd) Send(payload []byte, o transport.SendOptions) error {
	return e.endpoint.Send(e.node.Clock(), payload, reliable.SendOptions{Mode: reliable.Mode(o.Delivery), Urgent: o.Urgent})
}

// Stats returns the counters of the endpoint.
func (e *packetEnd) Stats() udp.Stats { return e.endpoint.Stats() }
