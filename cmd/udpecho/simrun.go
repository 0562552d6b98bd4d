package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"net/netip"
	"time"

	"github.com/gannet-net/gannet/framing"
	"github.com/gannet-net/gannet/reliable"
	"github.com/gannet-net/gannet/sim"
	"github.com/gannet-net/gannet/transport"
	"github.com/gannet-net/gannet/udp"
)

// simPlan is what one simulated run does: a client sends messages to a host, one way, in virtual time.
type simPlan struct {
	seed     uint64
	messages int
	rate     float64 // a second
	size     int
	mode     transport.Delivery
	urgent   bool
	budget   int  // per cent
	packets  bool // the packet wire instead of the base protocol
	onTick   bool // the host sends as often as the client, unreliably, and acks wait for that
	explain  bool // keep the traces of both sides
	forward  sim.Conditions
	back     sim.Conditions
	step     sim.Probability // of loss, in both directions, that comes and goes; see lossSteps
	done     func(messages int)
}

// simRun is a whole host and a whole client on the simulator, both driven by game loops as processes of their nodes.
type simRun struct {
	simPlan
	nw           *sim.Network
	client, host simPeer
	ledger       *ledger
	due          []int64 // when each message is to be sent
	next         int     // the next one to send
	answers      []int64 // likewise of the host, with onTick
	answered     int
	loneAcks     int // datagrams that held nothing but an ack, while both sides had messages to send
	steps        lossSteps
	story        story
}

// simPeer is one side.
type simPeer struct {
	node         *sim.Node
	simEnd               // that drives it
	conn         simConn // the same, if it sends
	connected    int
	disconnected int
	end          error
}

const (
	simPort      = 7000
	dialPatience = 30 * time.Second // of virtual time
	lastPatience = 60 * time.Second // after the last message was sent
)

// run simulates until every message arrived, or until it is clear that one will not.
func (p simPlan) run(ctx context.Context) (*simRun, error) {
	r := &simRun{simPlan: p, nw: sim.New(p.seed), ledger: newLedger(0, p.mode, p.messages)}
	r.ledger.once = p.packets
	if err := r.open(ctx); err != nil {
		return nil, err
	}
	r.until(ctx, 2*int64(dialPatience), func() bool { return r.due != nil || r.client.end != nil })
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case r.due == nil:
		return nil, fmt.Errorf("seed %d: connecting: %w", p.seed, r.client.end)
	}
	last := r.due[len(r.due)-1] + int64(lastPatience)
	r.until(ctx, last, func() bool { return r.settled() || r.client.end != nil })
	return r, errors.Join(ctx.Err(), r.ended())
}

// open makes the two sides. Their clocks are those of their nodes.
func (r *simRun) open(ctx context.Context) error {
	r.client.node, r.host.node = r.nw.Node("client"), r.nw.Node("host")
	r.nw.SetLink(r.client.node, r.host.node, r.forward)
	r.nw.SetLink(r.host.node, r.client.node, r.back)
	hostSocket, err := r.host.node.Listen(simPort)
	if err != nil {
		return err
	}
	clientSocket, err := r.client.node.Listen(0)
	if err != nil {
		return err
	}
	if r.packets {
		if err := r.openPackets(clientSocket, hostSocket); err != nil {
			return err
		}
	} else if err := r.openBase(ctx, clientSocket, hostSocket); err != nil {
		return err
	}
	r.host.node.Attach(sim.ProcessFunc(r.runHost))
	r.client.node.Attach(sim.ProcessFunc(r.runClient))
	return nil
}

func (r *simRun) openBase(ctx context.Context, clientSocket, hostSocket udp.Socket) error {
	host, err := udp.Listen("", r.config(&r.host, hostSocket))
	if err != nil {
		return err
	}
	conn, err := udp.Dial(ctx, r.host.node.AddrPort(simPort).String(), r.config(&r.client, clientSocket))
	if err != nil {
		return err
	}
	r.host.simEnd, r.client.simEnd, r.client.conn = host, conn, conn
	return nil
}

// openPackets makes two endpoints whose handshake is over. It took as long as the link takes there and back.
func (r *simRun) openPackets(clientSocket, hostSocket *sim.Socket) error {
	client, host, err := shakeHands(r.nw.Seed("session", "client"), r.nw.Seed("session", "host"))
	if err != nil {
		return err
	}
	open := func(p *simPeer, role framing.Role, socket *sim.Socket, peer netip.AddrPort, session *watchedSession) {
		conn := newPacketEnd(p.node, socket, peer, session, reliable.Config{
			Role: role, PeerID: 1, Budget: r.budget, AckOnTick: r.onTick, HandshakeRTT: r.forward.Delay + r.back.Delay,
			Seed: r.nw.Seed("packet numbers", p.node.Name()), Trace: r.trace(p.node.Name()),
		})
		p.simEnd, p.conn = conn, conn
	}
	open(&r.client, framing.Client, clientSocket, r.host.node.AddrPort(simPort), client)
	open(&r.host, framing.Host, hostSocket, r.client.node.AddrPort(clientSocket.LocalAddr().Port()), host)
	return nil
}

func (r *simRun) config(p *simPeer, socket udp.Socket) udp.Config {
	return udp.Config{
		Protocol: udp.Base, Plain: udp.PlainAny, Driving: udp.GameLoop,
		Clock: p.node.Clock, Socket: socket, Seed: [32]byte{1}, Budget: r.budget, DialTimeout: dialPatience,
	}
}

// until lets virtual time pass.
func (r *simRun) until(ctx context.Context, t int64, done func() bool) {
	steps := 0
	r.nw.RunUntilDone(t, func() bool {
		steps++
		return done() || steps%4096 == 0 && ctx.Err() != nil
	})
}

