package soak

import (
	"fmt"
	"net/netip"
	"slices"
	"syscall"
	"time"

	"github.com/gannet-net/gannet/sim"
	"github.com/gannet-net/gannet/transport"
)

// begin makes a fault happen, and arranges its end.
func (w *world) begin(f *Fault) {
	k := &kinds[f.Kind]
	w.census.fault(f.Kind, 1)
	w.nw.Note(fmt.Sprint("fault: ", *f))
	if k.bend != nil {
		p := w.players[f.Player]
		p.weather = append(p.weather, f)
		if k.sealed { // what is damaged is not heard
			p.dull(f.For)
		}
		p.setLinks()
	}
	if k.begin != nil {
		k.begin(w, f)
	}
	if f.For > 0 {
		w.active = append(w.active, f)
		w.nw.After(f.For, func() { w.endFault(f) })
	}
}

// endFault ends a fault, unless it is over already.
func (w *world) endFault(f *Fault) {
	if !slices.Contains(w.active, f) {
		return
	}
	w.active = without(w.active, f)
	k := &kinds[f.Kind]
	if k.bend != nil {
		p := w.players[f.Player]
		p.weather = without(p.weather, f)
		p.setLinks()
	}
	if k.end != nil {
		k.end(w, f)
	}
}

func without(all []*Fault, f *Fault) []*Fault {
	return slices.DeleteFunc(all, func(o *Fault) bool { return o == f })
}

// setLinks makes the links of a player what its weather makes of them.
func (p *player) setLinks() {
	c := p.w.plan.links
	if p.w.calm {
		c = sim.Conditions{Delay: c.Delay}
	}
	for _, f := range p.weather {
		kinds[f.Kind].bend(&c, f.Size)
	}
	p.w.nw.SetBoth(p.node, p.w.host.node, c)
}

func percent(n int) sim.Probability { return sim.PerMillion(n * 10_000) }

func bendLoss(c *sim.Conditions, n int)  { c.Loss = percent(n) }
func bendBurst(c *sim.Conditions, n int) { c.Burst = sim.Burst{Average: percent(20), Length: n} }
func bendOutage(c *sim.Conditions, n int) {
	c.Outage = sim.Outage{Average: percent(20), Mean: millis(n)}
}
func bendMask(c *sim.Conditions, n int)    { c.Mask = mix(uint64(n), 1) & mix(uint64(n), 2) }
func bendDelay(c *sim.Conditions, n int)   { c.Delay += millis(n) }
func bendJitter(c *sim.Conditions, n int)  { c.Delay, c.Jitter = c.Delay+millis(n), c.Jitter+millis(n) }
func bendCorrupt(c *sim.Conditions, n int) { c.Corrupt, c.CorruptBits = percent(n), 1+n%5 }
func bendTruncate(c *sim.Conditions, n int) {
	c.Truncate = percent(n)
}
func bendExtend(c *sim.Conditions, n int) { c.Extend = percent(n) }
func bendCap(c *sim.Conditions, n int)    { c.Rate, c.Queue = int64(n)*1000, 20_000 }
func bendBloat(c *sim.Conditions, n int)  { c.Rate, c.Queue = int64(n)*1000, n*1000/8*2 } // two seconds
func bendPolice(c *sim.Conditions, n int) { c.Rate, c.Police = int64(n)*1000, 10_000 }

func bendDuplicate(c *sim.Conditions, n int) {
	c.Duplicate, c.DuplicateDelay = percent(20), millis(n)
}

func bendReorder(c *sim.Conditions, n int) { c.Reorder, c.ReorderDelay = percent(10), millis(n) }

// cut blocks a direction; several may do so at once.
func (p *player) cut(way, by int) {
	p.cuts[way] += by
	ends := [2]*sim.Node{p.node, p.w.host.node}
	from, to := ends[way], ends[1-way]
	if p.cuts[way] > 0 && !p.w.calm {
		p.w.nw.Cut(from, to)
	} else {
		p.w.nw.Heal(from, to)
	}
}

func (p *player) cutBoth(by int) { p.cut(toHost, by); p.cut(toPlayer, by) }

