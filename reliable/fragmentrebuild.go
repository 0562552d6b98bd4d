package reliable

import (
	"slices"

	"github.com/gannet-net/gannet/framing"
	"github.com/gannet-net/gannet/framing/packet"
	"github.com/gannet-net/gannet/internal/erasure"
)

// rebuilder keeps the parities that came of messages that are not complete (PROTOCOL.md 11). It exists once a Parity was sent or came, or a lossy
// message in fragments was complete.
type rebuilder struct {
	sets []shardSet // of reliable messages, at most mostSharded; those of lossy ones are in their fragmentSet

	ended    [endedSets]uint16 // ids of lossy messages that were complete, so that what comes of them later begins no new set
	endedAt  int
	anyEnded int // how many of them are set

	sent, rebuilt, useless uint64 // Stats.ParitiesSent, FragmentsRebuilt, ParitiesUseless
}

const endedSets = 16

// shardSet is the parities of one reliable message.
type shardSet struct {
	stream packet.Stream
	first  int32 // sequence of the first fragment
	count  int32 // of fragments
	size   int   // of each but the last
	last   int   // of that
	n      int   // parities that came
	index  [packet.MaxParities]int
	bytes  [packet.MaxParities][]byte
}

func (p *packetWire) rebuilds() *rebuilder {
	if p.rebuilder == nil {
		p.rebuilder = new(rebuilder)
	}
	return p.rebuilder
}

// takeParity takes a parity of a message in fragments.
func (e *Endpoint) takeParity(now int64, f *packet.Parity) {
	switch {
	case e.state != StateConnected:
	case f.Lossy:
		e.takeLossyParity(now, f)
	default:
		e.takeReliableParity(now, f)
	}
}

// weighParity judges a parity before its packet has an effect.
func (e *Endpoint) weighParity(f *packet.Parity) framing.Drop {
	if f.Lossy || e.state != StateConnected {
		return framing.Accepted
	}
	s, next, span, missing := e.knownStream(f.Stream), e.cfg.FirstReceive, int64(Window), int(f.Count)
	if s != nil {
		next, span = s.window.next, int64(s.span)
	}
	first := wide(f.Seq, next)
	if s != nil {
		missing = e.missing(s, first, int32(f.Count))
	}
	switch {
	case missing == 0:
		return framing.Accepted
	case seqAfter(first+int32(f.Count), next) > span:
		return framing.DropWindow
	case e.packets.credit.held+e.packets.credit.heldSequenced+missing*len(f.Bytes) > 2*sessionWindow:
		return framing.DropWindowBytes
	}
	if b := e.packets.rebuilder; b != nil && b.find(f.Stream, first) == nil {
		e.dropStaleShards()
		if len(b.sets) >= mostSharded {
			return framing.DropWindow
		}
	}
	return framing.Accepted
}

// missing is how many of the fragments from first on did not come.
func (e *Endpoint) missing(s *receiveStream, first, count int32) (n int) {
	for seq := first; seq != first+count; seq++ {
		if seqAfter(seq, s.window.next) >= 0 && !s.window.holds(seq) {
			n++
		}
	}
	return n
}

func (b *rebuilder) find(stream packet.Stream, first int32) *shardSet {
	for i := range b.sets {
		if s := &b.sets[i]; s.stream == stream && s.first == first {
			return s
		}
	}
	return nil
}

func (e *Endpoint) takeReliableParity(now int64, f *packet.Parity) {
	s := e.receiveStream(f.Stream)
	first := wide(f.Seq, s.window.next)
	if e.missing(s, first, int32(f.Count)) == 0 || s.mode == ReliableSequenced && seqAfter(first, s.window.next) < 0 {
		e.packets.rebuilds().useless++
		return
	}
	b := e.packets.rebuilds()
	set := b.find(f.Stream, first)
	if set == nil {
		b.sets = append(b.sets, shardSet{stream: f.Stream, first: first, count: int32(f.Count), size: len(f.Bytes), last: int(f.Last)})
		set = &b.sets[len(b.sets)-1]
	}
	switch {
	case set.count != int32(f.Count) || set.size != len(f.Bytes) || set.last != int(f.Last):
		e.end(now, ProtocolError, "")
		return
	case slices.Contains(set.index[:set.n], int(f.Index)):
		e.packets.rebuilds().useless++
		return
	}
	set.index[set.n], set.bytes[set.n] = int(f.Index), e.pool.copyOf(f.Bytes)
	set.n++
	e.rebuild(now, s)
}

// rebuild rebuilds what is missing of messages of a stream of which enough parities came, and forgets those of complete ones.
func (e *Endpoint) rebuild(now int64, s *receiveStream) {
	b := e.packets.rebuilder
	for i := 0; i < len(b.sets); i++ {
		set := &b.sets[i]
		if set.stream != s.name {
			continue
		}
		missing := e.missing(s, set.first, set.count)
		stale := seqAfter(set.first, s.window.next) < 0
		switch {
		case missing == 0 || stale && s.mode == ReliableSequenced:
		case stale:
			e.end(now, ProtocolError, "") // a part of the message was delivered
			return
		case missing > set.n:
			continue
		case !e.restore(now, s, set, missing):
			e.end(now, ProtocolError, "")
			return
		}
		if e.state == StateClosed { // and all sets are dropped
			return
		}
		e.dropShards(i)
		i--
	}
}

