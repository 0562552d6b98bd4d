package reliable

import (
	"time"

	"github.com/gannet-net/gannet/framing"
)

// Stats are the counters and estimates of one endpoint. Counters never go back.
type Stats struct {
	RTTMin, RTTSmoothed, RTTVariance time.Duration // 0 before the first sample; variance is the mean deviation
	Deadline                         time.Duration // after which a message without an ack is sent again
	MissedPerMille                   int           // share of first copies that were not acked by then, lately
	AckLossPerMille                  int           // share of our acks that seem to be lost, lately

	DatagramsSent, DatagramsReceived uint64
	BytesSent, BytesReceived         uint64 // UDP payload, both directions
	PayloadSent, PayloadReceived     uint64 // message bytes, each message once

	MessagesQueued   uint64 // accepted by Send
	MessagesSent     uint64 // first transmissions
	MessagesAcked    uint64
	MessagesExpired  uint64
	MessagesReceived uint64 // read by the application

	Repairs          uint64 // first copies of rounds of repairs
	RepairCopies     uint64 // further copies
	EarlyDuplicates  uint64 // second copies of urgent messages
	Probes           uint64 // copies sent during outages
	SpuriousRepairs  uint64 // repairs that are known to have been needless: an ack came that only an earlier copy can have caused
	Outages          uint64
	Piggybacked      uint64 // copies that packets with newer messages carried
	PacketsLost      uint64 // packets of which no ack came
	SpuriousLosses   uint64 // of those, packets that were acked after all
	XorsSent         uint64 // frames with the parity of messages
	XorsUseless      uint64 // that came and rebuilt nothing
	MessagesRebuilt  uint64 // that did not come, but that an Xor told
	ParitiesSent     uint64 // parities of messages in fragments
	FragmentsRebuilt uint64 // that did not come, but that parities told
	ParitiesUseless  uint64 // that came when nothing was missing
	Stale            uint64 // sequenced messages that came after a newer one
	SetsExpired      uint64 // lossy messages that never became complete

	DuplicatesReceived uint64
	OutOfOrder         uint64 // reliable messages that came before one that they have to wait for

	QueueMessages, QueueBytes   int           // not settled yet
	QueueAge                    time.Duration // of the oldest message among them
	InFlight                    int           // reliable messages sent and not acked
	UnreadMessages, UnreadBytes int           // waiting for the application

	Drops framing.Drops
}

// counters are those of Stats that are not estimates. They are apart because most of what Stats has is known without being kept.
type counters struct {
	DatagramsSent, DatagramsReceived uint64
	BytesSent, BytesReceived         uint64
	PayloadSent, PayloadReceived     uint64

	MessagesQueued   uint64
	MessagesSent     uint64
	MessagesAcked    uint64
	MessagesExpired  uint64
	MessagesReceived uint64

	Repairs         uint64
	RepairCopies    uint64
	EarlyDuplicates uint64
	Probes          uint64
	SpuriousRepairs uint64
	Outages         uint64
	Piggybacked     uint64
	PacketsLost     uint64
	SpuriousLosses  uint64
	XorsSent        uint64
	XorsUseless     uint64
	MessagesRebuilt uint64
	Stale           uint64
	SetsExpired     uint64

	DuplicatesReceived uint64
	OutOfOrder         uint64
}

// Stats returns the counters and estimates as they are now.
func (e *Endpoint) Stats() Stats {
	c := &e.count
	s := Stats{
		DatagramsSent:      c.DatagramsSent,
		DatagramsReceived:  c.DatagramsReceived,
		BytesSent:          c.BytesSent,
		BytesReceived:      c.BytesReceived,
		PayloadSent:        c.PayloadSent,
		PayloadReceived:    c.PayloadReceived,
		MessagesQueued:     c.MessagesQueued,
		MessagesSent:       c.MessagesSent,
		MessagesAcked:      c.MessagesAcked,
		MessagesExpired:    c.MessagesExpired,
		MessagesReceived:   c.MessagesReceived,
		Repairs:            c.Repairs,
		RepairCopies:       c.RepairCopies,
		EarlyDuplicates:    c.EarlyDuplicates,
		Probes:             c.Probes,
		SpuriousRepairs:    c.SpuriousRepairs,
		Outages:            c.Outages,
		Piggybacked:        c.Piggybacked,
		PacketsLost:        c.PacketsLost,
		SpuriousLosses:     c.SpuriousLosses,
		XorsSent:           c.XorsSent,
		XorsUseless:        c.XorsUseless,
		MessagesRebuilt:    c.MessagesRebuilt,
		Stale:              c.Stale,
		SetsExpired:        c.SetsExpired,
		DuplicatesReceived: c.DuplicatesReceived,
		OutOfOrder:         c.OutOfOrder,
	}
	if e.packets != nil && e.packets.rebuilder != nil {
		b := e.packets.rebuilder
		s.ParitiesSent, s.FragmentsRebuilt, s.ParitiesUseless = b.sent, b.rebuilt, b.useless
	}
	if e.drops != nil {
		s.Drops = *e.drops
	}
	if e.rtt.sampled {
		s.RTTMin, s.RTTSmoothed, s.RTTVariance = time.Duration(e.rtt.min), time.Duration(e.rtt.smoothed), time.Duration(e.rtt.variance)
	}
	s.Deadline = time.Duration(e.rtt.timeout())
	s.MissedPerMille = int(e.repair.missed * 1000 / missScale)
	s.AckLossPerMille = int(e.reverse.share * 1000 / lossScale)
	lossy, reliable := e.queue.held[0], e.queue.held[1]
	s.QueueMessages, s.QueueBytes = lossy.messages+reliable.messages, lossy.bytes+reliable.bytes
	s.QueueAge = time.Duration(e.queue.age(e.now))
	s.InFlight = e.queue.inFlight
	s.UnreadMessages, s.UnreadBytes = e.unread.messages(), e.unread.bytes
	return s
}

// Mark parts what was sent from what will be: it begins a cohort of packets. It is of the packet wire.
func (e *Endpoint) Mark() { e.cohort, e.lostSince, e.lostBefore = e.cohort+1, 0, 0 }

// Losses is how many datagrams were sent in all, and how many packets were found to be lost since the last Mark: of those sent since, and of the cohort before. It is of the packet wire.
func (e *Endpoint) Losses() (sent, since, before uint64) {
	return e.count.DatagramsSent, uint64(e.lostSince), uint64(e.lostBefore)
}

// countLost counts a packet that is lost.
func (e *Endpoint) countLost(cohort uint16) {
	e.count.PacketsLost++
	switch cohort {
	case e.cohort:
		e.lostSince++
	case e.cohort - 1:
		e.lostBefore++
	}
}

// FateKnown is how long it takes as a rule, in nanoseconds, until it is known what became of a packet: its ack may wait, and get lost.
func (e *Endpoint) FateKnown() int64 { return 2 * (e.rtt.timeout() + ackLazily) }

// countDrop counts what ended in a drop. Most endpoints never drop anything, so there is no room for that before.
func (e *Endpoint) countDrop(d framing.Drop) {
	if e.drops == nil {
		e.drops = new(framing.Drops)
	}
	e.drops.Count(d)
}
