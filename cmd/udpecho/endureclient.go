package main

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/gannet-net/gannet/transport"
	"github.com/gannet-net/gannet/udp"
)

// enduringClient is one client, and what became of its messages.
type enduringClient struct {
	conn  *udp.Conn
	now   func() int64
	times *enduredTimes

	mu                   sync.Mutex
	reliable, unreliable *recentLedger
	refused              int // messages for which there was no room
}

// enduredTimes are the round trips of all clients since the last look.
type enduredTimes struct {
	mu                   sync.Mutex
	reliable, unreliable roundTrips
}

// roundTrips are those of one kind of messages.
type roundTrips struct {
	buckets
	waited int // most messages that one client had sent when the first of them came back
}

func (r *roundTrips) add(latency int64, sent int) {
	r.buckets.add(latency)
	r.waited = max(r.waited, sent)
}

// take gives the times so far and begins anew.
func (e *enduredTimes) take(reliable, unreliable *roundTrips) {
	e.mu.Lock()
	defer e.mu.Unlock()
	*reliable, *unreliable = e.reliable, e.unreliable
	e.reliable, e.unreliable = roundTrips{}, roundTrips{}
}

func newEnduringClient(id uint32, times *enduredTimes, now func() int64) *enduringClient {
	return &enduringClient{now: now, times: times,
		reliable: newRecentLedger(2*id, transport.ReliableOrdered), unreliable: newRecentLedger(2*id+1, transport.Unreliable)}
}

func (c *enduringClient) dial(ctx context.Context, addr string, config udp.Config) (err error) {
	config.Handler = c.handle
	c.conn, err = udp.Dial(ctx, addr, config)
	return err
}

func (c *enduringClient) of(mode transport.Delivery) *recentLedger {
	if mode.Reliable() {
		return c.reliable
	}
	return c.unreliable
}

func (c *enduringClient) handle(ev transport.Event) {
	if ev.Kind != transport.Message {
		return
	}
	c.mu.Lock()
	latency, sent, isNew := c.of(ev.Delivery).arrive(ev.Payload, c.now())
	c.mu.Unlock()
	if !isNew {
		return
	}
	c.times.mu.Lock()
	defer c.times.mu.Unlock()
	if ev.Delivery.Reliable() {
		c.times.reliable.add(latency, sent)
	} else {
		c.times.unreliable.add(latency, sent)
	}
}

// play sends an unreliable message at each tick, and a reliable one at some, until ctx ends.
func (c *enduringClient) play(ctx context.Context, rate, reliableRate float64) {
	tick := time.NewTicker(time.Duration(float64(time.Second) / rate))
	defer tick.Stop()
	for due := 0.0; ; {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		c.send(transport.Unreliable)
		if due += reliableRate / rate; due >= 1 {
			due--
			c.send(transport.ReliableOrdered)
		}
	}
}

func (c *enduringClient) send(mode transport.Delivery) {
	c.mu.Lock()
	defer c.mu.Unlock()
	l := c.of(mode)
	if err := c.conn.Send(l.message(), transport.SendOptions{Delivery: mode}); err != nil {
		c.refused++
		return
	}
	l.noteSent(c.now())
}

// settled reports whether all reliable echoes are back.
func (c *enduringClient) settled() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.reliable.Delivered >= c.reliable.Sent
}

// broken says which promises do not hold, before the client leaves.
func (c *enduringClient) broken(name string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	err := errors.Join(c.reliable.broken(), c.unreliable.broken(), c.conn.Err())
	if err == nil && c.refused > 0 {
		err = fmt.Errorf("there was no room for %d messages", c.refused)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}
