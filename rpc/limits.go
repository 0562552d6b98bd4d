package rpc

import (
	"fmt"
	"time"

	"github.com/gannet-net/gannet/internal/rate"
	"github.com/gannet-net/gannet/msgs"
)

// Budget bounds what one client may make the server do, whatever the rates of its methods: so much in each second, and so much at once. Zero fields take the defaults of CALLS.md 5; below 0 is no bound.
type Budget struct {
	Calls, CallsAtOnce int
	Bytes, BytesAtOnce int           // of arguments; of control frames all
	Time, TimeAtOnce   time.Duration // of handlers, by Config.Clock
}

func (b Budget) withDefaults() (Budget, error) {
	for _, f := range []struct {
		value *int64
		none  int64
	}{{(*int64)(&b.Time), int64(200 * time.Millisecond)}, {(*int64)(&b.TimeAtOnce), int64(time.Second)}} {
		if *f.value == 0 {
			*f.value = f.none
		}
	}
	for _, f := range []struct {
		value *int
		none  int
	}{{&b.Calls, 200}, {&b.CallsAtOnce, 1000}, {&b.Bytes, 64 << 10}, {&b.BytesAtOnce, 256 << 10}} {
		if *f.value == 0 {
			*f.value = f.none
		}
	}
	if min(b.Time, b.TimeAtOnce) < 0 {
		b.Time = -1
	}
	if min(b.Calls, b.CallsAtOnce) < 0 {
		b.Calls = -1
	}
	if min(b.Bytes, b.BytesAtOnce) < 0 {
		b.Bytes = -1
	}
	if b.Time > time.Second || b.Calls > 1e9 || b.Bytes > 1e9 {
		return b, fmt.Errorf("rpc: Budget: at most a second of a second, and 1,000,000,000 calls or bytes: below 0 is no bound")
	}
	return b, nil
}

// Flood is what Config.OnFlood is told: a client is further ahead of a limit than a stall explains.
type Flood struct {
	Method string // whose rate it is; "" if it is the budget of calls
	Calls  uint64 // how many calls of the client were dropped for their rate or its budget so far
}

// limits are the accounts of one client. The client keeps those of its own calls, too.
type limits struct {
	rates  []rate.Bucket // for each method with a rate; made when the first is called
	floods []rate.Bucket

	calls, bytes, time, flood rate.Bucket
}

func newLimits() limits {
	return limits{calls: rate.Full, bytes: rate.Full, time: rate.Full, flood: rate.Full}
}

// buckets gives list a full bucket for each of n.
func buckets(list []rate.Bucket, n int) []rate.Bucket {
	for len(list) < n {
		list = append(list, rate.Full)
	}
	return list
}

// each is what one call costs, in nanoseconds.
func (r Rate) each() int64 { return int64(r.Per) / int64(r.Count) }

// take charges a call whose arguments have so many bits.
func (l *limits) take(in *In, bits int) Drop {
	if rt := in.route; rt.rate >= 0 {
		l.rates = buckets(l.rates, in.calls.here.rated)
		l.floods = buckets(l.floods, in.calls.here.rated)
		each := rt.Rate.each()
		if !l.floods[rt.rate].Spend(in.at, each, each*int64(rt.Rate.Burst)+int64(in.calls.config.Stall)) {
			l.floods[rt.rate] = rate.Full
			if in.flooded(rt.Name) {
				return DropSession
			}
		}
		if !l.rates[rt.rate].Spend(in.at, each, each*int64(rt.Rate.Burst)) {
			return DropRate
		}
	}
	return l.spend(in, bits)
}

// spend charges the budget for a frame.
func (l *limits) spend(in *In, bits int) Drop {
	b := &in.calls.config.Budget
	if b.Calls > 0 {
		each := int64(time.Second) / int64(b.Calls)
		if !l.flood.Spend(in.at, each, each*int64(b.CallsAtOnce)+int64(in.calls.config.Stall)) {
			l.flood = rate.Full
			if in.flooded("") {
				return DropSession
			}
		}
		if !l.calls.Spend(in.at, each, each*int64(b.CallsAtOnce)) {
			return DropBudget
		}
	}
	if each := int64(time.Second) / int64(max(b.Bytes, 1)); b.Bytes > 0 && !l.bytes.Spend(in.at, each*int64(bits+7)/8, each*int64(b.BytesAtOnce)) {
		return DropBudget
	}
	if in.calls.config.Clock != nil && b.Time > 0 && l.time.Spent(in.at, b.timeBurst()) {
		return DropBudget
	}
	return Handled
}

// timeBurst is the time that handlers may take at once as time in which that is earned.
func (b *Budget) timeBurst() int64 { return b.earning(b.TimeAtOnce) }

// earning is the time in which so much time of handlers is earned.
func (b *Budget) earning(ran time.Duration) int64 {
	return int64(ran) * (int64(time.Second) / int64(b.Time))
}

// ran charges the time of a handler.
func (l *limits) ran(in *In, ns int64) {
	b := &in.calls.config.Budget
	if in.calls.side == msgs.Host && b.Time > 0 {
		ns = min(ns, int64(b.TimeAtOnce))
		l.time.Charge(in.at, b.earning(time.Duration(ns)), b.timeBurst())
	}
}

// flooded tells of a flood, and reports whether that ended the session.
func (in *In) flooded(method string) bool {
	c, p := in.calls, in.peer
	c.stats.Floods++
	p.stats.Floods++
	if c.config.OnFlood != nil {
		flood := Flood{Method: method, Calls: p.stats.Drops[DropRate] + p.stats.Drops[DropBudget]}
		c.guard("OnFlood", p, func() { c.config.OnFlood(p.Peer, flood) })
	}
	return p.Ended()
}

// foresee charges a call of ours to the account that the server keeps of it, and reports whether it allows it. What was there before undoes it.
func (l *limits) foresee(c *Calls, rt *route) (before rate.Bucket, ok bool) {
	if rt.rate < 0 || c.side == msgs.Host {
		return 0, true
	}
	l.rates = buckets(l.rates, c.there.rated)
	before = l.rates[rt.rate]
	each := rt.Rate.each()
	return before, l.rates[rt.rate].Spend(c.now, each, each*int64(rt.Rate.Burst))
}

func (l *limits) undo(rt *route, before rate.Bucket) {
	if rt.rate >= 0 && rt.rate < len(l.rates) {
		l.rates[rt.rate] = before
	}
}
