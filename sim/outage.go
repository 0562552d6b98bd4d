package sim

import (
	"math/bits"
	"math/rand/v2"
	"strconv"
)

// outages is the history of a link's good and bad periods. It depends on the seed and on the times at which the
// conditions changed, never on the traffic or on who asks.
type outages struct {
	eras   []era   // one for each change of Conditions.Outage
	line   periods // where the traffic is
	asking periods // where OutageEnd was asked last; its own cursor, so that asking does not move the line
	asked  int     // era that asking walks
}

// era is a time of constant parameters.
type era struct {
	start int64
	Outage
	seed [32]byte
}

// periods walks the good and bad periods of one era, forward only.
type periods struct {
	rand       *rand.ChaCha8
	bad        bool
	start, end int64 // of the present period
	means      [2]int64
}

// begin starts an era.
func (o *outages) begin(e era) {
	o.eras = append(o.eras, e)
	o.line = e.periods()
}

// covers reports whether t is within a bad period. t never goes back.
func (o *outages) covers(t int64) bool { return o.line.rand != nil && o.line.at(t) }

// endOf gives the end of the bad period that covers t, or t if none does. t may go forth and back.
func (o *outages) endOf(t int64) int64 {
	i := o.eraOf(t)
	if i < 0 {
		return t
	}
	if o.asking.rand == nil || o.asked != i || t < o.asking.start {
		o.asking, o.asked = o.eras[i].periods(), i
	}
	if o.asking.rand == nil || !o.asking.at(t) {
		return t
	}
	if i+1 < len(o.eras) {
		return min(o.asking.end, o.eras[i+1].start)
	}
	return o.asking.end
}

func (o *outages) eraOf(t int64) int {
	i := len(o.eras) - 1
	for i >= 0 && o.eras[i].start > t {
		i--
	}
	return i
}

// periods starts at the beginning of the era, in the state in which a random moment would find it. What is left of an
// exponential period is as long as a whole one.
func (e era) periods() periods {
	if e.Average == 0 {
		return periods{}
	}
	p := periods{rand: rand.NewChaCha8(e.seed), start: e.start, means: [2]int64{e.goodMean(), int64(e.Mean)}}
	p.bad = e.Average.hits(p.rand.Uint64())
	p.end = e.start + p.length()
	return p
}

// goodMean is the mean of the good periods that makes the bad ones cover Average of the time.
func (e era) goodMean() int64 {
	const longest = 1 << 56 // two years, so that sums stay in range
	hi, lo := bits.Mul64(uint64(e.Mean), uint64(Always-e.Average))
	if hi >= uint64(e.Average) {
		return longest
	}
	mean, _ := bits.Div64(hi, lo, uint64(e.Average))
	return int64(min(mean, longest))
}

// at walks to the period that holds t and reports whether it is a bad one.
func (p *periods) at(t int64) bool {
	for t >= p.end {
		p.bad = !p.bad
		p.start, p.end = p.end, p.end+p.length()
	}
	return p.bad
}

func (p *periods) length() int64 {
	if p.bad {
		return exponential(p.rand, p.means[1])
	}
	return exponential(p.rand, p.means[0])
}

// OutageEnd tells when the bad period of [Conditions.Outage] ends that covers t in the direction from one node to
// another; t itself if none does. It answers for any t, past or to come, as long as the conditions are not changed
// before t, and asking changes nothing: the least latency that any sender can reach for what it has to say at t is
// OutageEnd(t) - t + Delay.
func (nw *Network) OutageEnd(from, to *Node, t int64) int64 {
	return nw.link(from, to).outages.endOf(t)
}

// outageEra is an era of the link. Its seed holds the start, so that a link that was not used before goes through
// the same periods as one that was.
func (l *link) outageEra(start int64, want Outage) era {
	return era{start, want, l.nw.Seed("sim.link", l.from.name, l.to.name, "outage", strconv.FormatInt(start, 10))}
}
