package main

import (
	"context"
	"crypto/sha256"
	"fmt"
	"time"

	"github.com/gannet-net/gannet/loopback"
	"github.com/gannet-net/gannet/secure"
	"github.com/gannet-net/gannet/sim"
	"github.com/gannet-net/gannet/transport"
	"github.com/gannet-net/gannet/udp"
)

const frameTime = time.Second / 60

// link is what a game loop drives: a host, or one connection.
type link interface {
	Poll()
	Next() (transport.Event, bool)
	Flush()
}

// venue is what a server and its players meet over. Each says what messages it knows, and gets a link and the clock of it. A player who knows others than the server is told
// which they are, instead of a link that works.
type venue interface {
	host(transport.Catalogue) (link, func() int64, error)
	player(string, transport.Catalogue) (link, func() int64, error)
	frame() // lets the time of a frame go by
	close()
}

func venueNamed(name string) (venue, error) {
	switch name {
	case "sockets":
		return newSockets(frameTime), nil
	case "loopback":
		return &pipes{}, nil
	case "sim":
		return newSimulator(sim.Conditions{Delay: 25 * time.Millisecond, Jitter: 10 * time.Millisecond, Loss: sim.Percent(10)}), nil
	}
	return nil, fmt.Errorf("there is no venue %q: sockets, loopback and sim are there", name)
}

// sockets are real ones, on the loopback address of this machine.
type sockets struct {
	ticker *time.Ticker
	began  time.Time
	server *udp.Host
}

// newSockets lets a frame take so long.
func newSockets(frame time.Duration) *sockets {
	return &sockets{ticker: time.NewTicker(frame), began: time.Now()}
}

func (s *sockets) clock() int64 { return int64(time.Since(s.began)) }

func (s *sockets) config(known transport.Catalogue) udp.Config {
	return udp.Config{Driving: udp.GameLoop, Clock: s.clock, Catalogue: known}
}

func (s *sockets) host(known transport.Catalogue) (link, func() int64, error) {
	var err error
	s.server, err = udp.Listen("127.0.0.1:0", s.config(known))
	return s.server, s.clock, err
}

// player dials with the key of the server, as an invite code would bring it.
func (s *sockets) player(_ string, known transport.Catalogue) (link, func() int64, error) {
	config := s.config(known)
	config.HostKey = s.server.Key()
	c, err := udp.Dial(context.Background(), s.server.Addr().String(), config)
	return c, s.clock, err
}

func (s *sockets) frame() { <-s.ticker.C }

func (s *sockets) close() {
	s.ticker.Stop()
	if s.server != nil {
		s.server.Abort()
	}
}

// pipes are connections inside this process, which knows one set of messages. As a link they are all the server's ends. Time goes by as fast as the frames.
type pipes struct {
	ends []*loopback.Conn
	now  int64
}

func (p *pipes) clock() int64                                         { return p.now }
func (p *pipes) host(transport.Catalogue) (link, func() int64, error) { return p, p.clock, nil }
func (p *pipes) frame()                                               { p.now += int64(frameTime) }
func (p *pipes) Flush()                                               {}
func (p *pipes) close()                                               {}

func (p *pipes) player(string, transport.Catalogue) (link, func() int64, error) {
	client, host, err := loopback.Pipe(loopback.Config{Driving: transport.GameLoop, ID: uint32(len(p.ends) + 1), Clock: p.clock})
	p.ends = append(p.ends, host)
	return client, p.clock, err
}

func (p *pipes) Poll() {
	for _, end := range p.ends {
		end.Poll()
	}
}

func (p *pipes) Next() (transport.Event, bool) {
	for _, end := range p.ends {
		if ev, ok := end.Next(); ok {
			return ev, true
		}
	}
	return transport.Event{}, false
}

// simulator is a network in virtual time, that loses and delays. One seed gives one match.
type simulator struct {
	nw     *sim.Network
	server *sim.Node
	key    secure.Key // of the server
}

// port is the one that the server listens on.
const port = 7000

func newSimulator(c sim.Conditions) *simulator {
	s := &simulator{nw: sim.New(1)}
	s.nw.SetDefault(c)
	s.server = s.nw.Node("server")
	return s
}

// unixTime is the calendar of all nodes: the one outside would make each match another, since tickets say when they expire.
func (s *simulator) unixTime() int64 { return 1_800_000_000 + s.nw.Now()/int64(time.Second) }

// config is for a program on node n, whose clock it uses. Each has a seed of its own, or all players would draw the same key, and be the same player.
func (s *simulator) config(n *sim.Node, port uint16, known transport.Catalogue) (udp.Config, error) {
	socket, err := n.Listen(port)
	return udp.Config{
		Driving: udp.GameLoop, Clock: n.Clock, UnixTime: s.unixTime, Socket: socket,
		Seed: sha256.Sum256([]byte(n.Name())), Catalogue: known,
	}, err
}

func (s *simulator) host(known transport.Catalogue) (link, func() int64, error) {
	config, err := s.config(s.server, port, known)
	if err != nil {
		return nil, nil, err
	}
	h, err := udp.Listen("", config)
	if err != nil {
		return nil, nil, err
	}
	s.key = h.Key()
	return h, s.server.Clock, nil
}

func (s *simulator) player(name string, known transport.Catalogue) (link, func() int64, error) {
	n := s.nw.Node(name)
	config, err := s.config(n, 0, known)
	if err != nil {
		return nil, nil, err
	}
	config.HostKey = s.key
	c, err := udp.Dial(context.Background(), s.server.AddrPort(port).String(), config)
	return c, n.Clock, err
}

func (s *simulator) frame() { s.nw.RunFor(frameTime) }
func (s *simulator) close() {}
