package drivers

import (
	"net"
	"sync"
	"time"

	"github.com/gannet-net/gannet/bench/peers/peer"
	"github.com/pion/logging"
	sctpgo "github.com/pion/sctp"
	"github.com/pion/transport/v5/udp"
)

// sctp is pion's SCTP, over plain UDP: WebRTC would put DTLS between, which costs more.
func sctp() []peer.Driver {
	return []peer.Driver{sctpDriver("sctp", "ordered", sctpTuning{}), sctpDriver("sctp-unord", "unordered", sctpTuning{unordered: true})}
}

func sctpDriver(name, order string, t sctpTuning) peer.Driver {
	return peer.Driver{
		Name: name, Version: "github.com/pion/sctp",
		Settings: order + " over plain UDP, not over DTLS; MTU 1200, RTO at most 1 s, which is its minimum too, at most 1 MiB not acknowledged; unreliable: unordered, not sent again. Bulk: receive " +
			"buffer 4 MiB. Bottleneck: at most 256 KiB not acknowledged, lane 1 weighs more. Heartbeats: the client's",
		Ordered: !t.unordered, Reliable: true, Unreliable: !t.unordered, MaxMessage: sctpLargest,
		Listen: t.listen,
		Dial:   t.dial,
	}
}

// sctpTuning is what tells the drivers of SCTP apart.
type sctpTuning struct{ unordered bool }

const (
	sctpLargest = 64 << 10
	sctpMTU     = 1200
	sctpInit    = 1 // the first chunk of an association's first packet
)

func (t sctpTuning) options(socket net.Conn, s peer.Setup) []sctpgo.AssociationOption {
	buffer := uint32(1 << 20)
	if s.Use == peer.Bulk {
		buffer = 4 << 20
	}
	return []sctpgo.AssociationOption{
		sctpgo.WithNetConn(socket), sctpgo.WithMTU(sctpMTU), sctpgo.WithRTOMax(1000),
		sctpgo.WithMaxReceiveBufferSize(buffer), sctpgo.WithMaxMessageSize(sctpLargest),
		sctpgo.WithInterleavingOptions(sctpgo.WithInterleavingWeightedFairQueueingWeight(1, 100)),
		sctpgo.WithLoggerFactory(&logging.DefaultLoggerFactory{DefaultLogLevel: logging.LogLevelDisabled}),
	}
}

// sctpHost is a listener, with goroutines for each client that read.
type sctpHost struct {
	peer.Moving
	tuning   sctpTuning
	setup    peer.Setup
	listener net.Listener
	crew     crew
	mu       sync.Mutex // one is accepted at a time
}

func (t sctpTuning) listen(s peer.Setup) (peer.Host, error) {
	const buffer = 4 << 20
	config := udp.ListenConfig{Backlog: 4096, AcceptFilter: startsAssociation, ReadBufferSize: buffer, WriteBufferSize: buffer}
	listener, err := config.Listen("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		return nil, err
	}
	h := &sctpHost{tuning: t, setup: s, listener: listener}
	h.crew.run(func() { _ = listener.Close() }, h.accept)
	return h, nil
}

// startsAssociation keeps what comes late for a closed association from making a new one.
func startsAssociation(packet []byte) bool {
	const header = 12
	return len(packet) > header && packet[header] == sctpInit
}

func (h *sctpHost) Addr() string { return h.listener.Addr().String() }
func (h *sctpHost) Flush()       {}

func (h *sctpHost) accept() {
	for {
		socket, err := h.listener.Accept()
		if err != nil {
			return
		}
		h.crew.run(func() { _ = socket.Close() }, func() { h.serve(socket) })
	}
}

// serve serves a client until it is gone, or its socket closed.
func (h *sctpHost) serve(socket net.Conn) {
	defer func() { _ = socket.Close() }()
	var options []sctpgo.ServerOption
	for _, o := range h.tuning.options(socket, h.setup) {
		options = append(options, o)
	}
	association, err := sctpgo.ServerWithOptions(options...)
	if err != nil {
		return
	}
	c, err := h.tuning.conn(association, h.setup)
	if err != nil {
		return
	}
	defer c.Close()
	h.mu.Lock()
	receive := h.setup.Accept(c)
	h.mu.Unlock()
	c.read(receive)
}

func (h *sctpHost) Close() { h.crew.end() }

func (t sctpTuning) dial(addr string, s peer.Setup) (peer.Conn, error) {
	socket, err := connectedSocket(addr, s.Local, !s.Use.Crowded())
	if err != nil {
		return nil, err
	}
	var options []sctpgo.ClientOption
	for _, o := range t.options(socket, s) {
		options = append(options, o)
	}
	association, err := sctpgo.ClientWithOptions(options...)
	if err != nil {
		_ = socket.Close()
		return nil, err
	}
	c, err := t.conn(association, s)
	if err != nil {
		_ = association.Close()
		return nil, err
	}
	c.heart.beat(s.Heartbeat, association.ActiveHeartbeat)
	go c.read(s.Accept(c))
	return c, nil
}

// sctpConn is one end of a connection. Each lane is a stream.
type sctpConn struct {
	peer.Moving
	association *sctpgo.Association
	setup       peer.Setup
	streams     []*sctpgo.Stream
	limit       uint64        // bytes of a stream that may wait for acknowledgements
	room        chan struct{} // has one element if there may be room again
	heart       heart
}

func (t sctpTuning) conn(association *sctpgo.Association, s peer.Setup) (*sctpConn, error) {
	c := &sctpConn{association: association, setup: s, limit: 1 << 20, room: make(chan struct{}, 1)}
	if s.Use == peer.Bottleneck {
		c.limit = 256 << 10
	}
	for lane, promise := range s.Lanes {
		stream, err := association.OpenStream(uint16(lane), sctpgo.PayloadTypeWebRTCBinary)
		if err != nil {
			return nil, err
		}
		switch {
		case promise == peer.Unreliable:
			stream.SetReliabilityParams(true, sctpgo.ReliabilityTypeRexmit, 0)
		case t.unordered:
			stream.SetReliabilityParams(true, sctpgo.ReliabilityTypeReliable, 0)
		}
		stream.SetBufferedAmountLowThreshold(c.limit * 3 / 4)
		stream.OnBufferedAmountLow(c.hasRoom)
		c.streams = append(c.streams, stream)
	}
	return c, nil
}

func (c *sctpConn) hasRoom() {
	select {
	case c.room <- struct{}{}:
	default:
	}
}

func (c *sctpConn) Send(lane int, payload []byte) error {
	stream := c.streams[lane]
	if stream.BufferedAmount() > c.limit {
		return peer.ErrFull
	}
	_, err := stream.Write(payload)
	return err
}

func (c *sctpConn) Flush() {}

func (c *sctpConn) Await() {
	late := time.NewTimer(5 * time.Millisecond)
	defer late.Stop()
	select {
	case <-c.room:
	case <-late.C:
	}
}

func (c *sctpConn) Close() {
	c.heart.stop()
	_ = c.association.Close()
}

// read hands out what comes in, until the association ends.
func (c *sctpConn) read(receive peer.Receive) {
	if len(c.streams) > 1 {
		receive = oneByOne(receive)
	}
	var all sync.WaitGroup
	for lane, stream := range c.streams {
		all.Go(func() { c.readStream(lane, stream, receive) })
	}
	all.Wait()
}

func (c *sctpConn) readStream(lane int, stream *sctpgo.Stream, receive peer.Receive) {
	buffer := make([]byte, c.setup.Message)
	for {
		n, err := stream.Read(buffer)
		if err != nil {
			return
		}
		receive(lane, buffer[:n])
	}
}
