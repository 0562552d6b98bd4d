package bench

import (
	"math"
	"net/netip"
	"time"

	"github.com/gannet-net/gannet/framing"
	"github.com/gannet-net/gannet/reliable"
	"github.com/gannet-net/gannet/sim"
)

// player is one endpoint at its socket on a simulated network, with the traffic of a game: it sends at fixed intervals and reads
// whatever comes.
type player struct {
	endpoint *reliable.Endpoint
	socket   *sim.Socket
	peer     netip.AddrPort

	lossyEvery, reliableEvery int64
	nextLossy, nextReliable   int64

	in, out  []byte
	payload  []byte
	received int
}

// world is pairs of players on one network.
type world struct {
	network *sim.Network
	players []*player
}

// newWorld makes pairs of players whose sessions stand. Each sends an unreliable message every lossyEvery and a reliable one every
// reliableEvery.
func newWorld(seed uint64, pairs int, c sim.Conditions, lossyEvery, reliableEvery time.Duration) *world {
	w := &world{network: sim.New(seed)}
	w.network.SetDefault(c)
	for i := range pairs {
		client := w.newPlayer("client", i, lossyEvery, reliableEvery)
		host := w.newPlayer("host", i, lossyEvery, reliableEvery)
		client.endpoint = reliable.New(0, reliable.Config{Role: framing.Client})
		host.endpoint = reliable.New(0, reliable.Config{Role: framing.Host, PeerID: 1})
		client.peer, host.peer = host.socket.LocalAddr(), client.socket.LocalAddr()
	}
	return w
}

func (w *world) newPlayer(side string, i int, lossyEvery, reliableEvery time.Duration) *player {
	node := w.network.Node(side + string(rune('A'+i%26)) + string(rune('0'+i/26)))
	socket, err := node.ListenOn(netip.AddrPortFrom(node.Addr(), 7000))
	if err != nil {
		panic(err)
	}
	p := &player{
		socket: socket, payload: make([]byte, 64), in: make([]byte, 1500),
		lossyEvery: int64(lossyEvery), reliableEvery: int64(reliableEvery),
		nextLossy: int64(time.Second), nextReliable: int64(time.Second),
	}
	w.players = append(w.players, p)
	node.Attach(p)
	return p
}

// Run is one turn of the player: read, play, send.
func (p *player) Run(now int64) int64 {
	for {
		n, from, _, _ := p.socket.TryRead(p.in)
		if !from.IsValid() {
			break
		}
		p.endpoint.HandleDatagram(now, p.in[:n])
	}
	p.play(now)
	p.flush(now)
	p.read()
	return min(p.endpoint.NextDeadline(), p.nextLossy, p.nextReliable)
}

// play queues the messages that are due. A full queue drops them, as a game would.
func (p *player) play(now int64) {
	if now >= p.nextLossy {
		p.nextLossy = next(p.nextLossy, p.lossyEvery)
		_ = p.endpoint.Send(now, p.payload, reliable.SendOptions{Mode: reliable.Unreliable})
	}
	if now >= p.nextReliable {
		p.nextReliable = next(p.nextReliable, p.reliableEvery)
		_ = p.endpoint.Send(now, p.payload, reliable.SendOptions{Mode: reliable.ReliableOrdered})
	}
}

func next(at, every int64) int64 {
	if every == 0 {
		return math.MaxInt64
	}
	return at + every
}

func (p *player) flush(now int64) {
	for {
		p.out = p.endpoint.PollDatagram(now, p.out[:0])
		if len(p.out) == 0 {
			return
		}
		_ = p.socket.Write(p.out, p.peer, netip.Addr{})
	}
}

func (p *player) read() {
	for {
		ev, ok := p.endpoint.PollEvent()
		if !ok {
			return
		}
		if ev.Kind == reliable.EventMessage {
			p.received++
			p.endpoint.Recycle(ev.Payload)
		}
	}
}