// schedule settles when each message is sent.
func (r *simRun) schedule() {
	r.due = r.timetable("schedule", r.nw.Now(), r.messages)
	r.steps = newLossSteps(r.due[0], r.due[len(r.due)-1])
	if r.step > 0 {
		r.steps.arrange(r)
	}
	if r.onTick {
		period := rand.New(rand.NewChaCha8(r.nw.Seed("phase"))).Float64() * 1e9 / r.rate
		r.answers = r.timetable("answers", r.nw.Now()+int64(period), r.messages+int(r.rate)) // until the last message was acked
		r.host.node.Wake()
	}
}

// timetable puts message i of n at i/rate, give or take half a millisecond, so that no two periods of the system stay in step.
func (r *simRun) timetable(name string, start int64, n int) []int64 {
	const spread = int64(500 * time.Microsecond)
	random := rand.New(rand.NewChaCha8(r.nw.Seed(name)))
	due := make([]int64, n)
	for i := range due {
		due[i] = start + spread + int64(math.Round(float64(i)*1e9/r.rate)) + random.Int64N(2*spread+1) - spread
		if i > 0 {
			due[i] = max(due[i], due[i-1])
		}
	}
	return due
}

// runClient is one turn of the client's game loop.
func (r *simRun) runClient(now int64) int64 {
	r.client.Poll()
	for ev, ok := r.client.Next(); ok; ev, ok = r.client.Next() {
		r.client.handle(ev)
	}
	if r.due == nil && r.client.connected > 0 {
		r.schedule()
	}
	r.sendDue(now)
	r.client.Flush()
	r.steps.watch(now, r.client.conn)
	return min(r.client.NextDeadline(), nextDue(now, r.due, r.next))
}

func (r *simRun) sendDue(now int64) {
	before := r.next
	for r.next < len(r.due) && r.due[r.next] <= now && r.client.end == nil {
		message := r.ledger.send(uint32(r.next), r.size, r.due[r.next])
		if err := r.client.conn.Send(message, transport.SendOptions{Delivery: r.mode, Urgent: r.urgent}); err != nil {
			break // the queue is full: it is tried again when an ack comes, and the wait counts as latency
		}
		if r.next++; r.next == len(r.due) {
			r.loneAcks = loneAcks(&r.client) + loneAcks(&r.host)
		}
	}
	if r.done != nil && r.next/1024 > before/1024 {
		r.done(1024)
	}
}

// nextDue is when the next message of a timetable is to be sent.
func nextDue(now int64, due []int64, next int) int64 {
	if next == len(due) || due[next] <= now {
		return math.MaxInt64
	}
	return due[next]
}

// runHost is one turn of the host's game loop.
func (r *simRun) runHost(now int64) int64 {
	r.host.Poll()
	for ev, ok := r.host.Next(); ok; ev, ok = r.host.Next() {
		if ev.Kind == transport.Message {
			r.ledger.arrive(ev.Payload, now)
		}
		r.host.handle(ev)
	}
	if !r.onTick {
		r.host.Flush()
		return r.host.NextDeadline()
	}
	r.answerDue(now)
	r.host.Flush()
	return min(r.host.NextDeadline(), nextDue(now, r.answers, r.answered))
}

// answerDue sends what the host has to say in the other direction.
func (r *simRun) answerDue(now int64) {
	for r.answered < len(r.answers) && r.answers[r.answered] <= now && r.host.end == nil {
		_ = r.host.conn.Send(make([]byte, r.size), transport.SendOptions{Delivery: transport.Unreliable})
		r.answered++
	}
}

// loneAcks counts those that a side has sent so far. Only on the packet wire can an ack be anything else.
func loneAcks(p *simPeer) int {
	if end, ok := p.simEnd.(*packetEnd); ok {
		return end.session.loneAcks
	}
	return 0
}

// fragmentsRebuilt counts the fragments that a side has rebuilt from parities.
func fragmentsRebuilt(p *simPeer) uint64 {
	if end, ok := p.simEnd.(*packetEnd); ok {
		return end.Stats().FragmentsRebuilt
	}
	return 0
}

// rebuilt counts the messages that a side has rebuilt from parity.
func rebuilt(p *simPeer) uint64 {
	if end, ok := p.simEnd.(*packetEnd); ok {
		return end.Stats().MessagesRebuilt
	}
	return 0
}

func (p *simPeer) handle(ev transport.Event) {
	switch ev.Kind {
	case transport.Connected:
		p.connected++
	case transport.Disconnected, transport.DialFailed:
		p.disconnected++
		p.end = ev.Err
	}
}

// settled reports whether nothing is left to wait for.
func (r *simRun) settled() bool {
	if r.next < r.messages {
		return false
	}
	if !r.mode.Reliable() {
		return r.nw.Now() > r.due[r.messages-1]+int64(r.forward.Delay+r.forward.Jitter+r.forward.ReorderDelay+time.Second)
	}
	return r.ledger.complete() && r.client.conn.Stats().QueueMessages == 0
}

// ended reports a connection that broke, and books that do not balance.
func (r *simRun) ended() error {
	if r.client.end != nil {
		return fmt.Errorf("seed %d: the connection ended after %d of %d messages: %w", r.seed, r.next, r.messages, r.client.end)
	}
	return r.nw.Audit()
}

// floors gives for each message the least latency that any sender could have reached: the rest of the outage that it was
// sent in, and the delay.
func (r *simRun) floors() []int64 {
	all := make([]int64, r.next)
	for i, t := range r.due[:r.next] {
		all[i] = r.nw.OutageEnd(r.client.node, r.host.node, t) - t + int64(r.forward.Delay)
	}
	return all
}
