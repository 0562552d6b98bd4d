package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gannet-net/gannet/framing"
	"github.com/gannet-net/gannet/transport"
	"github.com/gannet-net/gannet/udp"
)

// farewell bounds how long a side goes on delivering what it has accepted when it is told to stop. With the repeated goodbyes
// it is gone well within a second.
const farewell = 400 * time.Millisecond

// echoHost sends each message back in its own mode.
type echoHost struct {
	con  console
	host *udp.Host

	goroutines                          sync.WaitGroup
	clients, echoed, unechoed, heldBack atomic.Uint64
}

func runHost(ctx context.Context, con console, args []string) error {
	listen, c, err := parseHost(con, args)
	if err != nil {
		return err
	}
	host, err := udp.Listen(listen, c)
	if err != nil {
		return fmt.Errorf("listening on %s: %w", listen, err)
	}
	h := &echoHost{con: con, host: host}
	con.printf("listening %v\n", host.Addr())
	if host.Addr().Addr().IsUnspecified() {
		con.notef("udpecho host: that is every address of this machine: clients dial one of them, port %d", host.Addr().Port())
	}
	if !host.Addr().Addr().IsLoopback() && c.Plain == udp.PlainLoopback {
		con.notef("udpecho host: only clients from loopback addresses such as 127.0.0.1 are let in; -plain lan or -plain any lets others in, without encryption")
	}
	return h.serve(ctx)
}

func parseHost(con console, args []string) (listen string, c udp.Config, err error) {
	c = udp.Config{
		Protocol: udp.Base, Linger: farewell,
		Logger: slog.New(slog.NewTextHandler(con.err, nil)),
	}
	fs := newFlags("host", "host [FLAGS]", "Echoes each message in its own mode. Prints \"listening HOST:PORT\" first. Ends with SIGINT or SIGTERM:\n"+
		"clients are told, and a summary is printed.")
	fs.StringVar(&listen, "listen", "127.0.0.1:7777", "`ADDR`; port 0 picks a free one, a missing host means all addresses")
	plain := fs.String("plain", "loopback", "`WHO` may connect without encryption: never, loopback, lan or any")
	fs.StringVar(&c.Version, "version", "HRD-LOCAL-1", "`VERSION` that clients must have")
	fs.IntVar(&c.MaxPeers, "max", 250, "`N` clients at once")
	fs.notYet(secureProtocol, "key", "token-key")
	if err := con.parse(fs, args); err != nil {
		return "", c, err
	}
	if c.Plain, err = plainPolicy(*plain); err != nil {
		return "", c, err
	}
	return listen, c, firstError(fs.noMore(), checkAddress("listen", listen, true), checkVersion(c.Version), checkRange("max", c.MaxPeers, 1, 250))
}

func plainPolicy(name string) (udp.Plain, error) {
	for p := udp.PlainLoopback; p <= udp.PlainAny; p++ {
		if p.String() == name {
			return p, nil
		}
	}
	return 0, usagef("-plain %q: use never, loopback, lan or any", name)
}

// serve echoes until ctx ends or the socket breaks.
func (h *echoHost) serve(ctx context.Context) error {
	var broken error
	for {
		conn, err := h.host.Accept(ctx)
		if err != nil {
			if ctx.Err() == nil {
				broken = fmt.Errorf("serving on %v: %w", h.host.Addr(), err)
			}
			break
		}
		h.clients.Add(1)
		h.con.notef("client %d connected from %v", conn.ID(), conn.RemoteAddr())
		h.goroutines.Go(func() { h.echoAll(conn) })
	}
	closing := h.host.Close()
	h.goroutines.Wait()
	h.summary(closing)
	return broken
}

// echoAll echoes the messages of one client until it is gone.
func (h *echoHost) echoAll(conn transport.Conn) {
	id := conn.ID()
	for buf := []byte(nil); ; {
		ev, err := conn.Receive(context.Background(), buf)
		if err != nil {
			h.con.notef("client %d at %v: %v", id, conn.RemoteAddr(), err)
			return
		}
		buf = ev.Payload
		h.echo(conn, ev)
	}
}

// echo sends one message back. While the send queue is full a reliable message waits, and with it those behind it, so that the client
// has to wait as well; an unreliable one is given up and counted.
func (h *echoHost) echo(conn transport.Conn, ev transport.Event) {
	err := conn.Send(ev.Payload, transport.SendOptions{Delivery: ev.Delivery})
	if errors.Is(err, transport.ErrQueueFull) && ev.Delivery.Reliable() {
		h.heldBack.Add(1)
		for ; errors.Is(err, transport.ErrQueueFull); err = conn.Send(ev.Payload, transport.SendOptions{Delivery: ev.Delivery}) {
			time.Sleep(2 * time.Millisecond)
		}
	}
	if err != nil {
		h.unechoed.Add(1)
		return
	}
	h.echoed.Add(1)
}

func (h *echoHost) summary(closing error) {
	s := h.host.Stats()
	h.con.printf("served %d clients: echoed %d messages, could not echo %d, kept %d waiting for room\n",
		h.clients.Load(), h.echoed.Load(), h.unechoed.Load(), h.heldBack.Load())
	h.con.printf("datagrams: %d in (%d bytes), %d out (%d bytes); dropped: %v; refused: %d\n",
		s.DatagramsReceived, s.BytesReceived, s.DatagramsSent, s.BytesSent, s.Drops, s.Refused)
	if s.Drops[framing.DropNoPeer] > 0 {
		h.con.printf("no-peer counts goodbyes as well: each side repeats its own in case one is lost\n")
	}
	if closing != nil {
		h.con.printf("%v\n", closing)
	}
}
