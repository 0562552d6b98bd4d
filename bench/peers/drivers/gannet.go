package drivers

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"time"

	"github.com/gannet-net/gannet/bench/peers/peer"
	"github.com/gannet-net/gannet/transport"
	"github.com/gannet-net/gannet/udp"
)

// gannet is the secure protocol, with each budget of bytes, ordered and unordered.
func gannet() []peer.Driver {
	sparse := []peer.Use{peer.Sparse}
	unordered := []peer.Use{peer.Sparse, peer.Bulk, peer.Bottleneck, peer.Rooms} // where order makes a difference
	var all []peer.Driver
	for _, row := range []struct {
		budget int
		only   []peer.Use
	}{{130, nil}, {190, sparse}, {200, sparse}} {
		for _, order := range []transport.Delivery{transport.ReliableOrdered, transport.ReliableUnordered} {
			only := row.only
			if only == nil && order == transport.ReliableUnordered {
				only = unordered
			}
			all = append(all, gannetDriver(order, row.budget, only))
		}
	}
	return all
}

func gannetDriver(order transport.Delivery, budget int, only []peer.Use) peer.Driver {
	t := gannetTuning{order, budget}
	name := "gannet"
	if budget != 130 {
		name += fmt.Sprintf("-%.1f", float64(budget)/100)
	}
	settings := fmt.Sprintf("secure protocol, budget %.1f, no send ceiling", float64(budget)/100)
	if budget == 130 {
		settings += "; bulk: 4,096 messages or 8 MiB to send, and 16,384 or 3 MiB unread; bottleneck: lane 0 of class bulk; crowds: acks on the tick, clients in the background style"
	}
	if order == transport.ReliableUnordered {
		name += "-unord"
	}
	return peer.Driver{
		Name: name, Settings: settings,
		Ordered: order == transport.ReliableOrdered, Reliable: true, Unreliable: order == transport.ReliableOrdered, Encrypted: true,
		Only: only, MaxMessage: 1 << 20,
		Listen: t.listen,
		Dial:   t.dial,
	}
}

// gannetTuning is what tells the drivers of gannet apart.
type gannetTuning struct {
	order  transport.Delivery
	budget int
}

const gannetChannels = 2 // a lane is a channel

func (t gannetTuning) config(s peer.Setup) udp.Config {
	c := udp.Config{
		Driving: udp.GameLoop, Budget: t.budget, SendCeiling: -1, Heartbeat: s.Heartbeat,
		Channels: make([]udp.Channel, gannetChannels),
	}
	if s.Heartbeat > 0 {
		c.Timeout = max(10*time.Second, 6*s.Heartbeat)
	}
	for i := range c.Channels {
		c.Channels[i].Class = udp.ClassGame
	}
	switch s.Use {
	case peer.Bulk:
		c.SendQueueBytes = 8 << 20 // a queue of more messages falls out of the caches
		c.UnreadBytes, c.UnreadMessages = 3<<20, 16<<10
	case peer.Bottleneck:
		c.SendQueueBytes = 8 << 20
		c.Channels[0].Class = udp.ClassBulk
	case peer.Crowd, peer.Rooms:
		c.AckOnTick = true
	}
	return c
}

// options are those of each lane.
func (t gannetTuning) options(s peer.Setup) []transport.SendOptions {
	var all []transport.SendOptions
	for lane, promise := range s.Lanes {
		o := transport.SendOptions{Delivery: t.order, Channel: uint8(lane)}
		if promise == peer.Unreliable {
			o.Delivery = transport.Unreliable
		}
		all = append(all, o)
	}
	return all
}

// gannetConn is one end of a connection, driven by the game loop of its end.
type gannetConn struct {
	*gannetLoop
	conn    transport.Conn
	options []transport.SendOptions
	receive peer.Receive
}

func (c *gannetConn) Send(lane int, payload []byte) error {
	err := c.conn.Send(payload, c.options[lane])
	if errors.Is(err, transport.ErrQueueFull) {
		return peer.ErrFull
	}
	return err
}

func (c *gannetConn) Await() { c.Drive(2 * time.Millisecond) }

func (c *gannetConn) Close() {
	c.conn.Abort()
	c.Flush()
	c.shut()
}

// gannetEnd is a host or a connection of the game loop style.
type gannetEnd interface {
	Poll()
	Next() (transport.Event, bool)
	Flush()
	Wait(time.Duration)
}

// gannetLoop is the game loop of one end.
type gannetLoop struct {
	gannetEnd
	socket *net.UDPConn
	conns  []*gannetConn         // by their ids; at a client the only one
	on     func(transport.Event) // but messages
}

