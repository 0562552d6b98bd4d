package udp

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
	case r.alone && known: // what left later has no known fate, but for losses, which speak for the runs
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
