package drivers

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"math/big"
	"net"
	"os"
	"sync"
	"time"

	"github.com/gannet-net/gannet/bench/peers/peer"
	quicgo "github.com/quic-go/quic-go"
)

// quic is quic-go, with a stream for each lane, and with a stream for each message.
func quic() []peer.Driver {
	return []peer.Driver{
		quicDriver("quic", "a stream for each lane, with 5 bytes before each message, a write for each message. Rooms: a write for each client and frame. Bulk: a goroutine writes what gathers up to 64 KiB. "+
			"Bottleneck: up to 4 KiB, and lane 1 is more urgent. Unreliable: datagrams", quicTuning{}),
		quicDriver("quic-msg", "a stream for each message, which begins with its lane, at most 4,096 at a time, 512 in the bottleneck, where those of lane 1 are more urgent",
			quicTuning{streamPerMessage: true}),
	}
}

func quicDriver(name, settings string, t quicTuning) peer.Driver {
	return peer.Driver{
		Name: name, Version: "github.com/quic-go/quic-go",
		Settings: "TLS 1.3, packets of 1200 bytes without discovery of larger ones, GSO on sending, windows 16 MiB a stream and 32 MiB; " + settings,
		Ordered:  !t.streamPerMessage, Reliable: true, Unreliable: !t.streamPerMessage, Encrypted: true,
		Listen: t.listen,
		Dial:   t.dial,
	}
}

// quicTuning is what tells the drivers of QUIC apart.
type quicTuning struct{ streamPerMessage bool }

func (t quicTuning) config(s peer.Setup) *quicgo.Config {
	_ = os.Setenv("QUIC_GO_DISABLE_RECEIVE_BUFFER_WARNING", "true") // the report says how large buffers may be
	const stream, all = 16 << 20, 32 << 20
	open := int64(4096)
	if s.Use == peer.Bottleneck {
		open = 512
	}
	return &quicgo.Config{
		InitialPacketSize: 1200, DisablePathMTUDiscovery: true,
		InitialStreamReceiveWindow: stream, MaxStreamReceiveWindow: stream, InitialConnectionReceiveWindow: all, MaxConnectionReceiveWindow: all,
		MaxIncomingUniStreams: open, EnableDatagrams: true,
		HandshakeIdleTimeout: handshakeTime, MaxIdleTimeout: time.Hour, KeepAlivePeriod: s.Heartbeat,
	}
}

const quicProtocol = "gannet-bench"

// quicCertificate is what hosts show. Clients do not look.
var quicCertificate = sync.OnceValues(func() (tls.Certificate, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return tls.Certificate{}, err
	}
	about := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(24 * time.Hour)}
	certificate, err := x509.CreateCertificate(rand.Reader, about, about, key.Public(), key)
	return tls.Certificate{Certificate: [][]byte{certificate}, PrivateKey: key}, err
})

// quicHost is a listener, with goroutines for each client that read.
type quicHost struct {
	peer.Moving
	tuning   quicTuning
	setup    peer.Setup
	socket   *net.UDPConn
	listener *quicgo.Listener
	crew     crew
	mu       sync.Mutex // one is accepted at a time
	held
}

func (t quicTuning) listen(s peer.Setup) (peer.Host, error) {
	certificate, err := quicCertificate()
	if err != nil {
		return nil, err
	}
	socket, err := udpSocket(s.Local, true)
	if err != nil {
		return nil, err
	}
	settings := &tls.Config{Certificates: []tls.Certificate{certificate}, NextProtos: []string{quicProtocol}}
	listener, err := quicgo.Listen(socket, settings, t.config(s))
	if err != nil {
		return nil, errors.Join(err, socket.Close())
	}
	h := &quicHost{tuning: t, setup: s, socket: socket, listener: listener}
	h.crew.run(func() { _ = listener.Close() }, h.accept)
	return h, nil
}

func (h *quicHost) Addr() string { return h.listener.Addr().String() }

func (h *quicHost) accept() {
	for {
		conn, err := h.listener.Accept(context.Background())
		if err != nil {
			return
		}
		c := h.tuning.conn(conn, h.setup, &h.held)
		h.crew.run(c.Close, func() { h.serve(c) })
	}
}

// serve serves a client until it is gone.
func (h *quicHost) serve(c quicConn) {
	defer c.Close()
	if c.meet() == nil {
		h.mu.Lock()
		receive := h.over(h.setup.Accept(c))
		h.mu.Unlock()
		c.read(receive)
	}
}

func (h *quicHost) Close() {
	h.crew.end()
	_ = h.socket.Close()
}

func (t quicTuning) dial(addr string, s peer.Setup) (peer.Conn, error) {
	to, err := net.ResolveUDPAddr("udp4", addr)
	if err != nil {
		return nil, err
	}
	socket, err := udpSocket(s.Local, false) // the stack enlarges the buffers itself
	if err != nil {
		return nil, err
	}
	transport := &quicgo.Transport{Conn: socket}
	end := func() { _ = errors.Join(transport.Close(), socket.Close()) }
	settings := &tls.Config{InsecureSkipVerify: true, NextProtos: []string{quicProtocol}}
	conn, err := transport.Dial(context.Background(), to, settings, t.config(s))
	if err != nil {
		end()
		return nil, err
	}
	c := quicClient{t.conn(conn, s, nil), end}
	if err := c.greet(); err != nil {
		c.Close()
		return nil, err
	}
	go c.read(s.Accept(c))
	return c, nil
}

// quicClient is a connection that has a socket of its own.
type quicClient struct {
	quicConn
	end func()
}

func (c quicClient) Close() {
	c.quicConn.Close()
	c.end()
}

// quicConn is one end of a connection.
type quicConn interface {
	peer.Conn
	greet() error              // is what a client does when the connection stands
	meet() error               // is what a host does then
	read(receive peer.Receive) // hands out what comes in, until the connection ends
}

func (t quicTuning) conn(conn *quicgo.Conn, s peer.Setup, all *held) quicConn {
	base := quicBase{conn: conn, setup: s}
	if t.streamPerMessage {
		return newQUICMessages(base)
	}
	return &quicStreams{quicBase: base, held: all, writers: make([]frames, len(s.Lanes))}
}

// quicBase is what both kinds of connections have.
type quicBase struct {
	peer.Moving
	conn  *quicgo.Conn
	setup peer.Setup
}

// urgent gives how urgent the streams of a lane are.
func (b *quicBase) urgent(lane int) int8 {
	if b.setup.Use == peer.Bottleneck && lane == 1 {
		return 1
	}
	return 3
}

func (b *quicBase) close() { _ = b.conn.CloseWithError(0, "") }
