package main

import (
	"errors"
	"fmt"
	"strings"
)

// What the soak is held to, where time alone could break it: nobody fails on a machine that is busy.
const (
	gateMiBPerHour   = 1
	gateDriftPercent = 10
)

// endureReport is what udpecho endure prints.
type endureReport struct {
	Pass     bool     `json:"pass"`
	Problems []string `json:"problems"`

	Clients int     `json:"clients"`
	Seconds float64 `json:"seconds"`
	RateHZ  float64 `json:"rate_hz"`
	LossPct float64 `json:"loss_pct"`

	Reliable   streamReport `json:"reliable"`
	Unreliable streamReport `json:"unreliable"`
	Network    wayReport    `json:"network"`
	SentAgain  uint64       `json:"sent_again"`

	Host             enduredProcess `json:"host"`
	ClientProcess    enduredProcess `json:"client_process"`
	MiddleSeconds    float64        `json:"middle_seconds"`
	Waited           int            `json:"second_half_waited"`
	P99Drift         float64        `json:"p99_drift_pct"`
	UnreliableDrift  float64        `json:"unreliable_p99_drift_pct"`
	WithinMemoryGate bool           `json:"within_memory_gate"`
	WithinDriftGate  bool           `json:"within_drift_gate"`

	Points []endurePoint `json:"points"`
}

// enduredProcess is one of the two processes over time.
type enduredProcess struct {
	Idle    vitals  `json:"idle"`                    // before the first client
	Start   vitals  `json:"start"`                   // at the first look while all play
	Middle  vitals  `json:"middle"`                  // at the first one with half of the time over
	End     vitals  `json:"end"`                     // at the last one
	After   vitals  `json:"after"`                   // once all clients have left
	Growth  float64 `json:"heap_growth_kib"`         // from the middle to the end
	Allowed float64 `json:"heap_growth_allowed_kib"` // see endurance.allowedKiB
	Slope   float64 `json:"rss_slope_mib_per_hour"`
}

// endurePoint is one look, and the round trips since the one before.
type endurePoint struct {
	Seconds       float64 `json:"seconds"`
	HostMiB       float64 `json:"host_rss_mib"`
	ClientsMiB    float64 `json:"client_rss_mib"`
	HostHeap      float64 `json:"host_heap_kib"`
	ClientHeap    float64 `json:"client_heap_kib"`
	P50           float64 `json:"p50_ms"`
	P99           float64 `json:"p99_ms"`
	UnreliableP50 float64 `json:"unreliable_p50_ms"`
	UnreliableP99 float64 `json:"unreliable_p99_ms"`
	Waited        int     `json:"waited"` // most messages that were on their way at once, of one client
}

// broken says which promises do not hold.
func (e *endurance) broken() error {
	var problems []error
	for i, c := range e.clients {
		problems = append(problems, c.broken(fmt.Sprint("client ", i+1)))
	}
	return errors.Join(problems...)
}

// grown says what there is more of than there was.
func (e *endurance) grown() error {
	err := errors.Join(grown("at the end of play", e.start, e.end), grown("after all have left", e.idle, e.after))
	host, clients := e.processes()
	for _, p := range []struct {
		name string
		*enduredProcess
	}{{"host", &host}, {"clients", &clients}} {
		if p.Growth > p.Allowed {
			err = errors.Join(err, fmt.Errorf("the heap of the process of the %s grew by %.0f KiB in the second half of play, which allows %.0f", p.name, p.Growth, p.Allowed))
		}
	}
	return err
}

// processes are the two over time, but for what their points tell.
func (e *endurance) processes() (host, clients enduredProcess) {
	host = enduredProcess{Idle: e.idle.host, Start: e.start.host, Middle: e.middle.host, End: e.end.host, After: e.after.host}
	clients = enduredProcess{Idle: e.idle.clients, Start: e.start.clients, Middle: e.middle.clients, End: e.end.clients, After: e.after.clients}
	host.Allowed, clients.Allowed = e.allowedKiB()
	for _, p := range []*enduredProcess{&host, &clients} {
		p.Growth = rounded(p.End.HeapKiB - p.Middle.HeapKiB)
	}
	return host, clients
}

// grown compares what can be counted.
func grown(when string, before, now bothVitals) error {
	var problems []error
	add := func(more int, what string) {
		if more > 0 {
			problems = append(problems, fmt.Errorf("%s: %d more %s", when, more, what))
		}
	}
	add(now.host.Goroutines-before.host.Goroutines, "goroutines of the host")
	add(now.host.Descriptors-before.host.Descriptors, "descriptors of the host")
	add(now.clients.Goroutines-before.clients.Goroutines, "goroutines of the clients")
	add(now.clients.Descriptors-before.clients.Descriptors, "descriptors of the clients")
	return errors.Join(problems...)
}

func (e *endurance) report(problems error) *endureReport {
	r := &endureReport{Pass: problems == nil, Problems: []string{}, Clients: len(e.clients), RateHZ: e.rate, LossPct: e.link.loss, Points: e.points}
	r.Host, r.ClientProcess = e.processes()
	r.Waited = e.waited()
	if problems != nil {
		r.Problems = strings.Split(problems.Error(), "\n")
	}
	if n := len(e.points); n > 0 {
		r.Seconds, r.MiddleSeconds = e.points[n-1].Seconds, e.points[e.half-1].Seconds
	}
	for _, c := range e.clients {
		r.Reliable.add(&c.reliable.streamReport)
		r.Unreliable.add(&c.unreliable.streamReport)
		r.SentAgain += sentAgain(c.conn.Stats())
	}
	counts := e.relayed.Counts()
	r.Network = networkReport(&counts.Up, &counts.Down)
	r.judge()
	return r
}

