package dumbbell

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"net/netip"
	"time"

	"github.com/gannet-net/gannet/framing"
	"github.com/gannet-net/gannet/reliable"
	"github.com/gannet-net/gannet/sim"
)

// end is one side of a connection whose handshake is over.
type end struct {
	endpoint *reliable.Endpoint
	socket   *sim.Socket
	peer     netip.AddrPort
	in, out  []byte

	bulk []byte // a message of bulk, nil if there is none to send
	left int64  // bytes of it to send

	game []int64 // when each message of the game is to be sent
	next int

	got       int64 // bytes of bulk that came
	gotAt     int64 // when the last came
	latencies []int64
	due       []int64 // of the peer's game

	late lateness
}

// connect makes the two sides of a connection between two nodes.
func (r *run) connect(from, to *sim.Node, trip time.Duration) (sender, receiver *end) {
	open := func(node *sim.Node, role framing.Role) *end {
		socket, err := node.Listen(7000)
		if err != nil {
			panic(err)
		}
		e := &end{socket: socket, in: make([]byte, framing.MaxDatagram+1)}
		e.endpoint = reliable.New(0, reliable.Config{
			Role: role, PeerID: 1, Sealer: Sealer{}, HandshakeRTT: trip, Seed: r.nw.Seed("packet numbers", node.Name()),
			AckOnTick: r.AckOnTick, Background: r.Background, SendCeiling: r.ceiling(),
			Channels: []reliable.Channel{{}, {Class: reliable.ClassBulk}},
		})
		if r.Late > 0 {
			e.late = lateness{most: int64(r.Late), random: rand.New(rand.NewChaCha8(r.nw.Seed("late", node.Name())))}
		}
		return e
	}
	sender, receiver = open(from, framing.Client), open(to, framing.Host)
	sender.peer, receiver.peer = to.AddrPort(7000), from.AddrPort(7000)
	from.Attach(sender)
	to.Attach(receiver)
	return sender, receiver
}

// ceiling is that of Config.
func (p Plan) ceiling() int64 {
	if p.Ceiling == 0 {
		return -1
	}
	return p.Ceiling
}

// play lets a game run from sender to receiver.
func (r *run) play(sender, receiver *end) {
	random := rand.New(rand.NewChaCha8(r.nw.Seed("game")))
	for i := int64(0); ; i++ {
		at := int64(time.Second) + i*int64(time.Second)/gameRate + random.Int64N(int64(time.Millisecond))
		if at >= int64(r.For)-int64(time.Second) {
			break
		}
		sender.game = append(sender.game, at)
	}
	receiver.due = sender.game
}

// Run is one turn of a game loop, if it is not late.
func (e *end) Run(now int64) int64 {
	if at := e.late.until(now); at > now {
		return at
	}
	for {
		n, from, _, _ := e.socket.TryRead(e.in)
		if !from.IsValid() {
			break
		}
		e.endpoint.HandleDatagram(now, e.in[:n])
	}
	for ev, ok := e.endpoint.PollEvent(); ok; ev, ok = e.endpoint.PollEvent() {
		if ev.Kind == reliable.EventMessage {
			e.take(now, ev)
			e.endpoint.Recycle(ev.Payload)
		}
	}
	e.say(now)
	for e.out = e.endpoint.PollDatagram(now, e.out[:0]); len(e.out) > 0; e.out = e.endpoint.PollDatagram(now, e.out[:0]) {
		_ = e.socket.Write(e.out, e.peer, netip.Addr{}) // a write that fails is a lost datagram
	}
	next := int64(math.MaxInt64)
	if e.next < len(e.game) {
		next = e.game[e.next]
	}
	return min(next, e.endpoint.NextDeadline())
}

func (e *end) take(now int64, ev reliable.Event) {
	if ev.Channel == bulkChannel {
		e.got += int64(len(ev.Payload))
		e.gotAt = now
		return
	}
	e.latencies = append(e.latencies, now-e.due[binary.LittleEndian.Uint32(ev.Payload)])
}

// say queues the messages of the game that are due, and as much bulk as the queue takes.
func (e *end) say(now int64) {
	for e.next < len(e.game) && e.game[e.next] <= now {
		message := binary.LittleEndian.AppendUint32(make([]byte, 0, gameSize), uint32(e.next))
		if e.endpoint.Send(now, message[:gameSize], reliable.SendOptions{Mode: reliable.ReliableOrdered}) != nil {
			break
		}
		e.next++
	}
	for e.left > 0 {
		n := min(e.left, chunk)
		if e.endpoint.Send(now, e.bulk[:n], reliable.SendOptions{Mode: reliable.ReliableOrdered, Channel: bulkChannel}) != nil {
			break
		}
		e.left -= n
	}
}
