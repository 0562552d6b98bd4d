package dumbbell

import (
	"encoding/binary"
	"math"
	"net/netip"
	"time"

	"github.com/gannet-net/gannet/internal/congestion"
	"github.com/gannet-net/gannet/sim"
)

// cubicSource sends without an end, as a bulk transfer over another protocol does that is governed by CUBIC: a packet leaves when the window
// has room, and one is lost when three later ones are acked or nothing came for a while.
type cubicSource struct {
	socket *sim.Socket
	peer   netip.AddrPort
	window *congestion.Cubic
	buffer [1500]byte

	next     uint64
	acked    map[uint64]bool // of those above first
	sentAt   map[uint64]int64
	first    uint64 // oldest that is neither acked nor lost
	highest  uint64 // largest that was acked, plus one
	inFlight int
	trip     int64
	timer    int64
	stopped  bool
}

const cubicPayload = congestion.Packet - 28

func startCubic(from, to *sim.Node) *cubicSource {
	source, sink := open(from), open(to)
	s := &cubicSource{
		socket: source, peer: to.AddrPort(9000), window: congestion.NewCubic(),
		acked: map[uint64]bool{}, sentAt: map[uint64]int64{}, trip: int64(100 * time.Millisecond),
	}
	from.Attach(s)
	to.Attach(&cubicSink{socket: sink})
	return s
}

// cubicSink acks each packet, and the few before it once more, so that a lost ack does not look like a lost packet.
type cubicSink struct {
	socket *sim.Socket
	buffer [1500]byte
	last   [numberSize * ackNumbers]byte
}

const (
	numberSize = 8
	ackNumbers = 8
)

// Run answers what came.
func (s *cubicSink) Run(int64) int64 {
	for {
		_, peer, _, _ := s.socket.TryRead(s.buffer[:])
		if !peer.IsValid() {
			return math.MaxInt64
		}
		copy(s.last[numberSize:], s.last[:])
		copy(s.last[:], s.buffer[:numberSize])
		_ = s.socket.Write(s.last[:], peer, netip.Addr{})
	}
}

func open(n *sim.Node) *sim.Socket {
	socket, err := n.Listen(9000)
	if err != nil {
		panic(err)
	}
	return socket
}

// Run takes acks and sends what the window allows.
func (s *cubicSource) Run(now int64) int64 {
	for {
		n, peer, _, _ := s.socket.TryRead(s.buffer[:])
		if !peer.IsValid() {
			break
		}
		for i := 0; i < n; i += numberSize {
			s.ack(now, binary.LittleEndian.Uint64(s.buffer[i:]), i == 0)
		}
	}
	if now >= s.timer && s.inFlight > 0 {
		s.window.Silence()
		for s.first < s.next {
			s.settle()
		}
	}
	for !s.stopped && int64(s.inFlight+congestion.Packet) <= s.window.Window() {
		binary.LittleEndian.PutUint64(s.buffer[:], s.next)
		s.sentAt[s.next] = now
		s.next++
		s.inFlight += congestion.Packet
		_ = s.socket.Write(s.buffer[:cubicPayload], s.peer, netip.Addr{})
		s.timer = max(s.timer, now+3*s.trip)
	}
	if s.inFlight == 0 {
		return math.MaxInt64
	}
	return s.timer
}

// ack takes that a packet arrived. Only the newest of an ack gives a round trip.
func (s *cubicSource) ack(now int64, number uint64, newest bool) {
	at, waits := s.sentAt[number]
	if !waits || s.acked[number] {
		return // it was taken for lost
	}
	s.acked[number] = true
	s.inFlight -= congestion.Packet
	s.highest = max(s.highest, number+1)
	f := congestion.Feedback{Acked: congestion.Packet, Hungry: true}
	if newest {
		f.RTT = now - at
		s.trip += (f.RTT - s.trip) / 8
	}
	s.timer = now + 3*s.trip
	for s.first+3 < s.highest || s.acked[s.first] {
		if !s.acked[s.first] {
			f.Lost += congestion.Packet
		}
		s.settle()
	}
	s.window.Acked(now, f)
}

// settle forgets the oldest packet, which was acked or is lost.
func (s *cubicSource) settle() {
	if !s.acked[s.first] {
		s.inFlight -= congestion.Packet
	}
	delete(s.acked, s.first)
	delete(s.sentAt, s.first)
	s.first++
}