// judge draws the lines through the points.
func (r *endureReport) judge() {
	line := func(y func(endurePoint) float64) trend {
		var xs, ys []float64
		for _, p := range r.Points {
			xs, ys = append(xs, p.Seconds/3600), append(ys, y(p))
		}
		return trendOf(xs, ys)
	}
	r.Host.Slope = rounded(line(func(p endurePoint) float64 { return p.HostMiB }).slope)
	r.ClientProcess.Slope = rounded(line(func(p endurePoint) float64 { return p.ClientsMiB }).slope)
	r.P99Drift = rounded(line(func(p endurePoint) float64 { return p.P99 }).driftPercent())
	r.UnreliableDrift = rounded(line(func(p endurePoint) float64 { return p.UnreliableP99 }).driftPercent())
	r.WithinMemoryGate = max(r.Host.Slope, r.ClientProcess.Slope) <= gateMiBPerHour
	r.WithinDriftGate = max(r.P99Drift, r.UnreliableDrift) <= gateDriftPercent
}

func (r *endureReport) text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d clients, %v unreliable and %d reliable messages a second each way and client, %v %% loss each way, %.0f s\n\n",
		r.Clients, r.RateHZ, reliableRate, r.LossPct, r.Seconds)
	fmt.Fprintf(&b, "%8s  %10s %10s %10s %10s  %12s %12s  %14s %12s  %6s\n", "seconds", "host MiB", "heap KiB", "client MiB", "heap KiB",
		"reliable p50", "p99 ms", "unreliable p50", "p99 ms", "waited")
	for _, p := range r.Points {
		fmt.Fprintf(&b, "%8.1f  %10.2f %10.0f %10.2f %10.0f  %12.3f %12.3f  %14.3f %12.3f  %6d\n", p.Seconds, p.HostMiB, p.HostHeap, p.ClientsMiB, p.ClientHeap,
			p.P50, p.P99, p.UnreliableP50, p.UnreliableP99, p.Waited)
	}
	b.WriteString("\n" + r.processes() + "\n" + r.streams() + "\n")
	fmt.Fprintf(&b, "heap     second half: host %+.0f KiB, clients %+.0f KiB; %.0f and %.0f are allowed, since up to %d messages of a client waited\n",
		r.Host.Growth, r.ClientProcess.Growth, r.Host.Allowed, r.ClientProcess.Allowed, r.Waited)
	fmt.Fprintf(&b, "memory   second half: host %+.2f MiB/h, clients %+.2f MiB/h; the gate is %d: %s\n",
		r.Host.Slope, r.ClientProcess.Slope, gateMiBPerHour, gateWord(r.WithinMemoryGate))
	fmt.Fprintf(&b, "p99      second half: reliable %+.1f %%, unreliable %+.1f %%; the gate is %d: %s\n",
		r.P99Drift, r.UnreliableDrift, gateDriftPercent, gateWord(r.WithinDriftGate))
	return b.String() + r.verdict()
}

func gateWord(within bool) string {
	if within {
		return "within"
	}
	return "ABOVE"
}

func (r *endureReport) processes() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%-8s %-24s %10s %12s %12s %12s %10s\n", "process", "", "RSS MiB", "heap KiB", "goroutines", "descriptors", "CPU s")
	for _, p := range []struct {
		name string
		*enduredProcess
	}{{"host", &r.Host}, {"clients", &r.ClientProcess}} {
		for i, v := range []*vitals{&p.Idle, &p.Start, &p.Middle, &p.End, &p.After} {
			when := []string{"before the first client", "first look at play", "middle of play", "last look at play", "after all have left"}[i]
			fmt.Fprintf(&b, "%-8s %-24s %10.2f %12.0f %12d %12d %10.1f\n", p.name, when, v.ResidentMiB, v.HeapKiB, v.Goroutines, v.Descriptors, v.CPUSeconds)
		}
	}
	return b.String()
}

func (r *endureReport) streams() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%-12s %12s %12s %10s %8s\n", "echoes of", "sent", "came", "lost", "twice")
	for i, s := range []*streamReport{&r.Reliable, &r.Unreliable} {
		fmt.Fprintf(&b, "%-12s %12d %12d %10d %8d\n", []string{"reliable", "unreliable"}[i], s.Sent, s.Delivered, s.Sent-s.Delivered, s.Duplicates)
	}
	fmt.Fprintf(&b, "the relay lost %d of %d datagrams; the clients sent %d again\n", r.Network.Lost, r.Network.Datagrams, r.SentAgain)
	return b.String()
}

func (r *endureReport) verdict() string {
	if r.Pass {
		return "ALL PROMISES HELD, and nothing was left over\n"
	}
	return "A PROMISE WAS BROKEN, or something grew:\n  " + strings.Join(r.Problems, "\n  ") + "\n"
}