func beginCutBoth(w *world, f *Fault) { w.players[f.Player].cutBoth(1) }
func endCutBoth(w *world, f *Fault)   { w.players[f.Player].cutBoth(-1) }
func beginCutUp(w *world, f *Fault)   { w.players[f.Player].cut(toHost, 1) }
func endCutUp(w *world, f *Fault)     { w.players[f.Player].cut(toHost, -1) }
func beginCutDown(w *world, f *Fault) { w.players[f.Player].cut(toPlayer, 1) }
func endCutDown(w *world, f *Fault)   { w.players[f.Player].cut(toPlayer, -1) }

// beginSwizzle stops the links one by one, and lets them go on in another order.
func beginSwizzle(w *world, f *Fault) {
	n := len(w.players)
	for i, p := range w.players {
		again := time.Duration((i*7+f.Size)%n) * f.For / time.Duration(2*n)
		w.nw.After(time.Duration(i)*f.For/time.Duration(2*n), func() { p.cutBoth(1) })
		w.nw.After(f.For/2+again, func() { p.cutBoth(-1) })
	}
}

func rebindPort(w *world, f *Fault) {
	p := w.players[f.Player]
	p.mapped = false
	p.box.Rebind()
}

func rebindAddress(w *world, f *Fault) {
	p := w.players[f.Player]
	p.mapped = false
	p.box.SetOutside(p.nextAddr())
}

// roam gives a player another address. Behind a box that changes what nobody outside sees.
func roam(w *world, f *Fault) {
	p := w.players[f.Player]
	if p.box == nil {
		p.node.SetAddrs(p.nextAddr())
	} else {
		rebindAddress(w, f)
	}
}

// swapAddresses gives two players the addresses of each other.
func swapAddresses(w *world, f *Fault) {
	a, b := w.players[f.Player], w.players[f.Size%len(w.players)]
	if a == b || b.plan.protocol != a.plan.protocol || a.box != nil || b.box != nil {
		roam(w, f)
		return
	}
	w.census.count("addresses swapped")
	of := [2]netip.Addr{a.node.Addr(), b.node.Addr()}
	a.node.SetAddrs(a.nextAddr())
	b.node.SetAddrs(of[0])
	a.node.SetAddrs(of[1])
}

func beginFreeze(w *world, f *Fault) {
	m := w.machine(f.Player)
	m.taint(f.For)
	m.node.Freeze(f.For)
}

func endFreeze(w *world, f *Fault) {
	if w.calm { // early
		w.machine(f.Player).node.Freeze(0)
	}
}

func beginSlow(w *world, f *Fault) { w.machine(f.Player).slow = int64(millis(f.Size)) }
func endSlow(w *world, f *Fault)   { w.machine(f.Player).slow = 0 }
func beginDeaf(w *world, f *Fault) { w.machine(f.Player).deaf++ }
func endDeaf(w *world, f *Fault)   { w.machine(f.Player).deaf-- }

func jumpForward(w *world, f *Fault) { w.machine(f.Player).jump(millis(f.Size)) }
func jumpBack(w *world, f *Fault)    { w.machine(f.Player).jump(-millis(f.Size)) }

// jump sets the clock of the machine.
func (m *machine) jump(d time.Duration) {
	m.taint(max(d, -d))
	m.stands(max(0, -d))
	m.node.JumpClock(d)
	m.node.Wake()
}

// stands notes that the clock of the machine was moved, and shows nothing new for d more: one that was set back stands for the program until it shows more than ever.
func (m *machine) stands(d time.Duration) { m.moved = max(m.moved, m.w.nw.Now()) + int64(d) }

// beginClockStop lets the clock stand. The sweep runs the programs of the machine meanwhile.
func beginClockStop(w *world, f *Fault) {
	m := w.machine(f.Player)
	m.taint(f.For)
	m.stands(f.For)
	m.stopped++
	m.node.SetDrift(-1_000_000)
}

func endClockStop(w *world, f *Fault) {
	m := w.machine(f.Player)
	if m.stopped--; m.stopped == 0 {
		m.node.SetDrift(0)
	}
}

func driftClock(w *world, f *Fault) {
	if m := w.machine(f.Player); m.stopped == 0 {
		m.node.SetDrift(int64(f.Size - 500))
	}
}

func setWall(w *world, f *Fault) {
	m := w.machine(f.Player)
	m.taint(0)
	m.wall += int64(f.Size)
}

// beginSleep closes the lid. What the wall clock shows afterwards may be hours more.
func beginSleep(w *world, f *Fault) {
	m := w.machine(f.Player)
	m.taint(f.For)
	m.wall += int64(f.Size)
	m.stands(f.For) // which it does not count, as Linux does not: what was on its way takes less time
	m.node.Suspend(f.For)
}

