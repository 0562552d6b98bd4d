package main

import (
	"context"
	"fmt"
	"time"

	"github.com/gannet-net/gannet/loopback"
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

// venue is what a server and its players meet over. Each gets a link and the clock of it.
type venue interface {
	host() (link, func() int64, error)
	player(name string) (link, func() int64, error)
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

// newSockets lets a frame take so long. The base protocol is not encrypted: a host speaks it to this machine alone, unless Config.Plain says otherwise.
func newSockets(frame time.Duration) *sockets {
	return &sockets{ticker: time.NewTicker(frame), began: time.Now()}
}

func (s *sockets) clock() int64 { return int64(time.Since(s.began)) }

func (s *sockets) config() udp.Config {
	return udp.Config{Protocol: udp.Base, Driving: udp.GameLoop, Clock: s.clock}
}

func (s *sockets) host() (link, func() int64, error) {
	var err error
	s.server, err = udp.Listen("127.0.0.1:0", s.config())
	return s.server, s.clock, err
}

func (s *sockets) player(string) (link, func() int64, error) {
	c, err := udp.Dial(context.Background(), s.server.Addr().String(), s.config())
	return c, s.clock, err
}

func (s *sockets) frame() { <-s.ticker.C }

func (s *sockets) close() {
	s.ticker.Stop()
	if s.server != nil {
		s.server.Abort()
	}
}

// pipes are connections inside this process. As a link they are all the server's ends. Time goes by as fast as the frames.
type pipes struct {
	ends []*loopback.Conn
	now  int64
}

func (p *pipes) clock() int64                      { return p.now }
func (p *pipes) host() (link, func() int64, error) { return p, p.clock, nil }
func (p *pipes) frame()                            { p.now += int64(frameTime) }
func (p *pipes) Flush()                            {}
func (p *pipes) close()                            {}

func (p *pipes) player(string) (link, func() int64, error) {
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
}

// port is the one that the server listens on.
const port = 7000

func newSimulator(c sim.Conditions) *simulator {
	s := &simulator{nw: sim.New(1)}
	s.nw.SetDefault(c)
	s.server = s.nw.Node("server")
	return s
}

// config is for a program on node n, whose clock it uses. Addresses of the simulator are those of a private network.
func (s *simulator) config(n *sim.Node, port uint16) (udp.Config, error) {
	socket, err := n.Listen(port)
	return udp.Config{Protocol: udp.Base, Plain: udp.PlainPrivateLAN, Driving: udp.GameLoop, Clock: n.Clock, Socket: socket, Seed: [32]byte{1}}, err
}

func (s *simulator) host() (link, func() int64, error) {
	config, err := s.config(s.server, port)
	if err != nil {
		return nil, nil, err
	}
	h, err := udp.Listen("", config)
	return h, s.server.Clock, err
}

func (s *simulator) player(name string) (link, func() int64, error) {
	n := s.nw.Node(name)
	config, err := s.config(n, 0)
	if err != nil {
		return nil, nil, err
	}
	c, err := udp.Dial(context.Background(), s.server.AddrPort(port).String(), config)
	return c, n.Clock, err
}

func (s *simulator) frame() { s.nw.RunFor(frameTime) }
func (s *simulator) close() {}
