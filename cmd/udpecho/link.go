package main

import (
	"errors"
	"strconv"
	"time"

	"github.com/gannet-net/gannet/sim"
)

// linkFlags describe a link in both directions.
type linkFlags struct {
	loss, lossBack float64
	backGiven      bool // else lossBack is as loss
	delay, jitter  time.Duration
	burst          int
	burstTime      time.Duration
	dup, reorder   float64
	reorderDelay   time.Duration
	rateLimit      float64
	queue          int
	police         int
}

// register adds the flags. Directions are "forward", from the client to the host, and back.
func (l *linkFlags) register(fs *flags) {
	fs.Float64Var(&l.loss, "loss", l.loss, "`PCT` of the datagrams that are lost, each way")
	fs.Func("loss-back", "`PCT` lost from host to client (as -loss)", func(s string) (err error) {
		l.backGiven = true
		if l.lossBack, err = strconv.ParseFloat(s, 64); err != nil {
			return errors.New("parse error")
		}
		return nil
	})
	fs.DurationVar(&l.delay, "delay", l.delay, "`TIME` from one end to the other, each way")
	fs.DurationVar(&l.jitter, "jitter", l.jitter, "`TIME` added to or taken from -delay, uniform; it reorders")
	fs.IntVar(&l.burst, "burst", 0, "lose runs of `N` datagrams in the mean, at the average of -loss")
	fs.DurationVar(&l.burstTime, "burst-time", 0, "lose all in periods of `TIME` in the mean, at the average of -loss")
	fs.Float64Var(&l.dup, "dup", l.dup, "`PCT` of the datagrams that arrive twice")
	fs.Float64Var(&l.reorder, "reorder", l.reorder, "`PCT` of the datagrams that are held back by -reorder-delay")
	fs.DurationVar(&l.reorderDelay, "reorder-delay", 10*time.Millisecond, "`TIME` by which -reorder and -dup make late")
	fs.Float64Var(&l.rateLimit, "rate-limit", 0, "capacity each way in `MBIT`/s, headers included; 0 is no limit")
	fs.IntVar(&l.queue, "queue", 64000, "`BYTES` that wait before -rate-limit; more is lost")
	fs.IntVar(&l.police, "police", 0, "make -rate-limit a policer: nothing waits, and what exceeds it by more than `BYTES` is lost")
}

// conditions are those of the two directions.
func (l *linkFlags) conditions() (forward, back sim.Conditions, err error) {
	lossBack := l.loss
	if l.backGiven {
		lossBack = l.lossBack
	}
	if err := l.check(lossBack); err != nil {
		return forward, back, err
	}
	return l.direction(l.loss), l.direction(lossBack), nil
}

func (l *linkFlags) check(lossBack float64) error {
	for _, p := range []struct {
		name  string
		value float64
	}{{"loss", l.loss}, {"loss-back", lossBack}, {"dup", l.dup}, {"reorder", l.reorder}} {
		if !(p.value >= 0 && p.value <= 100) {
			return usagef("-%s %v: must be from 0 to 100 per cent", p.name, p.value)
		}
	}
	for _, d := range []struct {
		name  string
		value time.Duration
	}{{"delay", l.delay}, {"jitter", l.jitter}, {"burst-time", l.burstTime}, {"reorder-delay", l.reorderDelay}} {
		if d.value < 0 {
			return usagef("-%s %v: must not be negative", d.name, d.value)
		}
	}
	switch {
	case l.burst != 0 && l.burstTime != 0:
		return usagef("-burst and -burst-time: only one of them")
	case l.burst < 0:
		return usagef("-burst %d: must not be negative", l.burst)
	case (l.burst > 0 || l.burstTime > 0) && l.loss == 0 && lossBack == 0:
		return usagef("-burst and -burst-time say how the losses of -loss come: set -loss above 0")
	case l.police != 0 && l.rateLimit == 0:
		return usagef("-police is of -rate-limit: set that too")
	case !(l.rateLimit >= 0 && l.rateLimit <= 1e6):
		return usagef("-rate-limit %v: must be from 0 to 1000000 Mbit/s", l.rateLimit)
	}
	for _, loss := range []float64{l.loss, lossBack} {
		if err := l.direction(loss).Validate(); err != nil {
			return usagef("impossible link: %v", err)
		}
	}
	return nil
}

func (l *linkFlags) direction(loss float64) sim.Conditions {
	c := sim.Conditions{
		Delay: l.delay, Jitter: l.jitter,
		Duplicate: sim.Percent(l.dup), DuplicateDelay: l.reorderDelay,
		Reorder: sim.Percent(l.reorder), ReorderDelay: l.reorderDelay,
		Rate: int64(l.rateLimit * 1e6), Queue: l.queue, Police: l.police,
	}
	switch average := sim.Percent(loss); {
	case l.burst > 0:
		c.Burst = sim.Burst{Average: average, Length: l.burst}
	case l.burstTime > 0:
		c.Outage = sim.Outage{Average: average, Mean: l.burstTime}
	default:
		c.Loss = average
	}
	return c
}
