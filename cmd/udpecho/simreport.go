package main

import (
	"fmt"
	"hash/fnv"
	"strings"
)

// simReport is what udpecho sim prints. Numbers are sums over the seeds, times are milliseconds.
type simReport struct {
	latencyReport
	MaxError float64 `json:"max_stderr_ms"` // standard error of the mean that max is
	Greatest float64 `json:"greatest_ms"`   // where max_ms is the mean of the maxima of blocks

	Sent       int `json:"sent"`
	Delivered  int `json:"delivered"`
	Duplicates int `json:"duplicates"`
	OutOfOrder int `json:"out_of_order"`

	BytesRatio       float64 `json:"bytes_ratio"`
	WireBytesForward uint64  `json:"wire_bytes_forward"`
	WireBytesReverse uint64  `json:"wire_bytes_reverse"`

	DatagramsForward uint64 `json:"datagrams_forward"`
	DatagramsReverse uint64 `json:"datagrams_reverse"`

	Repairs     uint64 `json:"repairs"`                     // copies of messages that were sent again, for whatever reason
	Spurious    uint64 `json:"spurious"`                    // of these, those that are known to have been needless
	Piggybacked uint64 `json:"piggybacked,omitempty"`       // copies that rode in packets of newer messages
	Xors        uint64 `json:"xors,omitempty"`              // frames with the parity of messages
	Rebuilt     uint64 `json:"rebuilt,omitempty"`           // messages that were lost and that the host rebuilt from parity
	Parities    uint64 `json:"parities,omitempty"`          // of messages in fragments
	Fragments   uint64 `json:"fragments_rebuilt,omitempty"` // that were lost and that the host rebuilt from those
	LoneAcks    *int   `json:"lone_acks,omitempty"`         // datagrams of either side that held nothing but an ack, until the last message was sent

	// Of messages in fragments: the share that was complete before a repair could come, and the bytes forward as a multiple of all fragments.
	FirstFlight    *float64 `json:"first_flight_pct,omitempty"`
	FragmentsRatio *float64 `json:"fragments_ratio,omitempty"`

	AdaptMS    *float64 `json:"adapt_ms,omitempty"`
	AdaptSteps int      `json:"adapt_steps,omitempty"`
	FloorP99   *float64 `json:"floor_p99_ms,omitempty"`
	FloorP999  *float64 `json:"floor_p999_ms,omitempty"`

	TraceHash string `json:"trace_hash"`
	Seed      string `json:"seed"`

	latencies   distribution
	explanation string
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
		r.addTraffic(run)
		r.Repairs += sentAgain(stats)
		r.Spurious += stats.SpuriousRepairs
		r.Piggybacked += stats.Piggybacked
		r.Xors += stats.XorsSent
		r.Rebuilt += rebuilt(&run.host)
		r.Parities += stats.ParitiesSent
		r.Fragments += fragmentsRebuilt(&run.host)
		times := l.latencies()
		latencies = append(latencies, times...)
		peaks = append(peaks, maxima(times)...)
		if run.explain {
			r.explanation += "\n" + run.explanation()
		}
	}
	r.latencies = newDistribution(latencies)
	r.latencyReport = r.latencies.report()
	r.Greatest = r.Max
	r.Max, r.MaxError = milliseconds(mean(peaks)), milliseconds(standardError(peaks))
	r.BytesRatio = rounded(float64(r.WireBytesForward) / float64(r.Sent*o.messageOnWire()))
	o.addFlight(r)
	o.addFloors(r, runs)
	o.addAdaptation(r, runs)
	return r
}

// addFlight tells how messages in fragments fared without repairs: the first of those comes a round trip after the message.
func (o *simOptions) addFlight(r *simReport) {
	count := o.fragments()
	if count < 2 {
		return
	}
	early, repaired := 0, int64(3*o.plan.forward.Delay-2*o.plan.forward.Jitter)
	for early < len(r.latencies) && r.latencies[early] < repaired {
		early++
	}
	share := rounded(100 * float64(early) / float64(max(1, r.Sent)))
	ratio := rounded(float64(r.WireBytesForward) / float64(r.Sent*(o.plan.size+count*(packetHeaders+packetHeader))))
	r.FirstFlight, r.FragmentsRatio = &share, &ratio
}

// addTraffic adds what was sent, in both directions, headers of the packets included.
func (r *simReport) addTraffic(run *simRun) {
	forward, back := run.nw.LinkCounts(run.client.node, run.host.node), run.nw.LinkCounts(run.host.node, run.client.node)
	r.DatagramsForward += forward.Sent
	r.DatagramsReverse += back.Sent
	r.WireBytesForward += onWire(forward.Sent, forward.SentBytes)
	r.WireBytesReverse += onWire(back.Sent, back.SentBytes)
	if !run.packets {
		return
	}
	if r.LoneAcks == nil {
		r.LoneAcks = new(int)
	}
	*r.LoneAcks += run.loneAcks
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
	var times []int64
	for _, run := range runs {
		run.steps.settle(run.nw.Now())
		times = append(times, run.steps.adapted...)
	}
	ms := milliseconds(mean(times))
	r.AdaptMS, r.AdaptSteps = &ms, len(times)
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
		line("adaptation", "%v ms after the loss set in, the mean of %d steps", *r.AdaptMS, r.AdaptSteps)
	}
	line("bytes", "%.4f times a single copy of each message; %d forward, %d back", r.BytesRatio, r.WireBytesForward, r.WireBytesReverse)
	line("repairs", "%d, known to be needless %d", r.Repairs, r.Spurious)
	if r.LoneAcks != nil {
		line("piggyback", "%d copies in packets of newer messages", r.Piggybacked)
		if r.FirstFlight != nil {
			line("fragments", "%.2f %% of the messages complete in their first flight, at %.3f times their bytes; %d parities, %d fragments rebuilt",
				*r.FirstFlight, *r.FragmentsRatio, r.Parities, r.Fragments)
		}
		line("parity", "%d in packets of newer messages, %d lost ones rebuilt from it", r.Xors, r.Rebuilt)
		line("lone acks", "%d datagrams of %d with nothing else in them", *r.LoneAcks, r.DatagramsForward+r.DatagramsReverse)
	}
	line("trace hash", "%s", r.TraceHash)
	b.WriteString("\n" + r.latencies.histogram() + r.explanation)
	return b.String()
}