// Drive sleeps until something comes in or is due, and is one turn of the loop.
func (l *gannetLoop) Drive(d time.Duration) {
	l.Wait(d)
	l.Poll()
	for ev, some := l.Next(); some; ev, some = l.Next() {
		if ev.Kind == transport.Message {
			l.connOf(ev.Conn).receive(int(ev.Channel), ev.Payload)
		} else {
			l.on(ev)
		}
	}
	l.Flush()
}

func (l *gannetLoop) connOf(c transport.Conn) *gannetConn {
	if len(l.conns) == 1 {
		return l.conns[0]
	}
	return l.conns[c.ID()]
}

func (l *gannetLoop) shut() { _ = l.socket.Close() }

// gannetHost is a host.
type gannetHost struct {
	gannetLoop
	host   *udp.Host
	setup  peer.Setup
	tuning gannetTuning
}

func (t gannetTuning) listen(s peer.Setup) (peer.Host, error) {
	socket, err := udpSocket(netip.Addr{}, true)
	if err != nil {
		return nil, err
	}
	config := t.config(s)
	config.PacketConn = socket
	host, err := udp.Listen("", config)
	if err != nil {
		return nil, err
	}
	h := &gannetHost{host: host, setup: s, tuning: t}
	h.gannetLoop = gannetLoop{host, socket, make([]*gannetConn, s.Clients+1), h.happens}
	return h, nil
}

func (h *gannetHost) Addr() string { return h.host.Addr().String() }

func (h *gannetHost) happens(ev transport.Event) {
	if ev.Kind == transport.Connected {
		h.accept(ev.Conn)
	}
}

func (h *gannetHost) accept(conn transport.Conn) {
	c := &gannetConn{gannetLoop: &h.gannetLoop, conn: conn, options: h.tuning.options(h.setup)}
	id := int(conn.ID())
	for id >= len(h.conns) {
		h.conns = append(h.conns, nil)
	}
	h.conns[id] = c
	c.receive = h.setup.Accept(hostedGannetConn{c})
}

func (h *gannetHost) Close() {
	h.host.Abort()
	h.Flush()
	h.shut()
}

// hostedGannetConn is a connection of a host, which does not close the host's socket.
type hostedGannetConn struct{ *gannetConn }

func (c hostedGannetConn) Close() { c.conn.Abort() }

func (t gannetTuning) dial(addr string, s peer.Setup) (peer.Conn, error) {
	socket, err := udpSocket(s.Local, !s.Use.Crowded())
	if err != nil {
		return nil, err
	}
	config := t.config(s)
	config.PacketConn = socket
	if s.Use.Crowded() {
		return t.dialBackground(addr, s, config, socket)
	}
	conn, err := udp.Dial(context.Background(), addr, config)
	if err != nil {
		return nil, err
	}
	c := &gannetConn{conn: conn, options: t.options(s)}
	c.gannetLoop = &gannetLoop{conn, socket, []*gannetConn{c}, nil}
	if err := c.connect(s); err != nil {
		c.shut()
		return nil, err
	}
	return c, nil
}

// connect drives the connection until it stands.
func (c *gannetConn) connect(s peer.Setup) (err error) {
	c.on = func(ev transport.Event) {
		switch ev.Kind {
		case transport.Connected:
			c.receive = s.Accept(c)
		case transport.DialFailed:
			err = ev.Err
		}
	}
	for c.receive == nil && err == nil {
		c.Drive(100 * time.Millisecond)
	}
	return err
}

// gannetBackground is a client that moves by itself.
type gannetBackground struct {
	peer.Moving
	conn    transport.Conn
	options []transport.SendOptions
	socket  *net.UDPConn
}

func (t gannetTuning) dialBackground(addr string, s peer.Setup, config udp.Config, socket *net.UDPConn) (peer.Conn, error) {
	c := &gannetBackground{options: t.options(s), socket: socket}
	var receive peer.Receive
	connected := make(chan struct{})
	config.Driving = udp.Background
	config.DialTimeout = time.Minute // among ten thousand who dial
	config.Handler = func(ev transport.Event) {
		switch ev.Kind {
		case transport.Connected:
			c.conn = ev.Conn
			receive = s.Accept(c)
			close(connected)
		case transport.Message:
			receive(int(ev.Channel), ev.Payload)
		}
	}
	if _, err := udp.Dial(context.Background(), addr, config); err != nil {
		_ = socket.Close()
		return nil, err
	}
	<-connected // the handler may hear of it a moment later than this
	return c, nil
}

func (c *gannetBackground) Send(lane int, payload []byte) error {
	return c.conn.Send(payload, c.options[lane])
}

func (c *gannetBackground) Flush() {}
func (c *gannetBackground) Await() { time.Sleep(time.Millisecond) }

func (c *gannetBackground) Close() {
	c.conn.Abort()
	_ = c.socket.Close()
}
