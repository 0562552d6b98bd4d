package main

// What the heap of a process may grow by in the second half of play. When a process stalls messages wait, and the pools and buffers keep the room that
// was needed once: that is no leak, and what was needed in the first half is there when the heap is looked at in the middle.
const (
	// growthKiB is for what is in use at one look and not at another.
	growthKiB = 1024

	// messageBytes is what a message of at most 124 bytes takes in a queue: a buffer of 128, and an entry with what is noted of it. A process keeps
	// room for it twice: where it waits to be sent, and where it waits for the application.
	messageBytes = 256
	// relayedBytes is what a datagram takes in the relay: 160 of its place in the simulated network, its bytes, and an event in a heap that doubles.
	// There is one network for each way.
	relayedBytes = 512

	// fullBatch is how many datagrams one read brings at most. An inbox grows with what one read brings, and has room for runs once full batches came:
	// 4 of 64 KiB at a client, and 16 at the host (clientRuns, hostRuns and runSlot of package udp). The other buffers of a client's calls take less.
	fullBatch      = 64
	clientInboxKiB = 4 * 64
	hostInboxKiB   = 16 * 64
)

// allowedKiB is by how much the heap of each process may be larger at the end of play than in its middle.
func (e *endurance) allowedKiB() (host, clients float64) {
	n, each := float64(len(e.clients)), float64(e.waited())
	host = growthKiB + n*each*2*messageBytes/1024 + min(n*each/fullBatch, 1)*hostInboxKiB
	clients = growthKiB + n*each*2*(messageBytes+relayedBytes)/1024 + n*min(each/fullBatch, 1)*clientInboxKiB
	return rounded(host), rounded(clients)
}

// waited is how many messages one client had on their way at most in the second half of play: what it sent in the worst round trip, counted and not reckoned from a
// time, since a client that stalls sends nothing. No more than its ledgers remember.
func (e *endurance) waited() (most int) {
	for _, p := range e.points[e.half:] {
		most = max(most, p.Waited)
	}
	return most
}