func endSleep(w *world, f *Fault) {
	if w.calm { // early
		w.machine(f.Player).node.Suspend(0)
	}
}

func failWrites(err error) func(*world, *Fault) {
	return func(w *world, f *Fault) {
		if m := w.machine(f.Player); m.sock != nil {
			m.taint(0)
			m.sock.FailWrites(f.Size, err)
		}
	}
}

func failReads(err error) func(*world, *Fault) {
	return func(w *world, f *Fault) {
		if m := w.machine(f.Player); m.sock != nil {
			m.dull(0)
			m.sock.FailReads(f.Size, err)
		}
	}
}

func failListens(w *world, f *Fault) { w.machine(f.Player).node.FailListens(f.Size, errInUse) }

func beginSmallBuffer(w *world, f *Fault) {
	if m := w.machine(f.Player); m.sock != nil {
		m.dull(f.For)
		m.sock.SetReadBuffer(f.Size * 1500)
	}
}

func endSmallBuffer(w *world, f *Fault) {
	if m := w.machine(f.Player); m.sock != nil {
		m.sock.SetReadBuffer(sim.DefaultReadBuffer)
	}
}

func closeSocket(w *world, f *Fault) {
	if p := w.players[f.Player]; p.conn != nil {
		p.taint(0)
		p.sock.broken = true
		_ = p.sock.Close()
	}
}

// leaves is what an application does to end a session.
func (e *end) leaves(how transport.Cause, act func()) {
	if e == nil || !e.up || e.over || e.left != 0 || e.conn.Err() != nil {
		return
	}
	e.left = how
	act()
	e.on.node.Wake()
}

// close ends a session gracefully.
func (e *end) close() {
	e.closing = true
	e.w.census.count("connected to closing")
	_ = e.conn.Close()
}

func leave(w *world, f *Fault) {
	if e := w.players[f.Player].end; e != nil {
		e.leaves(transport.ClosedLocally, e.close)
	}
}

func abort(w *world, f *Fault) {
	if e := w.players[f.Player].end; e != nil {
		e.leaves(transport.ClosedLocally, e.conn.Abort)
	}
}

// hostEnd is the end of a player's session at the host, nil if there is none.
func (w *world) hostEnd(player int) *end {
	if e := w.players[player].end; e != nil && e.peer != nil {
		return e.peer
	}
	return nil
}

func kickText(code uint16) string { return fmt.Sprint("text ", code) }

func kick(w *world, f *Fault) {
	e := w.hostEnd(f.Player)
	e.leaves(transport.Kicked, func() {
		e.code = uint16(f.Size)
		e.conn.Kick(e.code, kickText(e.code))
	})
}

func hostCloses(w *world, f *Fault) {
	e := w.hostEnd(f.Player)
	e.leaves(transport.ClosedLocally, e.close)
}

func beginCrash(w *world, f *Fault) {
	p := w.players[f.Player]
	p.taint(f.For)
	p.node.Kill()
	p.running = false
	if p.conn != nil {
		if t, ok := p.conn.Ticket(); ok {
			p.ticket = &t
		}
		w.census.drops(p.conn.HostStats().Drops)
		p.conn = nil
		p.end.die()
	}
	p.rejoinAt = 0
}

func endCrash(w *world, f *Fault) {
	p := w.players[f.Player]
	p.node.Restart()
	p.start()
}

func beginHostCrash(w *world, f *Fault) {
	h := w.host
	h.taint(f.For)
	if !h.running {
		return
	}
	w.census.drops(h.host.Stats().Drops)
	h.running = false
	h.node.Kill()
	for _, e := range h.order {
		e.die()
	}
	h.order = nil
}

func endHostCrash(w *world, f *Fault) {
	if !w.host.running {
		w.host.node.Restart()
		w.host.start()
	}
}

func closeHost(w *world, f *Fault) {
	h := w.host
	if !h.running {
		return
	}
	h.taint(w.plan.linger + time.Second)
	for _, e := range h.order {
		if e.up && e.left == 0 && e.conn.Err() == nil {
			e.left = transport.ClosedLocally
		}
	}
	_ = h.host.Close()
	h.node.Wake()
}

var errInUse = syscall.EADDRINUSE
