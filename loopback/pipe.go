package loopback

import (
	"sync"

	"github.com/gannet-net/gannet/transport"
)

// pipe is what the two ends share.
type pipe struct {
	clock func() int64

	// mu guards what is below and the state of both ends. It is never held while the application's code runs, the clock included.
	mu    sync.Mutex
	pool  pool
	spare *entry // entries that were given back, chained by next
}

// Pipe makes two connected ends. Both have a Connected event to read, or their handlers are being called with it, when it returns. The error
// is about cfg.
func Pipe(cfg Config) (client, host *Conn, err error) {
	cfg = cfg.withDefaults()
	if err := cfg.check(); err != nil {
		return nil, nil, err
	}
	// Two directions, and sizes rounded up to at most twice their value: what can be in use at one time can be kept.
	p := &pipe{clock: cfg.Clock, pool: pool{limit: 4 * cfg.QueueBytes, poison: cfg.Poison}}
	client, host = newConn(p, cfg, End{cfg.Driving, cfg.Handler}), newConn(p, cfg, *cfg.Host)
	client.peer, host.peer = host, client
	p.start(client, host)
	return client, host, nil
}

// start lets no handler run before both ends are connected: what it does must not come before the peer's Connected event.
func (p *pipe) start(ends ...*Conn) {
	now := p.clock()
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range ends {
		c.connected(now)
	}
	for _, c := range ends {
		if c.handler != nil {
			go c.serve()
		}
	}
}

func newConn(p *pipe, cfg Config, end End) *Conn {
	return &Conn{
		pipe:    p,
		id:      cfg.ID,
		driving: end.Driving,
		handler: end.Handler,
		wake:    make(chan struct{}, 1),
		sent:    budget{maxMessages: cfg.QueueMessages, maxBytes: cfg.QueueBytes},
	}
}

// newEntry and recycle take and give back entries.
func (p *pipe) newEntry(ev transport.Event) *entry {
	e := p.spare
	if e == nil {
		return &entry{event: ev}
	}
	p.spare = e.next
	*e = entry{event: ev}
	return e
}

func (p *pipe) recycle(e *entry) {
	*e = entry{next: p.spare}
	p.spare = e
}
