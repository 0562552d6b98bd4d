package dumbbell

import (
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/gannet-net/gannet/sim"
)

// startTrips is how many round trips a flow starts up at most.
const startTrips = 40

func (r *run) report(quiet *run) Report {
	end := time.Duration(0)
	got := int64(0)
	for _, f := range r.flows {
		got += f.receiver.got
		end = max(end, time.Duration(f.receiver.gotAt))
	}
	if !r.done() {
		end = r.For
	}
	out := Report{
		Goodput:        mbit(got, end),
		Ceiling:        round(float64(r.Rate) / 1e6 * (1 - float64(r.Loss)/float64(sim.Always)) * fullPayload / Packet),
		GameAddedApart: added(r.apart.receiver, quiet.apart.receiver),
		TraceHash:      fmt.Sprintf("%016x", r.nw.TraceHash()),
	}
	if len(r.flows) > 0 {
		out.GameAdded = added(r.flows[0].receiver, quiet.flows[0].receiver)
	}
	r.reportQueue(&out)
	r.reportLoss(&out)
	if len(r.flows) > 1 {
		r.reportShares(&out)
	}
	if r.Cubic {
		theirs := float64(r.arrived(flow{from: r.cubicAt[0], to: r.cubicAt[1]}))
		share := round(100 * float64(r.passed[len(r.passed)-1]) / (float64(r.passed[len(r.passed)-1]) + theirs))
		payload := r.nw.LinkCounts(r.cubicAt[0], r.cubicAt[1]).DeliveredBytes
		rate := mbit(int64(payload), time.Duration(r.nw.Now()))
		out.Share, out.Cubic = &share, &rate
	}
	if r.Step > 0 {
		r.reportStep(&out)
	}
	return out
}

func (r *run) reportQueue(out *Report) {
	start := min(startTrips*int(r.Trip.Milliseconds()), len(r.waits))
	for _, w := range r.waits[:start] {
		out.Overshoot = max(out.Overshoot, milliseconds(w))
		if w > int64(10*time.Millisecond) {
			out.OvershootTime++
		}
	}
	later := slices.Clone(r.waits[start:])
	slices.Sort(later)
	sum := 0.0
	for _, w := range later {
		sum += milliseconds(w)
	}
	out.QueueMean = round(sum / float64(max(1, len(later))))
	out.QueueP95, out.QueueP99 = quantile(later, 95), quantile(later, 99)
}

func (r *run) reportLoss(out *Report) {
	lost, sent := uint64(0), uint64(0)
	for _, f := range r.flows {
		c := r.nw.LinkCounts(f.from, f.to)
		lost += c.Drops[sim.DropQueue] + c.Drops[sim.DropPolice]
		sent += c.Sent
	}
	out.BulkLoss = round(100 * float64(lost) / float64(max(1, sent)))
}

func (r *run) reportShares(out *Report) {
	sum, squares, least, most := 0.0, 0.0, math.Inf(1), 0.0
	for _, f := range r.flows {
		x := float64(r.arrived(f) - f.third)
		sum, squares = sum+x, squares+x*x
		least, most = min(least, x), max(most, x)
	}
	jain, ratio := round(sum*sum/(float64(len(r.flows))*squares)), round(most/least)
	out.Jain, out.Ratio = &jain, &ratio
}

// reportStep finds when the queue was short again after the rate fell, and the rate reached after it rose.
func (r *run) reportStep(out *Report) {
	down, up := len(r.waits)/3, len(r.waits)*2/3
	queue, rate := 0.0, math.Inf(1)
	for i := down; i < up; i++ {
		if r.waits[i] >= int64(15*time.Millisecond) {
			queue = float64(i - down)
		}
	}
	const span = 100 // ms
	for i := up + span; i < len(r.passed); i++ {
		if (r.passed[i]-r.passed[i-span])*8*1000/span >= r.Rate*9/10 {
			rate = float64(i - up)
			break
		}
	}
	if math.IsInf(rate, 1) {
		rate = float64(len(r.passed) - up)
	}
	out.StepQueue, out.StepRate = &queue, &rate
}

// added is by how much bulk makes the 99th of 100 messages of a game slower.
func added(with, without *end) float64 {
	a, b := slices.Clone(with.latencies), slices.Clone(without.latencies)
	slices.Sort(a)
	slices.Sort(b)
	return round(quantile(a, 99) - quantile(b, 99))
}

// quantile is the nearest rank of sorted times, in milliseconds.
func quantile(sorted []int64, percent int) float64 {
	if len(sorted) == 0 {
		return 0
	}
	return milliseconds(sorted[max(1, (len(sorted)*percent+99)/100)-1])
}

func mbit(bytes int64, in time.Duration) float64 {
	return round(float64(bytes) * 8 / 1e6 / max(in.Seconds(), 1e-9))
}
func milliseconds(ns int64) float64 { return round(float64(ns) / 1e6) }
func round(x float64) float64       { return math.Round(x*1000) / 1000 }
