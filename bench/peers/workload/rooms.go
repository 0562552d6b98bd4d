package workload

import (
	"fmt"
	"sync"
	"time"

	"github.com/gannet-net/gannet/bench/peers/measure"
	"github.com/gannet-net/gannet/bench/peers/peer"
)

const (
	roomPlayers = 20
	roomEvery   = 50 * time.Millisecond
	roomFrame   = time.Second / 60
	roomMessage = 64
	roomStale   = 100 * time.Millisecond
)

var rooms = Workload{
	Name: "rooms",
	About: "Players in rooms of 20. Each sends a message of 64 B every 50 ms, and the host passes it on to all 20 of its room in its next frame, 60 a second; reliable where the stack has that. " +
		"Host and clients are processes of their own on the same cores. stale is how old messages are in the hands of players, the frame included. The number of players doubles until it breaks: " +
		"until the 99th of 100 messages is older than 100 ms, or fewer than 99 % of the messages that were due have come. For 5 s after 3 s of warming up.",
	Needs:   []peer.Setup{roomsPlan(1, peer.Reliable).setup(), roomsPlan(1, peer.Unreliable).setup()},
	Measure: measureRooms,
	Tables: []Table{
		{Title: "Players that it held, at most:", Prefix: "limit", Metrics: []string{"held"}},
		{ByCase: true, Prefix: "players ", Metrics: []string{"host CPU", "host", "clients", "stale p50", "stale p99", "arrived"}},
	},
}

func roomsPlan(players int, p peer.Promise) crowdPlan {
	return crowdPlan{Use: peer.Rooms, Clients: players, Message: roomMessage, Promise: p, Every: roomEvery, Frame: roomFrame}
}

func measureRooms(r Run, d *peer.Driver) ([]Result, error) {
	var results []Result
	held := 0
	for n := pick(r, 500, 20); n <= pick(r, 16_000, 20); n *= 2 {
		plan := roomsPlan(n, promised(d))
		if !d.Has(plan.setup()) {
			break
		}
		figures, holds, err := roomsOnce(r, d, plan)
		if err != nil {
			return results, fmt.Errorf("rooms with %d players: %w", n, err)
		}
		results = append(results, Result{fmt.Sprintf("players %d", n), figures})
		if !holds {
			break
		}
		held = n
	}
	return append(results, Result{"limit", []measure.Figure{{Metric: "held", Unit: "players", Value: float64(held)}}}), nil
}

func roomsOnce(r Run, d *peer.Driver, plan crowdPlan) (figures []measure.Figure, holds bool, err error) {
	c, err := gather(d, "rooms", plan)
	if err != nil {
		return nil, false, err
	}
	defer c.end()
	host, clients, err := c.watch(pick(r, 3*time.Second, 300*time.Millisecond), pick(r, 5*time.Second, 400*time.Millisecond))
	if err != nil {
		return nil, false, err
	}
	due := float64(plan.Clients*roomPlayers) * host.Took.Seconds() / plan.Every.Seconds()
	arrived := float64(clients.Received) / due
	return []measure.Figure{
		{Metric: "host CPU", Unit: "us/s a player", Value: host.cores() * 1e6 / float64(plan.Clients)},
		{Metric: "host", Unit: "cores", Value: host.cores()},
		{Metric: "clients", Unit: "cores", Value: clients.cores()},
		{Metric: "stale p50", Unit: "ms", Value: clients.P50 / 1e6},
		{Metric: "stale p99", Unit: "ms", Value: clients.P99 / 1e6},
		{Metric: "arrived", Unit: "share", Value: arrived},
	}, arrived >= 0.99 && clients.P99 <= float64(roomStale), nil
}

// roomsApp passes messages on within rooms, in the order in which the players came.
type roomsApp struct {
	roster
	size int
	late *measure.Histogram

	inboxes sync.Mutex
	rooms   []*room
}

// room is messages that wait for the next frame, one after another.
type room struct {
	mu             sync.Mutex
	waiting, spare []byte
}

func newRoomsApp(p crowdPlan, late *measure.Histogram) crowdApp {
	return &roomsApp{size: p.Message, late: late}
}

func (a *roomsApp) accept(c peer.Conn) peer.Receive {
	r := a.room(a.add(c) / roomPlayers)
	return func(_ int, message []byte) {
		a.late.Add(age(message))
		r.mu.Lock()
		r.waiting = append(r.waiting, message[:a.size]...)
		r.mu.Unlock()
	}
}

func (a *roomsApp) room(n int) *room {
	a.inboxes.Lock()
	defer a.inboxes.Unlock()
	for n >= len(a.rooms) {
		a.rooms = append(a.rooms, &room{})
	}
	return a.rooms[n]
}

func (a *roomsApp) frame(counted *counted) {
	players := a.all()
	for i := 0; i*roomPlayers < len(players); i++ {
		members := players[i*roomPlayers : min((i+1)*roomPlayers, len(players))]
		r := a.room(i)
		messages := r.take()
		for _, c := range members {
			for m := messages; len(m) > 0; m = m[a.size:] {
				counted.note(c.Send(0, m[:a.size]))
			}
		}
		r.give(messages)
	}
}

// take gives what waits, until give takes the bytes back.
func (r *room) take() []byte {
	r.mu.Lock()
	defer r.mu.Unlock()
	messages := r.waiting
	r.waiting = r.spare[:0]
	return messages
}

func (r *room) give(messages []byte) { r.spare = messages }
