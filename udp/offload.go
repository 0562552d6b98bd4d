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
	// OffloadRefused: the system returned an error for what was joined. That was sent again, one at a time.
	OffloadRefused
	// OffloadEvidence: of what was joined much more was lost, or damaged, than of what was not.
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

// followOffload makes room for runs in an inbox, and lets there be some when it brings bulk. In the background another goroutine may read at any time but
// when its own inbox is handled.
func (e *engine) followOffload(in *inbox) {
	if e.offload.receive == OffloadReady && in.bulk && (in != &e.in || !e.background()) {
		e.joinReads()
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

// Joined datagrams that are lost where single ones arrive are noticed by acks. They name packets, but it takes no list of the packets in runs to
// compare: when a connection loses a quarter of what it sends or more, it is put on trial. For a while its datagrams leave alone, and if less than a
// quarter of that share is lost then, and so in three trials one after another, the socket joins nothing any more: one alone may be that a buffer overflows which runs fill
// faster. Else the network is to blame, and the next trial is put off.
const (
	windowDatagrams   = 1024
	suspiciousLosses  = 16
	suspiciousShare   = 4 // one of so many
	trials            = 3
	trialDatagrams    = 64
	guiltyFactor      = 4
	firstTrialAfter   = 64 // datagrams
	longestTrialAfter = 1 << 16
)

// fate counts what a connection has sent, and what of it was lost.
type fate struct{ sent, lost uint64 }

// runTrial is what is known of the runs of one connection.
type runTrial struct {
	alone   bool   // datagrams leave one at a time
	settled int64  // when what is lost was sent alone
	mark    fate   // where the count began
	joined  fate   // in the window that led to the trial
	guilty  int    // trials in a row after which the runs were to blame
	after   uint64 // so many datagrams is the next possible
}

// judgeRuns looks at how the datagrams of c fare.
func (e *engine) judgeRuns(c *Conn) {
	if c.plain || e.offload.send != OffloadActive {
		return
	}
	r := &c.session.trial
	var now fate
	now.sent, now.lost = c.ep.Losses()
	n := fate{now.sent - r.mark.sent, now.lost - r.mark.lost}
	after := max(r.after, firstTrialAfter)
	switch {
	case r.alone && e.now < r.settled:
		r.mark = now
	case r.alone && n.sent >= trialDatagrams:
		r.alone, r.mark = false, now
		if guiltyFactor*n.lost*r.joined.sent >= r.joined.lost*n.sent {
			r.guilty, r.after = 0, min(4*after, longestTrialAfter)
		} else if r.guilty++; r.guilty == trials {
			e.offload.send = OffloadEvidence
		}
	case r.alone:
	case n.sent >= after && n.lost >= suspiciousLosses && n.lost*suspiciousShare >= n.sent:
		r.alone, r.joined, r.mark = true, n, now
		r.settled = e.now + 2*int64(c.ep.Stats().Deadline)
	case n.sent >= max(windowDatagrams, after):
		r.mark, r.guilty = now, 0
	}
}

// opens counts what was joined when it was read, and what of all that could not be opened.
type opens struct{ joined, single fate }

const opensWindow = 64

// opened takes note of one datagram. Where of the joined ones a quarter or more is damaged, and of the others less than a quarter of that share, joining is over.
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
		e.sock.(RunSocket).JoinReads(false)
	}
	*o = opens{}
}
