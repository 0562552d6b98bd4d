package soak

import (
	"bytes"
	"net/netip"
	"slices"
	"time"

	"github.com/gannet-net/gannet/framing"
	"github.com/gannet-net/gannet/framing/handshake"
	"github.com/gannet-net/gannet/sim"
)

// strangers are whoever hears all that is sent, keeps some of it, and sends in anybody's name.
type strangers struct {
	w         *world
	node      *sim.Node
	recording bool
	tape      []taped
	victims   []victim
	old       []taped // handshakes of long ago
	hijacked  *player // whose datagrams are forwarded from elsewhere
}

// instant is the link of a stranger who is faster than everybody.
var instant = sim.Conditions{}

func (w *world) strangersLink() sim.Conditions { return sim.Conditions{Delay: w.plan.links.Delay} }

// taped is a datagram that was on the wire.
type taped struct {
	payload  []byte
	from, to netip.AddrPort
}

// victim is an address in whose name strangers spoke, and what the host made of it.
type victim struct {
	at            netip.AddrPort
	asked, gotten int   // bytes, the latter as long as it has not proved to be there
	accepted      int64 // when the host made or had a session for it
	confirmed     int64 // when something came that makes this session one like any other
}

const maxTape = 300

func newStrangers(w *world) strangers {
	return strangers{w: w, node: w.nw.Node("stranger", netip.MustParseAddr("10.251.0.1"))}
}

func (s *strangers) record(ev *sim.Event) {
	if len(s.tape) < maxTape {
		s.tape = append(s.tape, taped{bytes.Clone(ev.Payload), ev.Source, ev.Destination})
	}
}

// maxOld is how many datagrams of handshakes are kept.
const maxOld = 40

// keep keeps what is of a handshake, to be sent again when it is old.
func (s *strangers) keep(ev *sim.Event) {
	if len(s.old) < maxOld {
		s.old = append(s.old, taped{bytes.Clone(ev.Payload), ev.Source, ev.Destination})
	}
}

// forward sends what a player sends to the host from another address, at once.
func (s *strangers) forward(ev *sim.Event) {
	d, from := bytes.Clone(ev.Payload), forwardedAs(s.hijacked)
	s.w.nw.At(ev.Time, func() { s.node.Forge(d, from, s.w.hostAddr()) })
}

// forwarded has the addresses from which the datagrams of players are forwarded.
var forwarded = netip.MustParsePrefix("10.251.2.0/24")

// forwardedAs is that of one player.
func forwardedAs(p *player) netip.AddrPort {
	return netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 251, 2, byte(p.index)}), 5)
}

// copied reports whether what a stranger sent is as a player or the host sent it. Its receiver hears it if it comes first, and then nothing in the original.
func (s *strangers) copied(ev *sim.Event) bool {
	return forwarded.Contains(ev.Source.Addr()) || slices.ContainsFunc(s.tape, func(t taped) bool { return bytes.Equal(t.payload, ev.Payload) })
}

// victim finds the books of an address that is no player's, and begins them.
func (s *strangers) victim(at netip.AddrPort) *victim {
	for i := range s.victims {
		if s.victims[i].at == at {
			return &s.victims[i]
		}
	}
	s.victims = append(s.victims, victim{at: at})
	return &s.victims[len(s.victims)-1]
}

// unconfirmedFor is how long a host keeps a session of the base protocol whose peer it has not heard (PROTOCOL.md 3.3).
const unconfirmedFor = 5 * time.Second

// asked notes what came to the host in the name of an address.
func (s *strangers) asked(at netip.AddrPort, d []byte) {
	v := s.victim(at)
	v.asked += len(d)
	if s.w.mayStand(v.accepted, unconfirmedFor) && ofSession(d) && framing.Kind(d[0]) != framing.KindAck { // nobody guesses what an Ack has to name
		v.confirmed = s.w.nw.Now()
	}
}

