package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gannet-net/gannet/framing"
	"github.com/gannet-net/gannet/framing/handshake"
	"github.com/gannet-net/gannet/secure"
	"github.com/gannet-net/gannet/secure/keyfile"
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

// hostOptions are the flags of udpecho host.
type hostOptions struct {
	listen, plain          string
	key, tokenKeys, keyLog string // files
	addresses              string
	config                 udp.Config
}

func runHost(ctx context.Context, con console, args []string) error {
	o, err := parseHost(con, args)
	if err != nil {
		return err
	}
	if err := o.load(); err != nil {
		return err
	}
	log, err := openKeyLog(o.keyLog, &o.config)
	if err != nil {
		return err
	}
	if log != nil {
		defer log.Close()
		con.notef("udpecho host: who reads %s can read all sessions", o.keyLog)
	}
	host, err := udp.Listen(o.listen, o.config)
	if err != nil {
		return fmt.Errorf("listening on %s: %w", o.listen, err)
	}
	h := &echoHost{con: con, host: host}
	con.printf("listening %v\n", host.Addr())
	o.introduce(con, host)
	return h.serve(ctx)
}

func parseHost(con console, args []string) (*hostOptions, error) {
	o := &hostOptions{config: udp.Config{Linger: farewell, Logger: slog.New(slog.NewTextHandler(con.err, nil))}}
	c := &o.config
	fs := newFlags("host", "host [FLAGS]", "Echoes each message in its own mode. Prints \"listening HOST:PORT\" first, and then its public key, the fingerprint of that, and\n"+
		"an invite code for clients. Ends with SIGINT or SIGTERM: clients are told, and a summary is printed.")
	fs.StringVar(&o.listen, "listen", "127.0.0.1:7777", "`ADDR`; port 0 picks a free one, a missing host means all addresses")
	fs.StringVar(&o.plain, "plain", "loopback", "`WHO` may connect without encryption: never, loopback, lan or any")
	fs.StringVar(&c.Version, "version", "HRD-LOCAL-1", "`VERSION` that clients without encryption must have")
	fs.IntVar(&c.MaxPeers, "max", handshake.MaxPeerID, "`N` clients at once, of which at most 250 without encryption")
	fs.StringVar(&o.key, "key", "", "`FILE` with the private key, made if there is none; without, the key is for this run alone")
	fs.StringVar(&o.tokenKeys, "token-key", "", "`FILE` with the keys of tokens: then encrypted clients need a token")
	fs.name("name", &c.Name, "`NAME` that tokens for this host have, up to 16 bytes or 32 hex digits")
	fs.StringVar(&o.addresses, "address", "", "`ADDR` for the invite code, or several with commas between, if clients dial another than -listen")
	fs.StringVar(&o.keyLog, "key-log", "", "`FILE` to which the keys of all sessions are added, which gives them away: for udpecho decode -key")
	if err := con.parse(fs, args); err != nil {
		return nil, err
	}
	var err error
	if c.Plain, err = plainPolicy(o.plain); err != nil {
		return nil, err
	}
	return o, firstError(fs.noMore(), checkAddress("listen", o.listen, true), checkVersion(c.Version),
		checkRange("max", c.MaxPeers, 1, handshake.MaxPeerID), o.checkAddresses())
}

// checkAddresses finds mistakes before anything is opened.
func (o *hostOptions) checkAddresses() error {
	if o.addresses == "" {
		return nil
	}
	if err := (secure.Invite{HostKey: secure.Key{1}, Addresses: strings.Split(o.addresses, ",")}).Check(); err != nil {
		return usagef("-address: %v", err)
	}
	return nil
}

// load reads the files of keys.
func (o *hostOptions) load() (err error) {
	if o.key != "" {
		if o.config.Key, err = keyfile.LoadOrMake(o.key); err != nil {
			return fmt.Errorf("-key: %w", err)
		}
	}
	if o.tokenKeys != "" {
		if o.config.TokenKeys, err = keyfile.LoadTokenKeys(o.tokenKeys); err != nil {
			return fmt.Errorf("-token-key: %w", err)
		}
		o.config.RequireToken = true
	}
	return nil
}

// introduce says how clients find the host and know it.
func (o *hostOptions) introduce(con console, host *udp.Host) {
	con.printf("%s", keyWords(host.Key()))
	invite := secure.Invite{HostKey: host.Key(), Addresses: []string{host.Addr().String()}}
	if o.addresses != "" {
		invite.Addresses = strings.Split(o.addresses, ",")
	}
	if invite.Check() == nil {
		con.printf("invite %v\n", invite)
	}
	if o.key == "" {
		con.notef("udpecho host: the key is for this run alone; -key FILE keeps one")
	}
	if host.Addr().Addr().IsUnspecified() {
		con.notef("udpecho host: that is every address of this machine: clients dial one of them, port %d; -address puts it into an invite code", host.Addr().Port())
	}
	if !host.Addr().Addr().IsLoopback() && o.config.Plain == udp.PlainLoopback {
		con.notef("udpecho host: without encryption only clients from loopback addresses such as 127.0.0.1 are let in; -plain lan or -plain any lets others in")
	}
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
