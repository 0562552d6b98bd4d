package dumbbell

import (
	"fmt"
	"slices"
	"time"

	"github.com/gannet-net/gannet/sim"
)

// run is a plan that is carried out.
type run struct {
	Plan
	nw         *sim.Network
	bottleneck *sim.Bottleneck

	flows   []flow // with bulk
	apart   flow   // the game on its own connection
	cubic   *cubicSource
	cubicAt [2]*sim.Node
	waits   []int64 // at the bottleneck, one a millisecond
	passed  []int64 // bytes that came to all receivers, likewise
}

type flow struct {
	from, to         *sim.Node
	sender, receiver *end
	third            int64 // bytes that came after a third of the run
}

// Do carries out a plan, and once more without bulk to know what the game would be without it.
func (p Plan) Do() (Report, error) {
	r := p.start()
	r.nw.RunUntilDone(int64(p.For), r.done)
	if err := r.nw.Audit(); err != nil {
		return Report{}, err
	}
	quiet := p
	quiet.Bytes, quiet.Cubic, quiet.Trips = 0, false, p.Trips[:min(1, len(p.Trips))]
	q := quiet.start()
	q.nw.RunUntil(int64(p.For))
	return r.report(q), nil
}

func (p Plan) start() *run {
	r := &run{Plan: p, nw: sim.New(p.Seed)}
	if p.Police > 0 {
		r.bottleneck = r.nw.Policer(p.Rate, p.Police)
	} else {
		r.bottleneck = r.nw.Bottleneck(p.Rate, p.Queue)
	}
	for i, trip := range p.Trips {
		f := r.link(fmt.Sprint("sender ", i), fmt.Sprint("receiver ", i), trip)
		f.sender, f.receiver = r.connect(f.from, f.to, trip)
		f.sender.bulk, f.sender.left = make([]byte, chunk), p.Bytes
		r.flows = append(r.flows, f)
	}
	if len(r.flows) > 0 {
		r.play(r.flows[0].sender, r.flows[0].receiver)
	}
	r.apart = r.link("player", "server", p.Trip)
	r.apart.sender, r.apart.receiver = r.connect(r.apart.from, r.apart.to, p.Trip)
	r.play(r.apart.sender, r.apart.receiver)
	if p.Cubic {
		f := r.link("stranger", "stranger's", p.Trip)
		r.cubicAt = [2]*sim.Node{f.from, f.to}
		r.cubic = startCubic(f.from, f.to)
		if p.CubicFor > 0 {
			r.nw.At(int64(p.CubicFor), func() { r.cubic.stopped = true })
		}
	}
	if p.Longer > 0 {
		r.nw.At(int64(p.For)/3, func() {
			for i, f := range r.flows {
				c := r.nw.Link(f.to, f.from)
				c.Delay = (p.Trips[i] + p.Longer) - p.Trips[i]/2
				r.nw.SetLink(f.to, f.from, c)
			}
		})
	}
	if p.Step > 0 {
		r.nw.At(int64(p.For)/3, func() { r.bottleneck.Set(p.Step, p.Queue) })
		r.nw.At(int64(p.For)*2/3, func() { r.bottleneck.Set(p.Rate, p.Queue) })
	}
	r.nw.At(int64(p.For)/3, func() {
		for i := range r.flows {
			r.flows[i].third = r.arrived(r.flows[i])
		}
	})
	r.watch()
	return r
}

// link makes two nodes with the bottleneck between them, one way.
func (r *run) link(from, to string, trip time.Duration) flow {
	f := flow{from: r.nw.Node(from), to: r.nw.Node(to)}
	c := sim.Conditions{Delay: trip / 2, Loss: r.Loss, Jitter: r.Jitter}
	if r.Late > 0 {
		c.Delay, c.Jitter, c.KeepOrder = c.Delay+r.Late/2, r.Late/2, true
	}
	r.nw.SetLink(f.to, f.from, c)
	c.Through = r.bottleneck
	r.nw.SetLink(f.from, f.to, c)
	return f
}

// done reports whether every flow has delivered its bytes.
func (r *run) done() bool {
	return r.Bytes > 0 && len(r.flows) > 0 && !slices.ContainsFunc(r.flows, func(f flow) bool { return f.receiver.got < r.Bytes })
}

// watch looks at the bottleneck each millisecond.
func (r *run) watch() {
	r.waits = append(r.waits, int64(r.bottleneck.Wait()))
	passed := int64(0)
	for _, f := range r.flows {
		passed += r.arrived(f)
	}
	r.passed = append(r.passed, passed)
	r.nw.After(time.Millisecond, r.watch)
}

// arrived is how many bytes came through on the way of a flow, headers included.
func (r *run) arrived(f flow) int64 {
	c := r.nw.LinkCounts(f.from, f.to)
	return int64(c.DeliveredBytes + 28*c.Delivered)
}
