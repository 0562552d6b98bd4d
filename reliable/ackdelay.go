package reliable

import "github.com/gannet-net/gannet/framing/packet"

const (
	delayStep    = packet.DelayUnit * 4 // of the estimate of the peer's delay
	visibleDelay = packet.DelayUnit * 4
	firstAcks    = 16 // that are taken at their word, before there is an estimate
)

// delayed takes by how much more than a round trip the ack of a packet with new messages took. It counts as the peer's delay only if the
// peer states one; otherwise the network was late, or the packet's own ack was lost. What the peer states is about the largest packet that it
// names, which may have come after this one.
//
// The first acks of a session count by the longest delay that they state: a peer that acks on its tick is not to be suspected of losses for the
// seconds that an estimate takes.
func (p *pathEstimate) delayed(late, stated int64) {
	if stated < visibleDelay {
		late, stated = 0, 0
	}
	switch {
	case p.delays == 0:
		p.delays, p.delay = 1, stated
	case p.delays < firstAcks:
		p.delays++
		p.delay = max(p.delay, stated)
	case late > p.delay:
		p.delay += min(delayStep*3/4, late-p.delay)
	default:
		p.delay = max(0, p.delay-delayStep/4)
	}
}
