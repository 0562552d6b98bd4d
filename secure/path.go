package secure

import (
	"math"
	"net/netip"
	"time"

	"github.com/gannet-net/gannet/framing/handshake"
)

const (
	challengeEvery = int64(250 * time.Millisecond)
	challengesEach = 3 // after the last packet of a candidate
	amplification  = 3
	challengeSize  = handshake.SealedOverhead + 1 + 8 // of a datagram with a PathChallenge
)

// PathEvent is what became of the address to which packets go.
type PathEvent uint8

const (
	// PathStays: nothing changed.
	PathStays PathEvent = iota
	// PathFollowed: packets go to another port of the same IP address, as far as the budget goes.
	PathFollowed
	// PathBack: packets go to the proved address alone, as the peer was heard from there again, or from yet another IP address.
	PathBack
	// PathProved: another port of the same IP address is proved. It is the same path.
	PathProved
	// PathMoved: another IP address is proved. Estimates of the path have to start anew.
	PathMoved
)

// Paths is what a host knows of the addresses of one session: the one that is proved, where packets go, and at most one candidate, where the peer
// may be now (PROTOCOL.md 23). It draws nothing, sends nothing and allocates nothing: the shell tells it of every packet that opened, and asks it
// where the next datagram goes and whether a challenge is due. now is in nanoseconds of a monotonic clock. The zero value is not ready: use NewPaths.
type Paths struct {
	proved, candidate netip.AddrPort // candidate is the zero AddrPort if there is none

	budget       int64 // bytes that may still go to the candidate
	challengedAt int64 // when the last challenge left, to whichever address
	random       [8]byte
	asked        uint8 // challenges that the candidate got, up to 255
	left         uint8 // that it may still get before it is heard again
}

// NewPaths makes the paths of a session whose peer has proved its address in the handshake.
func NewPaths(proved netip.AddrPort) Paths {
	return Paths{proved: plain(proved), challengedAt: math.MinInt64 / 2}
}

// plain gives an IPv4 address in IPv6 form as what it is.
func plain(a netip.AddrPort) netip.AddrPort { return netip.AddrPortFrom(a.Addr().Unmap(), a.Port()) }

// Proved is the address at which the peer has shown to be last.
func (p *Paths) Proved() netip.AddrPort { return p.proved }

// Received takes note that a datagram of so many bytes came from an address and opened. newest tells whether its packet number is the highest
// so far: whether Session.Highest grew. What did not open proves nothing and must not be told.
func (p *Paths) Received(from netip.AddrPort, size int, newest bool) PathEvent {
	from = plain(from)
	switch {
	case from == p.candidate:
		p.budget += amplification * int64(size)
		if newest {
			p.left = challengesEach
		}
	case !newest: // it was sent before the peer moved, or comes again
	case from == p.proved:
		return p.drop()
	default:
		return p.consider(from, size)
	}
	return PathStays
}

// consider makes an address the candidate.
func (p *Paths) consider(from netip.AddrPort, size int) PathEvent {
	followed := p.follows()
	p.candidate, p.budget, p.asked, p.left = from, amplification*int64(size), 0, challengesEach
	switch {
	case p.follows():
		return PathFollowed
	case followed:
		return PathBack
	}
	return PathStays
}

// drop ends the check: the peer is where it was.
func (p *Paths) drop() PathEvent {
	followed := p.follows()
	p.candidate, p.left = netip.AddrPort{}, 0
	if followed {
		return PathBack
	}
	return PathStays
}

// follows reports whether packets go to the candidate before it is proved: if only the port is another.
func (p *Paths) follows() bool { return p.candidate.IsValid() && p.candidate.Addr() == p.proved.Addr() }

// Target is where the next datagram of so many bytes goes, and counts it as sent there. It leaves enough of the budget for the next challenge,
// or a host that has much to say would never come to ask.
func (p *Paths) Target(size int) netip.AddrPort {
	reserved := int64(0)
	if p.left > 0 {
		reserved = challengeSize
	}
	if p.follows() && p.budget-reserved >= int64(size) {
		p.budget -= int64(size)
		return p.candidate
	}
	return p.proved
}

// Poll gives the challenge that is due, if one is, and the address where it goes, alone in its packet. random are 8 bytes that nobody can guess,
// new for each call; they are used for a candidate that was not asked yet. Ask for them only once NextDeadline has come.
func (p *Paths) Poll(now int64, random [8]byte) (challenge [8]byte, to netip.AddrPort, ok bool) {
	if now < p.NextDeadline() {
		return challenge, to, false
	}
	if p.asked == 0 {
		p.random = random
	}
	p.budget -= challengeSize
	p.asked = min(p.asked, math.MaxUint8-1) + 1
	p.left--
	p.challengedAt = now
	return p.random, p.candidate, true
}

// NextDeadline is when a challenge is due: a time in the past if one is, math.MaxInt64 if none will be before more comes in.
func (p *Paths) NextDeadline() int64 {
	if p.left == 0 || p.budget < challengeSize {
		return never
	}
	return p.challengedAt + challengeEvery
}

// Responded takes the random of a PathResponse and the address from which it came, after Received took its datagram. At PathMoved rtt is the
// round trip of the check, 0 if it cannot be told which challenge was answered.
func (p *Paths) Responded(now int64, from netip.AddrPort, random [8]byte) (event PathEvent, rtt time.Duration) {
	if p.asked == 0 || !p.candidate.IsValid() || plain(from) != p.candidate || random != p.random {
		return PathStays, 0
	}
	event = PathMoved
	if p.follows() {
		event = PathProved
	}
	if p.asked == 1 {
		rtt = time.Duration(now - p.challengedAt)
	}
	p.proved, p.candidate, p.left = p.candidate, netip.AddrPort{}, 0
	return event, rtt
}
