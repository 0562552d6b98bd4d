package udp

import (
	"errors"
	"syscall"

	"github.com/gannet-net/gannet/framing"
)

// OffloadMode says whether a host or a client lets the system join datagrams: those that leave one after another for one peer and are of one size, and those that
// come from one. The system cuts and joins them for a twentieth of what single ones cost, which serves bulk. It is of Linux alone, and needs the secure protocol.
type OffloadMode uint8

const (
	// OffloadAuto joins where the system can, unless its kernel is known to damage what it joins, and until there is evidence that it does.
	OffloadAuto OffloadMode = iota
	// OffloadOn joins where the system can, and joins what it reads from the first read on.
	OffloadOn
	// OffloadOff joins nothing.
	OffloadOff
)

// String gives the name of m.
func (m OffloadMode) String() string {
	switch m {
	case OffloadAuto:
		return "auto"
	case OffloadOn:
		return "on"
	case OffloadOff:
		return "off"
	}
	return "unknown"
}

// Offload is whether datagrams are joined now, and if not, why.
type Offload uint8

const (
	// OffloadUnavailable: the socket cannot do it, or the protocol is Base.
	OffloadUnavailable Offload = iota
	// OffloadReady: what is read will be joined when much comes at once. What is sent is joined from the start.
	OffloadReady
	// OffloadActive: what can be joined is.
	OffloadActive
	// OffloadConfigured off by Config.Offload.
	OffloadConfigured
	// OffloadKernel: this version of the kernel is known to damage what it joins.
	OffloadKernel
	// OffloadRefused: the system returned an error for what was joined, which ends joining for good. That was sent again, one at a time.
	OffloadRefused
	// OffloadEvidence: of what was joined much more was lost, or damaged, than of what was not, for every peer. It is tried again after a minute, and after each
	// verdict that follows twice as long a pause, up to an hour.
	OffloadEvidence
)

// String says it in words.
func (o Offload) String() string {
	switch o {
	case OffloadUnavailable:
		return "unavailable"
	case OffloadReady:
		return "ready"
	case OffloadActive:
		return "active"
	case OffloadConfigured:
		return "off by Config.Offload"
	case OffloadKernel:
		return "off: this kernel damages joined datagrams"
	case OffloadRefused:
		return "off: the system refused joined datagrams"
	case OffloadEvidence:
		return "off: joined datagrams were lost or damaged"
	}
	return "unknown"
}

// What one run has at most: the system's limits.
const (
	maxRun      = 64
	maxRunBytes = 65507
)

// offload is what an engine knows of joining.
type offload struct {
	send, receive Offload
	joined        bool // the datagram that is handled came in a run
	opens         opens
	reading       verdict
	doubted       int64 // until then new connections begin in doubt
}

// chooseOffload settles what is possible from the start. The base protocol has no acks by which a fault would be noticed.
func (e *engine) chooseOffload() {
	sock, able := e.sock.(RunSocket)
	state := OffloadReady
	switch {
	case !able || e.cfg.Protocol == Base || !sock.CanJoin():
		return
	case e.cfg.Offload == OffloadOff:
		state = OffloadConfigured
	case e.cfg.Offload == OffloadAuto && damagesRuns():
		state = OffloadKernel
	}
	e.offload.send, e.offload.receive = state, state
	if state != OffloadReady {
		return
	}
	e.offload.send = OffloadActive
	if e.cfg.Offload == OffloadOn {
		e.joinReads()
	}
}

// joinReads lets the system join what is read.
func (e *engine) joinReads() {
	e.offload.receive = OffloadRefused
	if e.sock.(RunSocket).JoinReads(true) {
		e.offload.receive = OffloadActive
	}
}

// followOffload makes room for runs in an inbox, and lets there be some when it brings bulk, or again when a verdict is over. In the background another goroutine may read at any time but
// when its own inbox is handled.
func (e *engine) followOffload(in *inbox) {
	if in != &e.in || !e.background() {
		again := e.offload.receive == OffloadEvidence && e.offload.reading.lapses(e.now)
		if again || e.offload.receive == OffloadReady && in.bulk {
			e.joinReads()
		}
	}
	switch {
	case e.offload.receive != OffloadActive: // those that have come may be runs still
	case e.dialled():
		in.runs = clientRuns
	default:
		in.runs = hostRuns
	}
}

// runRefused reports whether an error of the system is about joining: the network card, or the path, cannot.
func runRefused(err error) bool { return errors.Is(err, syscall.EIO) || errors.Is(err, syscall.EINVAL) }

// sending is what Stats tell: whether something is joined, and to how many peers nothing is because of the evidence.
func (e *engine) sending() (state Offload, alone int) {
	if e.offload.send != OffloadActive || e.counters.sendVerdicts == 0 {
		return e.offload.send, 0
	}
	peers := 0
	for c := range e.order.all() {
		if c.plain || !c.stands() {
			continue
		}
		if peers++; c.session.trial.verdict.stands {
			alone++
		}
	}
	if alone > 0 && alone == peers {
		return OffloadEvidence, alone
	}
	return OffloadActive, alone
}

// opens counts what was joined when it was read, and what of all that could not be opened.
type opens struct{ joined, single fate }

const opensWindow = 64

// opened takes note of one datagram. Where of the joined ones a quarter or more is damaged, and of the others less than a quarter of that share, joining is over for a while. Whoever knows
// the id of a session can bring that about for all, with datagrams in runs that cannot be opened: they are read then for what they cost elsewhere, and verdicts are few.
func (e *engine) opened(drop framing.Drop) {
	if e.offload.receive != OffloadActive {
		return
	}
	o := &e.offload.opens
	f := &o.single
	if e.offload.joined {
		f = &o.joined
	}
	f.sent++
	if drop == framing.DropAuth {
		f.lost++
	}
	if o.joined.sent < opensWindow {
		return
	}
	if 4*o.joined.lost >= o.joined.sent && guiltyFactor*o.single.lost*o.joined.sent <= o.joined.lost*o.single.sent {
		e.offload.receive = OffloadEvidence
		e.offload.reading.pass(e.now)
		e.counters.receiveVerdicts++
		e.sock.(RunSocket).JoinReads(false)
	}
	*o = opens{}
}
