package soak

import (
	"slices"
	"time"
)

// starve lets readers stop until the window of their peer is full, and loses what is said when they read again, for the first of it tells the peer that there is room.
// Both faults are drawn anyway, but hardly ever one after the other in a session that has lasted for so long, so nothing else befalls the two meanwhile.
func (p *Plan) starve(d dice) {
	for at := d.duration(10*time.Second, time.Minute); at+time.Minute < p.Span; at += d.duration(time.Minute, 2*time.Minute) {
		who := d.below(len(p.players))
		stop := Fault{Kind: kindOf("consumer stopped"), At: at, For: d.duration(18*time.Second, 25*time.Second), Player: oneOf(d, who, theHost)}
		loss := Fault{Kind: kindOf("loss"), At: at + stop.For - millis(50), For: millis(300), Player: who, Size: 50}
		p.spare(who, at-5*time.Second, loss.At+15*time.Second)
		p.Faults = append(p.Faults, stop, loss)
	}
	sortFaults(p.Faults)
}

// stray lets players move at the moment in which the clock of the host goes forward by an hour, before they have heard of the epoch that it begins with that. Both are
// drawn anyway, but the moment is as short as the way to the player.
func (p *Plan) stray(d dice) {
	p.timeout = max(p.timeout, 10*time.Second) // as a session that times out sooner has no time to be found astray
	for at := d.duration(10*time.Second, 30*time.Second); at+30*time.Second < p.Span; at += d.duration(20*time.Second, 40*time.Second) {
		who := d.below(len(p.players))
		move := Fault{Kind: oneOf(d, kindOf("roam"), kindOf("NAT port rebind")), At: at + d.duration(0, p.links.Delay), Player: who}
		if !kinds[move.Kind].fits(&p.players[who], p.sealed(who)) {
			continue
		}
		hour := kindOf("clock forward an hour")
		p.spare(who, at-3*time.Second, at+12*time.Second)
		p.Faults = append(p.Faults, Fault{Kind: hour, At: at, Player: theHost, Size: kinds[hour].low}, move)
	}
	sortFaults(p.Faults)
}

// spare leaves out what befalls a player or the host between two times.
func (p *Plan) spare(who int, from, to time.Duration) {
	p.Faults = slices.DeleteFunc(p.Faults, func(f Fault) bool {
		befalls := f.Player == who || f.Player == theHost && kinds[f.Kind].lane != laneStrangers
		return befalls && f.At < to && f.At+f.For > from
	})
}

// kindOf finds the kind of a name, which there must be.
func kindOf(name string) Kind {
	return Kind(slices.IndexFunc(kinds, func(k kindInfo) bool { return k.name == name }))
}
