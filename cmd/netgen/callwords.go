package main

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gannet-net/gannet/msgs/layout"
	"github.com/gannet-net/gannet/transport"
)

var callWordsOf = vocabulary{
	"from": "any", "delivery": "ordered", "channel": "0", "states": "playing", "ttl": "200ms", "urgent": "", "rate": "10/s", "burst": "3", "reply": "", "deadline": "500ms",
	"missing": "discard", "wait": "2s", "phase": "afterFixed", "large": "",
}

// readCall reads the words of an rpc:call, and those of the interface for all of its calls.
func (s *scanner) readCall(m *method, w, defaults wordSet) {
	l, c := &m.layout, &m.call
	l.Name, l.At, l.Instance = m.of.name+"."+m.name, m.of.at, m.of.instance
	l.Reply = w.has("reply") || len(m.results.fields) > 0
	s.readFrom(m, w)
	l.Deliveries = s.deliveries(w)
	l.Channel = uint8(w.number("channel", 0, layout.MaxCallChannel, 0))
	l.States = s.stateSet(w)
	c.ttl, c.urgent, c.large = w.duration("ttl"), w.has("urgent"), w.has("large")
	if lossy := func(d transport.Delivery) bool { return !d.Reliable() }; c.large && !slices.ContainsFunc(l.Deliveries, lossy) {
		s.errorf(w.at("large"), "large is for calls that can be lost: leave it out, %s ones travel at any size", l.Deliveries[0])
	}
	s.readRate(m, w)
	s.readDeadline(m, w)
	own := w.has("missing") && w.text("missing") != "queue" // then the wait of the others is not for it
	for _, key := range []string{"missing", "wait", "phase"} {
		if !w.has(key) && defaults.has(key) && !(own && key == "wait") {
			w.words[key] = defaults.words[key]
		}
	}
	s.readMissing(m, w)
	c.phase = []string{"Now", "AfterFixed", "BeforeRender"}[w.choice("phase", 0, "now", "afterFixed", "beforeRender")]
}

func (s *scanner) readFrom(m *method, w wordSet) {
	switch {
	case m.of.at == layout.Client && w.has("from"):
		s.errorf(w.at("from"), "from is for calls of the server: leave it out, only the server calls %s.%s", m.of.name, m.name)
	case m.of.at == layout.Host && !w.has("from"):
		s.errorf(w.pos, "%s.%s does not say who may call it: write from=any, or from=owner for the owner of the object", m.of.name, m.name)
	}
	m.layout.Owner = w.choice("from", 0, "any", "owner") == 1
	if m.layout.Owner && !m.of.instance {
		s.errorf(w.at("from"), "from=owner is for calls with an object: write from=any, or target=instance in %s", m.of.name)
		m.layout.Owner = false
	}
}

func (s *scanner) deliveries(w wordSet) []transport.Delivery {
	if !w.has("delivery") {
		return []transport.Delivery{transport.ReliableOrdered}
	}
	var list []transport.Delivery
	for _, name := range w.list("delivery") {
		i := slices.IndexFunc(deliveries, func(d transport.Delivery) bool { return d.String() == name })
		switch {
		case i < 0:
			var names []string
			for _, d := range deliveries {
				names = append(names, d.String())
			}
			s.errorf(w.at("delivery"), "delivery=%s is not possible: %s", name, didYouMean(name, names))
		case slices.Contains(list, deliveries[i]):
			s.errorf(w.at("delivery"), "delivery %s stands twice: keep one", name)
		default:
			list = append(list, deliveries[i])
		}
	}
	if len(list) == 0 {
		list = append(list, transport.ReliableOrdered)
	}
	return list
}

// maxRate is how many calls a second can be allowed at most.
const maxRate = 1_000_000

// readRate reads how often a client may call.
func (s *scanner) readRate(m *method, w wordSet) {
	switch {
	case !w.has("rate") && w.has("burst"):
		s.errorf(w.at("burst"), "burst is for calls with a rate: write rate=10/s as well, or leave it out")
		return
	case !w.has("rate"):
		return
	case m.of.at == layout.Client:
		s.errorf(w.at("rate"), "rate is for calls of the server: leave it out, nobody limits the server")
		return
	}
	count, unit, ok := strings.Cut(w.text("rate"), "/")
	n, err := strconv.Atoi(count)
	per, known := map[string]time.Duration{"s": time.Second, "m": time.Minute}[unit]
	switch {
	case !ok && isNumber(w.text("rate")):
		s.errorf(w.at("rate"), "rate=%s needs a unit: write rate=%s/s", w.text("rate"), w.text("rate"))
	case err != nil || !known || n < 1 || n > maxRate:
		s.errorf(w.at("rate"), "%s is not possible: write rate=10/s or rate=30/m, with 1 to %d", w.words["rate"], maxRate)
	default:
		m.call.rate, m.call.per = n, per
		m.call.burst = int(w.number("burst", 1, maxRate, 1))
	}
}

const maxDeadline = time.Minute

func (s *scanner) readDeadline(m *method, w wordSet) {
	if w.has("reply") && len(m.results.fields) > 0 {
		s.errorf(w.at("reply"), "%s.%s has results, so it is answered anyway: leave reply out", m.of.name, m.name)
	}
	if w.has("reply") && !m.hasError {
		s.errorf(w.at("reply"), "%s.%s is answered, and each request can fail: write error as its result", m.of.name, m.name)
	}
	switch d := w.duration("deadline"); {
	case w.has("deadline") && !m.layout.Reply:
		s.errorf(w.at("deadline"), "deadline is for calls that are answered: leave it out, or write reply")
	case d > maxDeadline:
		s.errorf(w.at("deadline"), "deadline=%v is too long: at most 60s", d)
	case m.layout.Reply && d == 0:
		m.call.deadline = 5 * time.Second
	default:
		m.call.deadline = d
	}
}

func (s *scanner) readMissing(m *method, w wordSet) {
	i := w.choice("missing", 0, "discard", "error", "queue")
	m.call.missing = []string{"Discard", "Report", "Queue"}[i]
	m.call.wait = w.duration("wait")
	switch {
	case !m.of.instance && (w.has("missing") || w.has("wait")):
		s.errorf(w.at("missing"), "missing and wait are for calls with an object: leave them out, or write target=instance in %s", m.of.name)
	case i != 2 && w.has("wait"):
		s.errorf(w.at("wait"), "wait is for missing=queue: leave it out, or write missing=queue")
	case i == 2 && m.call.wait == 0:
		m.call.wait = 2 * time.Second
	}
}
