package system

import "time"

// ringPings is how many pings are remembered: at one a second, those of about the timeout.
const ringPings = 32

// Quality says how good a connection is, by the pings of this side.
type Quality struct {
	RTT      time.Duration // of the newest answer, frames of both sides included; 0 before the first
	Smoothed time.Duration // an eighth of each new RTT
	Jitter   time.Duration // mean difference of neighbours, smoothed likewise

	Sent, Answered uint64 // pings
	Lost           int    // percent, of those of the last half minute that should have been answered
}

// pings sends pings at even times, several of them in flight, and measures by their answers.
type pings struct {
	due      int64 // when the next one leaves
	answered int64 // when the last answer came; at first, when the session began
	flight   [ringPings]flight
	quality  Quality
}

// flight is a ping that was sent.
type flight struct {
	sent         int64
	used, landed bool
}

func newPings(now int64) pings { return pings{due: now, answered: now} }

// isDue reports whether a ping is to be sent now, and then counts it as sent.
func (p *pings) isDue(now int64, every time.Duration) bool {
	p.due, p.answered = min(p.due, now+int64(every)), min(p.answered, now) // where the clock has jumped back
	if now < p.due {
		return false
	}
	p.due = max(p.due+int64(every), now) // what a stall held up is not sent in a burst
	if p.due == now {
		p.due += int64(every)
	}
	p.flight[p.quality.Sent%ringPings] = flight{sent: now, used: true}
	p.quality.Sent++
	return true
}

// answer takes an answer with the time that a ping was sent at. It reports false if there is no such ping in flight.
func (p *pings) answer(now, sent int64) bool {
	for i := range p.flight {
		if f := &p.flight[i]; f.used && !f.landed && f.sent == sent {
			f.landed = true
			p.answered = now
			p.measure(time.Duration(now - sent))
			return true
		}
	}
	return false
}

func (p *pings) measure(rtt time.Duration) {
	q := &p.quality
	q.Answered++
	if q.Answered == 1 {
		q.RTT, q.Smoothed = rtt, rtt
		return
	}
	q.Jitter += ((rtt - q.RTT).Abs() - q.Jitter) / 8
	q.Smoothed += (rtt - q.Smoothed) / 8
	q.RTT = rtt
}

// at is the quality as it is now.
func (p *pings) at(now int64, every time.Duration) Quality {
	q := p.quality
	late := 2*int64(every) + 4*int64(q.Smoothed)
	old, lost := 0, 0
	for _, f := range p.flight {
		if f.used && (f.landed || now-f.sent > late) {
			old++
			if !f.landed {
				lost++
			}
		}
	}
	if old > 0 {
		q.Lost = 100 * lost / old
	}
	return q
}
