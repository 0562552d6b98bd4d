package udp

import (
	"errors"
	"syscall"
	"time"

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

// A verdict of the evidence is tried again: a buffer that overflowed looks like a network that damages runs, and to join nothing makes bulk cost three to ten times as much. A minute
// outlasts what ails a buffer, as a rule. What really damages runs is the kernel, or the card, and will do so tomorrow: each pause is twice as long as the one before, up to an hour. After an
// hour without one the next verdict is a first one again, so there are never more than six within an hour.
const (
	firstPause   = int64(time.Minute)
	longestPause = int64(time.Hour)
)

// verdict is that nothing is joined for a while. It has no timer: whoever would join next finds that it is over.
type verdict struct {
	stands bool
	until  int64
	pause  int64 // how long it is for, 0 before the first one
}

func (v *verdict) pass(now int64) {
	if v.pause == 0 || now-v.until >= longestPause {
		v.pause = firstPause
	} else {
		v.pause = min(2*v.pause, longestPause)
	}
	v.stands, v.until = true, now+v.pause
}

// lapses reports whether v ends now.
func (v *verdict) lapses(now int64) bool {
	if !v.stands || now < v.until {
		return false
	}
	v.stands = false
	return true
}

// Joined datagrams that are lost where single ones arrive are noticed by acks. They name packets, but it takes no list of the packets in runs to
// compare: when a connection loses a quarter of what it sends or more, it is put on trial. For a while its datagrams leave alone, and if less than a
// quarter of that share is lost then, and so in three trials one after another, its runs are given up: one alone may be that a buffer overflows which runs fill
// faster. Else the network is to blame, and the next trial is put off.
//
// After a pause runs are in doubt: few datagrams leave in them, and what follows leaves alone until it is known what became of these. So whatever damages runs for ever has three times 65
// datagrams of bulk in each pause.
//
// Acks are the peer's word, and decide about its own runs alone. What one that lies, or many, can do to others: connections that begin within an hour after a verdict begin in doubt, and one trial is
// enough for them, or each would lose three windows where the kernel is to blame. That costs a newcomer a few round trips without runs, or a minute if its first runs get lost and what follows does not.
const (
	windowDatagrams   = 1024
	suspiciousLosses  = 16
	suspiciousShare   = 4 // one of so many
	trials            = 3
	trialDatagrams    = 64
	guiltyFactor      = 4
	firstTrialAfter   = 64 // datagrams
	longestTrialAfter = 1 << 16
	probeDatagrams    = 64 // in runs, in doubt
)

// fate is how many datagrams were sent, and how many of these were lost.
type fate struct{ sent, lost uint64 }

func (f fate) isSuspicious() bool {
	return f.lost >= suspiciousLosses && f.lost*suspiciousShare >= f.sent
}

// runTrial is what is known of the runs of one connection.
type runTrial struct {
	verdict verdict
	doubt   bool   // few datagrams may leave in runs
	inRuns  uint64 // that did, in this window
	alone   bool   // datagrams leave one at a time, since the mark
	mark    uint64 // datagrams sent before the count began, which is the mark of the endpoint
	enough  uint64 // have left since the mark, 0 if not yet,
	known   int64  // and when it will be known what became of them
	joined  fate   // in the window that led to the trial
	guilty  int    // trials in a row after which the runs were to blame
	after   uint64 // so many datagrams is the next possible
}

// newTrial is that of a new connection of a host.
func (e *engine) newTrial() runTrial {
	if e.now < e.offload.doubted {
		return runTrial{doubt: true, guilty: trials - 1}
	}
	return runTrial{}
}

// joins reports whether the next datagram may leave in a run.
func (r *runTrial) joins() bool { return !r.alone && !r.verdict.stands }

// leftInRuns takes note of datagrams that leave in runs. In doubt there is a limit.
func (c *Conn) leftInRuns(n uint64) {
	r := &c.session.trial
	if r.inRuns += n; n > 0 && r.doubt && r.inRuns >= probeDatagrams {
		c.beginTrial()
	}
}

// beginTrial lets what follows leave alone.
func (c *Conn) beginTrial() {
	r := &c.session.trial
	r.joined, _ = c.sinceMark()
	r.alone, r.enough = true, 0
	c.mark()
}

func (c *Conn) mark() {
	c.session.trial.mark, _, _ = c.ep.Losses()
	c.ep.Mark()
}

// sinceMark counts what was sent since the mark, and what of the window before it was found to be lost since.
func (c *Conn) sinceMark() (n fate, late uint64) {
	sent, since, between := c.ep.Losses()
	return fate{sent - c.session.trial.mark, since}, between
}

// judgeRuns looks at how the datagrams of c fare.
func (e *engine) judgeRuns(c *Conn) {
	if c.plain || e.offload.send != OffloadActive {
		return
	}
	r := &c.session.trial
	if r.verdict.stands {
		if r.verdict.lapses(e.now) {
			*r = runTrial{verdict: r.verdict, doubt: true}
			c.mark()
		}
		return
	}
	n, late := c.sinceMark()
	if r.enough == 0 && n.sent >= r.wanted() {
		r.enough, r.known = n.sent, e.now+c.ep.FateKnown()
	}
	known := r.enough > 0 && e.now >= r.known
	switch {
	case r.alone && known: // of what left later nothing is known
		e.endTrial(c, fate{r.enough, n.lost}, late)
	case r.alone:
	case n.sent >= r.earliest() && n.isSuspicious() && r.tells(n):
		c.beginTrial()
	case r.doubt && r.inRuns == 0: // what leaves alone says nothing
		r.beginWindow(c)
	case known:
		r.guilty = 0
		r.beginWindow(c)
	}
}

// tells reports whether so much of a window left in runs that damage would be suspicious.
func (r *runTrial) tells(window fate) bool { return r.inRuns*suspiciousShare >= window.sent }

// earliest is after how many datagrams of a window there may be a trial.
func (r *runTrial) earliest() uint64 { return max(r.after, firstTrialAfter) }

// wanted is how many datagrams it takes to judge.
func (r *runTrial) wanted() uint64 {
	if r.alone {
		return trialDatagrams
	}
	return max(windowDatagrams, r.after)
}

func (r *runTrial) beginWindow(c *Conn) {
	r.alone, r.enough, r.inRuns = false, 0, 0
	c.mark()
}

// endTrial compares what left alone with what left before, of which late were found to be lost since.
func (e *engine) endTrial(c *Conn, alone fate, late uint64) {
	r := &c.session.trial
	r.joined.lost += late
	switch {
	case !r.joined.isSuspicious():
		if r.tells(r.joined) {
			r.doubt, r.guilty = false, 0
		}
	case guiltyFactor*alone.lost*r.joined.sent >= r.joined.lost*alone.sent:
		r.doubt, r.guilty, r.after = false, 0, min(4*r.earliest(), longestTrialAfter)
	default:
		r.guilty++
	}
	r.beginWindow(c)
	if r.guilty >= trials {
		e.giveUpRuns(r)
	}
}

func (e *engine) giveUpRuns(r *runTrial) {
	r.verdict.pass(e.now)
	e.counters.sendVerdicts++
	e.offload.doubted = e.now + longestPause
}

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
