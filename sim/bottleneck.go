package sim

import "time"

// Bottleneck is a capacity with a drop-tail queue before it. A link has one of its own if its conditions have a Rate;
// one from [Network.Bottleneck] can be shared by the links whose conditions name it in Through.
type Bottleneck struct {
	nw     *Network
	number int32
	limits limits

	queue  fifo // the first of it is being sent
	bytes  int  // on the wire, in the queue, but for the one being sent
	served int64
	full   int64 // time at which the policer's bucket is full again
}

type limits struct {
	rate   int64 // bits a second, 0 = no limit
	queue  int   // bytes, 0 = no limit
	police int   // bytes, 0 = a queue instead
}

// Bottleneck makes a bottleneck to share: rate in bits a second, room for queue bytes behind the datagram being sent. 0
// is no limit for either.
func (nw *Network) Bottleneck(rate int64, queue int) *Bottleneck {
	must(Conditions{Rate: rate, Queue: queue}.Validate())
	b := &Bottleneck{nw: nw, number: int32(len(nw.bottlenecks)), limits: limits{rate: rate, queue: queue}}
	nw.bottlenecks = append(nw.bottlenecks, b)
	return b
}

// Policer makes a policer to share: rate in bits a second, and a bucket of the given bytes. Set makes a queue of it.
func (nw *Network) Policer(rate int64, bucket int) *Bottleneck {
	must(Conditions{Rate: rate, Police: bucket}.Validate())
	b := nw.Bottleneck(rate, 0)
	b.limits.police = bucket
	return b
}

// Set changes rate and queue. What is being sent goes on at the old rate, what waits goes on at the new one.
func (b *Bottleneck) Set(rate int64, queue int) {
	must(Conditions{Rate: rate, Queue: queue}.Validate())
	b.limits = limits{rate: rate, queue: queue}
}

// Queued gives the bytes that wait behind the datagram being sent, headers included.
func (b *Bottleneck) Queued() int { return b.bytes }

// Wait gives how long a datagram that came now would wait before its own first bit is sent.
func (b *Bottleneck) Wait() time.Duration {
	if b.queue.length == 0 {
		return 0
	}
	return time.Duration(max(0, b.served-b.nw.now) + b.sending(b.bytes))
}

// admit tells whether a datagram of that size is taken, and why not.
func (b *Bottleneck) admit(size int) Drop {
	switch {
	case b.limits.police > 0:
		return b.police(size)
	case b.queue.length > 0 && b.limits.queue > 0 && b.bytes+size > b.limits.queue:
		return DropQueue
	}
	return delivered
}

// police is a token bucket that holds limits.police bytes, kept as the time at which it is full again.
func (b *Bottleneck) police(size int) Drop {
	full := max(b.full, b.nw.now) + b.sending(size)
	if full-b.nw.now > b.sending(b.limits.police) {
		return DropPolice
	}
	b.full = full
	return delivered
}

// delays reports whether what is admitted has to wait for its turn.
func (b *Bottleneck) delays() bool {
	return b.queue.length > 0 || b.limits.rate > 0 && b.limits.police == 0
}

// push takes an admitted datagram.
func (b *Bottleneck) push(slot int32) {
	b.queue.push(&b.nw.slab, slot)
	if b.queue.length == 1 {
		b.serve(b.nw.slab.at(slot).wireSize())
		return
	}
	b.bytes += b.nw.slab.at(slot).wireSize()
}

// serve begins to send a datagram of that size.
func (b *Bottleneck) serve(size int) {
	b.served = b.nw.now + b.sending(size)
	b.nw.arrange(b.served, eventServe, b.number)
}

// done hands on the datagram that was being sent and begins with the next.
func (b *Bottleneck) done() {
	slot := b.queue.pop(&b.nw.slab)
	if next := b.queue.first; next != 0 {
		size := b.nw.slab.at(next).wireSize()
		b.bytes -= size
		b.serve(size)
	}
	b.nw.slab.at(slot).link.transmit(slot)
}

// sending is the time that size bytes take, rounded up.
func (b *Bottleneck) sending(size int) int64 {
	if b.limits.rate == 0 {
		return 0
	}
	return (int64(size)*8*int64(time.Second) + b.limits.rate - 1) / b.limits.rate
}

// wireSize is the size with IP and UDP headers.
func (d *datagram) wireSize() int {
	if d.destination.Addr().Is4() {
		return len(d.payload) + ipv4Header + udpHeader
	}
	return len(d.payload) + ipv6Header + udpHeader
}

const (
	ipv4Header = 20
	ipv6Header = 40
	udpHeader  = 8
)
