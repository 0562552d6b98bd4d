package transporttest

import "github.com/gannet-net/gannet/transport"

// link is a pair under test.
type link struct {
	*trial
	pair         Pair
	client, host *end
	silent       bool // nothing may come after what was read
}

// open makes a pair. A handler in o is a reaction: it is called with each event where the style reads it, in the handler or between two
// calls of Next or Receive.
func (t *trial) open(o Options) *link {
	t.Helper()
	o.Driving = t.style.driving
	client, host := newEnd(t, "client", o.ClientHandler), newEnd(t, "host", o.HostHandler)
	o.ClientHandler, o.HostHandler = nil, nil
	if t.style.handler {
		o.ClientHandler, o.HostHandler = client.handle, host.handle
	}
	p := t.suite.newPair(t.T, o)
	client.Conn, client.advance = p.Client, p.Advance
	host.Conn, host.advance = p.Host, p.Advance
	l := &link{trial: t, pair: p, client: client, host: host}
	t.Cleanup(func() { t.suite.stopping.Go(l.stop) })
	return l
}

// connect makes a pair and reads its Connected events.
func (t *trial) connect(o Options) *link {
	t.Helper()
	l := t.open(o)
	l.client.wantConnected()
	l.host.wantConnected()
	return l
}

func (l *link) ends() []*end { return []*end{l.client, l.host} }

// wantSilence demands that nothing follows the last event of the ends, now or until the pair was stopped.
func (l *link) wantSilence() {
	l.Helper()
	l.silent = true
	if l.style.driving == transport.GameLoop {
		l.pair.Advance()
	}
	for _, e := range l.ends() {
		if ev, ok := e.unexpected(); ok {
			l.Fatalf("after its last event the %s got %v", e.name, ev)
		}
	}
}

// stop runs when the test is over, so it fails the suite as a whole.
func (l *link) stop() {
	l.pair.Stop()
	if !l.silent {
		return
	}
	for _, e := range l.ends() {
		if ev, ok := e.unexpected(); ok {
			l.suite.Errorf("%s: after its last event the %s got %v", l.Name(), e.name, ev)
		}
	}
}
