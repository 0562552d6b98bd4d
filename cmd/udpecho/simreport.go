package main

import (
	"fmt"
	"hash/fnv"
	"strings"
	"time"
)

// simReport is what udpecho sim prints. Numbers are sums over the seeds, times are milliseconds.
type simReport struct {
	latencyReport
	Greatest   float64 `json:"greatest_ms"` // where max_ms is the mean of the maxima of blocks
	Sent       int     `json:"sent"`
	Delivered  int     `json:"delivered"`
	Duplicates int     `json:"duplicates"`
	OutOfOrder int     `json:"out_of_order"`

	BytesRatio       float64 `json:"bytes_ratio"`
	WireBytesForward uint64  `json:"wire_bytes_forward"`
	WireBytesReverse uint64  `json:"wire_bytes_reverse"`

	Repairs  uint64 `json:"repairs"`  // datagrams that were sent again, for whatever reason
	Spurious uint64 `json:"spurious"` // of these, those that are known to have been needless

	AdaptMS   *float64 `json:"adapt_ms,omitempty"`
	FloorP99  *float64 `json:"floor_p99_ms,omitempty"`
	FloorP999 *float64 `json:"floor_p999_ms,omitempty"`

	TraceHash string `json:"trace_hash"`
	Seed      string `json:"seed"`

	latencies distribution
}

func (o *simOptions) report(runs []*simRun) *simReport {
	r := &simReport{Seed: o.seedText, TraceHash: traceHash(runs)}
	var latencies, peaks []int64
	for _, run := range runs {
		l, stats := run.ledger, run.client.conn.Stats()
		r.Sent += l.sent
		r.Delivered += l.delivered
		r.Duplicates += l.duplicates
		r.OutOfOrder += l.outOfOrder
		r.WireBytesForward += run.wireBytes(run.client, run.host)
		r.WireBytesReverse += run.wireBytes(run.host, run.client)
		r.Repairs += sentAgain(stats)
		r.Spurious += stats.SpuriousRepairs
		times := l.latencies()
		latencies = append(latencies, times...)
		peaks = append(peaks, maxima(times)...)
	}
	r.latencies = newDistribution(latencies)
	r.latencyReport = r.latencies.report()
	r.Greatest, r.Max = r.Max, milliseconds(mean(peaks))
	r.BytesRatio = rounded(float64(r.WireBytesForward) / float64(r.Sent*messageOnWire(o.plan.mode, o.plan.size)))
	o.addFloors(r, runs)
	o.addAdaptation(r, runs)
	return r
}

func (o *simOptions) addFloors(r *simReport, runs []*simRun) {
	if !o.hasFloor {
		return
	}
	var floors []int64
	for _, run := range runs {
		floors = append(floors, run.floors()...)
	}
	d := newDistribution(floors)
	p99, p999 := milliseconds(float64(d.quantile(990))), milliseconds(float64(d.quantile(999)))
	r.FloorP99, r.FloorP999 = &p99, &p999
}

func (o *simOptions) addAdaptation(r *simReport, runs []*simRun) {
	if o.plan.step == 0 {
		return
	}
	var a adaptation
	for _, run := range runs {
		a.add(run)
	}
	ms := float64(a.time() / time.Millisecond)
	r.AdaptMS = &ms
}

// traceHash is the hash of the one run, or one of the hashes of all.
func traceHash(runs []*simRun) string {
	if len(runs) == 1 {
		return fmt.Sprintf("%016x", runs[0].nw.TraceHash())
	}
	h := fnv.New64a()
	for _, run := range runs {
		fmt.Fprintf(h, "%016x", run.nw.TraceHash())
	}
	return fmt.Sprintf("%016x", h.Sum64())
}

func (r *simReport) text(o *simOptions) string {
	var b strings.Builder
	line := func(name, format string, args ...any) {
		fmt.Fprintf(&b, "%-12s %s\n", name, fmt.Sprintf(format, args...))
	}
	line("sent", "%d %v messages of %d bytes at %v a second, seed %s", r.Sent, o.plan.mode, o.plan.size, o.plan.rate, r.Seed)
	line("delivered", "%d, twice %d, out of order %d", r.Delivered, r.Duplicates, r.OutOfOrder)
	line("latency", "p50 %v ms, p90 %v ms, p99 %v ms, p99.9 %v ms, max %v ms (mean of blocks of 10,000), greatest %v ms",
		r.P50, r.P90, r.P99, r.P999, r.Max, r.Greatest)
	if r.FloorP99 != nil {
		line("floor", "p99 %v ms, p99.9 %v ms: no sender could be faster", *r.FloorP99, *r.FloorP999)
	}
	if r.AdaptMS != nil {
		line("adaptation", "%v ms after the loss set in", *r.AdaptMS)
	}
	line("bytes", "%.4f times a single copy of each message; %d forward, %d back", r.BytesRatio, r.WireBytesForward, r.WireBytesReverse)
	line("repairs", "%d, known to be needless %d", r.Repairs, r.Spurious)
	line("trace hash", "%s", r.TraceHash)
	b.WriteString("\n" + r.latencies.histogram())
	return b.String()
}