// restore makes the missing fragments of a message from parities, and takes them. It reports false if parities and fragments do not fit.
func (e *Endpoint) restore(now int64, s *receiveStream, set *shardSet, n int) bool {
	var missing [packet.MaxParities]int
	lost := missing[:0]
	for j := range int(set.count) {
		r := s.window.find(set.first + int32(j))
		if r == nil {
			lost = append(lost, j)
			continue
		}
		if len(r.payload) != set.partSize(j) || r.first != (j == 0) || r.last != (j == int(set.count)-1) {
			return false
		}
		for i := range n {
			erasure.Add(set.bytes[i], set.index[i], r.payload, j)
		}
	}
	erasure.Solve(set.bytes[:n], set.index[:n], lost)
	parts := *set // taking a fragment may end the session, and all sets with it
	for i, j := range lost {
		size := parts.partSize(j)
		for _, b := range parts.bytes[i][size:] {
			if b != 0 {
				return false
			}
		}
		f := packet.Reliable{
			Stream: s.name, Seq: uint16(parts.first + int32(j)), First: j == 0, Last: j == int(parts.count)-1, Payload: parts.bytes[i][:size],
		}
		e.packets.rebuilder.rebuilt++
		if e.arrive(now, s, parts.first+int32(j), &f, true); e.state == StateClosed {
			return true
		}
	}
	return true
}

// partSize is how many bytes a fragment has.
func (s *shardSet) partSize(j int) int {
	if j == int(s.count)-1 {
		return s.last
	}
	return s.size
}

// dropStaleShards forgets the parities of messages that need none any more.
func (e *Endpoint) dropStaleShards() {
	b := e.packets.rebuilder
	for i := len(b.sets) - 1; i >= 0; i-- {
		if s := e.knownStream(b.sets[i].stream); e.missing(s, b.sets[i].first, b.sets[i].count) == 0 || seqAfter(b.sets[i].first, s.window.next) < 0 {
			e.dropShards(i)
		}
	}
}

func (e *Endpoint) dropShards(i int) {
	b := e.packets.rebuilder
	for _, bytes := range b.sets[i].bytes[:b.sets[i].n] {
		e.pool.put(bytes)
	}
	b.sets = slices.Delete(b.sets, i, i+1)
}

// takeLossyParity keeps a parity with the fragments of its message.
func (e *Endpoint) takeLossyParity(now int64, f *packet.Parity) {
	mode := Unreliable
	if f.Sequenced {
		mode = Sequenced
	}
	e.packets.rebuilds()
	set := e.lossySet(now, fragmentSet{
		id: f.Message, count: uint16(f.Count), mode: mode, channel: f.Channel, seq: f.Seq, at: now, size: len(f.Bytes), last: int(f.Last),
	})
	if set == nil || !set.fitsParity(f, mode) {
		e.packets.rebuilds().useless++
		return
	}
	set.at = now
	set.parts = append(set.parts, part{uint16(f.Count) + uint16(f.Index), e.pool.copyOf(f.Bytes)})
	if len(set.parts) == int(set.count) {
		e.offerLossy(e.join(set), &packet.Unreliable{Channel: f.Channel, Sequenced: f.Sequenced, Seq: f.Seq})
	}
}

// fitsParity reports whether a parity is one of the set that did not come yet, and notes the sizes that it tells.
func (s *fragmentSet) fitsParity(f *packet.Parity, mode Mode) bool {
	if s.count != uint16(f.Count) || s.channel != f.Channel || s.mode != mode || s.seq != f.Seq {
		return false
	}
	if s.size > 0 && s.size != len(f.Bytes) || s.last > 0 && s.last != int(f.Last) {
		return false
	}
	for _, p := range s.parts {
		switch {
		case p.index == s.count+uint16(f.Index):
			return false
		case p.index < s.count-1 && len(p.payload) != len(f.Bytes), p.index == s.count-1 && len(p.payload) != int(f.Last):
			return false
		}
	}
	s.size, s.last = len(f.Bytes), int(f.Last)
	return true
}

// mend turns parities of a lossy message into the fragments that are missing. There are as many of both together as it has fragments.
func (e *Endpoint) mend(set *fragmentSet) {
	slices.SortFunc(set.parts, func(a, b part) int { return int(a.index) - int(b.index) })
	data := 0
	for data < len(set.parts) && set.parts[data].index < set.count {
		data++
	}
	shards := set.parts[data:]
	if len(shards) == 0 {
		return
	}
	var indexes, missing [packet.MaxParities]int
	var bytes [packet.MaxParities][]byte
	lost := missing[:0]
	for j := range set.count {
		if set.seen[j/64]>>(j%64)&1 == 0 {
			lost = append(lost, int(j))
		}
	}
	for i, s := range shards {
		indexes[i], bytes[i] = int(s.index-set.count), s.payload
		for _, p := range set.parts[:data] {
			erasure.Add(s.payload, indexes[i], p.payload, int(p.index))
		}
	}
	erasure.Solve(bytes[:len(shards)], indexes[:len(shards)], lost)
	for i, j := range lost {
		shards[i].index = uint16(j)
		if j == int(set.count)-1 {
			shards[i].payload = shards[i].payload[:set.last]
		}
		set.bytes += len(shards[i].payload)
		e.packets.rebuilder.rebuilt++
	}
}

// end notes that a lossy message was complete.
func (b *rebuilder) end(id uint16) {
	b.ended[b.endedAt] = id
	b.endedAt = (b.endedAt + 1) % endedSets
	b.anyEnded = min(b.anyEnded+1, endedSets)
}

// hasEnded reports whether a lossy message was complete, lately.
func (b *rebuilder) hasEnded(id uint16) bool {
	return b != nil && slices.Contains(b.ended[:b.anyEnded], id)
}
