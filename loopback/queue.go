package loopback

import "github.com/gannet-net/gannet/transport"

// entry is one event that waits to be read.
type entry struct {
	event transport.Event
	seq   uint64 // position in its queue, counted from 1 over the queue's whole life

	prev, next *entry
	nextLossy  *entry // the next entry that may be pushed out, if this one may
	droppable  bool

	// message is the entry of the message that an outcome belongs to. A message counts with its size against its sender's budget
	// for as long as it has holds: one until it is read, one until its outcome is read.
	message *entry
	size    int
	holds   int
}

// queue holds what one end has not read, in the order in which it happened. The zero value is empty.
type queue struct {
	front, back *entry
	last        uint64 // seq of the newest entry ever

	// The messages that newer ones may push out, oldest first.
	lossyFront, lossyBack    *entry
	lossyCount, lossyPayload int
}

func (q *queue) push(e *entry) {
	q.last++
	e.seq, e.prev = q.last, q.back
	if q.back == nil {
		q.front = e
	} else {
		q.back.next = e
	}
	q.back = e
	if e.droppable {
		q.pushLossy(e)
	}
}

func (q *queue) pushLossy(e *entry) {
	if q.lossyFront == nil {
		q.lossyFront = e
	} else {
		q.lossyBack.nextLossy = e
	}
	q.lossyBack = e
	q.lossyCount++
	q.lossyPayload += e.size
}

// remove takes e out. Of the entries that may be pushed out only the oldest can be removed, because they leave in order.
func (q *queue) remove(e *entry) {
	if e.droppable {
		q.lossyFront = e.nextLossy
		q.lossyCount--
		q.lossyPayload -= e.size
	}
	if e.prev == nil {
		q.front = e.next
	} else {
		e.prev.next = e.next
	}
	if e.next == nil {
		q.back = e.prev
	} else {
		e.next.prev = e.prev
	}
	e.prev, e.next, e.nextLossy = nil, nil, nil
}
