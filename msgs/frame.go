package msgs

import "github.com/gannet-net/gannet/transport"

// queue is events that wait for RunFrame. Payloads lie one behind the other in data.
type queue struct {
	items []item
	next  int // the first of items that was not taken
	data  []byte
}

type item struct {
	kind     transport.EventKind // Connected, Message or Disconnected
	peer     *Peer
	route    *route
	from, to int // the payload, in data
	at       int64
	mode     transport.Delivery
	err      error
}

func (q *queue) push(it item, payload []byte) {
	it.from = len(q.data)
	q.data = append(q.data, payload...)
	it.to = len(q.data)
	q.items = append(q.items, it)
	it.peer.queued++
}

func (q *queue) empty() bool { return q.next == len(q.items) }

// pop returns the next item. Call it only if q is not empty.
func (q *queue) pop() item {
	it := q.items[q.next]
	q.items[q.next] = item{} // nothing holds on to a peer that has left
	q.next++
	it.peer.queued--
	return it
}

func (q *queue) payload(it item) []byte { return q.data[it.from:it.to:it.to] }

func (q *queue) reset() { *q = queue{items: q.items[:0], data: q.data[:0]} }

// queueFull reports whether no message can be queued any more.
func (r *Router) queueFull() bool {
	return len(r.waiting.items) >= r.config.QueueMessages || len(r.waiting.data) >= r.config.QueueBytes
}

// RunFrame handles what waits for the frame, in the order in which it came. What is queued meanwhile, because a handler routes events, waits for
// the next frame; RunFrame called by a handler of a frame does nothing.
func (r *Router) RunFrame() {
	if r.inFrame {
		return
	}
	r.inFrame = true
	defer func() { r.inFrame = false }()
	if r.running.empty() {
		r.running.reset()
		r.running, r.waiting = r.waiting, r.running
	}
	for !r.running.empty() {
		r.runItem(r.running.pop())
	}
}

func (r *Router) runItem(it item) {
	switch it.kind {
	case transport.Connected:
		r.join(it.peer)
	case transport.Disconnected:
		r.leave(it.peer, it.err)
	default:
		in := r.lend(it.peer)
		defer r.takeBack()
		in.Raw, in.At, in.Delivery, in.Channel = r.running.payload(it), it.at, it.mode, it.route.channel
		in.Entry, in.route = it.route.entry, it.route
		if it.peer.endedHere() {
			r.drop(in, DropSession, nil)
			return
		}
		r.handle(in)
	}
}