// answered holds that an address which has not proved to be there gets no more than three times what came from it. In the base protocol anything that a peer says proves it,
// and nonsense may be that.
func (s *strangers) answered(to netip.AddrPort, d []byte) {
	v := s.victim(to)
	if s.w.mayStand(v.confirmed, s.w.plan.timeout) {
		return
	}
	if framing.Kind(d[0]) == framing.KindAccept {
		v.accepted = s.w.nw.Now()
	}
	v.gotten += len(d)
	if v.gotten > max(64, 3*v.asked) {
		s.w.fail(NoAmplifier, "%v sent %d bytes and got %d", to, v.asked, v.gotten)
	}
}

// mayStand reports whether a session of which the host heard last at a time, 0 for never, may not have ended by its time-out.
func (w *world) mayStand(last int64, timeout time.Duration) bool {
	const late = 2 * time.Second // a host that runs late gives its peers more
	return last > 0 && w.nw.Now() < max(last+int64(timeout+late), w.host.tainted)
}

// nobodys are the addresses in whose name strangers speak.
var nobodys = netip.MustParsePrefix("10.251.0.0/16")

// someone is an address of nobody.
func (s *strangers) someone() netip.AddrPort {
	return netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 251, 1, byte(s.w.dice.below(16))}), uint16(1000+s.w.dice.below(4)))
}

func beginTape(w *world, _ *Fault) {
	w.strangers.recording, w.strangers.tape = true, w.strangers.tape[:0]
}

// replayTape sends all that was recorded three times over, in any order, to whom it was sent.
func replayTape(w *world, _ *Fault) {
	s := &w.strangers
	s.recording = false
	for i := range s.old {
		s.node.Forge(s.old[i].payload, s.old[i].from, s.old[i].to)
	}
	for range 3 * len(s.tape) {
		t := &s.tape[w.dice.below(len(s.tape))]
		if w.sealedTape(t) {
			s.node.Forge(t.payload, t.from, t.to)
		}
	}
}

// reflectTape sends back to everybody what they sent.
func reflectTape(w *world, _ *Fault) {
	s := &w.strangers
	s.recording = false
	for i := range s.tape {
		if t := &s.tape[i]; w.sealedTape(t) {
			s.node.Forge(t.payload, t.to, t.from)
		}
	}
}

// sealedTape reports whether a datagram is of the secure protocol. The base protocol promises nothing against who speaks in the name of a peer.
func (w *world) sealedTape(t *taped) bool {
	return len(t.payload) > 0 && handshake.Name(framing.Kind(t.payload[0])) != ""
}

// forge sends nonsense: to the host in the name of players of the secure protocol and of nobody, to these players in the name of the host.
func forge(w *world, f *Fault) {
	for range f.Size {
		p := w.players[w.dice.below(len(w.players))]
		d := w.strangers.nonsense()
		from, known := w.outside(p)
		switch {
		case w.dice.oneIn(3) || p.plan.protocol != 0 || !known:
			w.strangers.node.Forge(d, w.strangers.someone(), w.hostAddr())
		case w.dice.oneIn(2):
			w.strangers.node.Forge(d, from, w.hostAddr())
		default:
			w.strangers.node.Forge(d, w.hostAddr(), from)
		}
	}
}

// outside is the address at which others see the program of a player.
func (w *world) outside(p *player) (netip.AddrPort, bool) {
	if p.conn == nil {
		return netip.AddrPort{}, false
	}
	at := p.node.AddrPort(p.sock.LocalAddr().Port())
	if p.box != nil {
		return p.box.Outside(at)
	}
	return at, true
}

// nonsense is a datagram of any size and kind, sometimes with the right beginning of something.
func (s *strangers) nonsense() []byte {
	d := s.w.dice
	b := make([]byte, oneOf(d, 0, 1, 2, 5, 14, 21, 34, 40, 105, 512, 1200, 1201, 1400))
	d.source.Read(b)
	if len(b) > 0 && !d.oneIn(4) {
		b[0] = byte(d.below(20))
	}
	if len(s.tape) > 0 && d.oneIn(3) { // or one bit of what was recorded
		b = bytes.Clone(s.tape[d.below(len(s.tape))].payload)
		b[d.below(len(b))] ^= 1 << d.below(8)
	}
	return b
}
