package udp

import (
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strconv"
	"sync"

	"github.com/gannet-net/gannet/framing"
	"github.com/gannet-net/gannet/framing/handshake"
	"github.com/gannet-net/gannet/secure"
)

// maxShards is more than a machine has use for.
const maxShards = 256

// ListenShards opens n hosts on one port, 1 to 256, so that n cores can work at it: each has its socket, its peers, its lock and its limits, and the system gives
// all datagrams of one address to the same. It needs Linux (SO_REUSEPORT). Each Host is driven and closed by itself, but they share Config.Key, and c.Handler, c.Admit and
// c.Mismatched are called by all of them at once. Config.Socket, Config.PacketConn and Config.Seed cannot be shared.
//
// A client of the secure protocol whose address changes may come to the socket of another shard; that hands its datagrams over, so the client stays with its
// Host. What shards do not know of one another: ids are unique in one Host alone, a player who connects again from elsewhere does not take over a session that stands
// in another, a connect token may be used once in each, and Broadcast reaches the peers of one.
func ListenShards(addr string, n int, c Config) ([]*Host, error) {
	if err := c.checkShards(n); err != nil {
		return nil, err
	}
	c.reusePort = n > 1
	if c.Key == (secure.Secret{}) && c.Protocol != Base {
		rand.Read(c.Key[:])
	}
	all := &shards{at: make(map[uint32]*engine)}
	var hosts []*Host
	for range n {
		e, err := openHost(addr, c)
		if err != nil {
			for _, h := range hosts {
				_ = h.e.sock.Close()
			}
			return nil, err
		}
		e.sessions.shards = all
		hosts = append(hosts, &Host{e})
		host, _, _ := net.SplitHostPort(addr) // which openHost has used
		addr = net.JoinHostPort(host, strconv.Itoa(int(e.sock.LocalAddr().Port())))
	}
	for _, h := range hosts { // when all have their sockets, since the system spreads addresses over those that there are
		h.e.start()
	}
	return hosts, nil
}

func (c Config) checkShards(n int) error {
	switch {
	case n < 1 || n > maxShards:
		return fmt.Errorf("udp: ListenShards: %d shards: it must be 1 to %d", n, maxShards)
	case c.Socket != nil || c.PacketConn != nil:
		return &ConfigError{"Socket", "cannot be that of several shards: leave Socket and PacketConn out"}
	case c.Seed != (secure.Secret{}):
		return &ConfigError{"Seed", "would give several shards the same keys: leave it out"}
	case n > 1 && !spreadsPort:
		return fmt.Errorf("udp: ListenShards: %w: this system does not spread one port over several sockets", errors.ErrUnsupported)
	}
	return nil
}

// shards are where the sessions of all hosts of one port are. Those of one host never wait for another's lock.
type shards struct {
	mu sync.RWMutex
	at map[uint32]*engine // by the id that Sealed datagrams carry
}

// has is false for nil.
func (s *shards) has(id uint32) bool {
	if s == nil {
		return false
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.at[id] != nil
}

// set takes note that e has a session, or with nil that it is over. It does nothing for nil.
func (s *shards) set(id uint32, e *engine) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if e == nil {
		delete(s.at, id)
	} else {
		s.at[id] = e
	}
}

// leaveShards lets the others of a port know that this one is closed.
func (s *sessions) leaveShards() {
	if s.shards == nil {
		return
	}
	s.shards.mu.Lock()
	defer s.shards.mu.Unlock()
	for id := range s.byID {
		delete(s.shards.at, id)
	}
}

// elsewhere is the engine of another shard that has the session which a datagram names, nil if there is none.
func (e *engine) elsewhere(d []byte) *engine {
	s := e.sessions.shards
	if s == nil || len(d) < handshake.SealedHead {
		return nil
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	if other := s.at[binary.LittleEndian.Uint32(d[1:])]; other != e {
		return other
	}
	return nil
}

// handover are datagrams that other shards have read. Its mutex is taken with that of any engine held, and no other is taken under it.
type handover struct {
	mu       sync.Mutex
	waiting  []handed // at most a pass
	handling []handed // of the engine that they are for
}

type handed struct {
	d    []byte
	from netip.AddrPort
	at   netip.Addr
}

// add keeps a copy, and reports false if too many wait.
func (h *handover) add(d []byte, from netip.AddrPort, at netip.Addr, wake func()) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	n := len(h.waiting)
	if n == passDatagrams {
		return false
	}
	if n < cap(h.waiting) {
		h.waiting = h.waiting[:n+1]
	} else {
		h.waiting = append(h.waiting, handed{})
	}
	w := &h.waiting[n]
	w.d, w.from, w.at = append(w.d[:0], d...), from, at
	if n == 0 {
		wake()
	}
	return true
}

// take gives all that wait. They stay as they are until the next call.
func (h *handover) take() []handed {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.waiting, h.handling = h.handling[:0], h.waiting
	return h.handling
}

// handOver gives a datagram to the shard that has its session.
func (e *engine) handOver(to *engine, d []byte, from netip.AddrPort, at netip.Addr) framing.Drop {
	if !to.handover.add(d, from, at, to.wakeForHandover) {
		return framing.DropRate
	}
	e.counters.handedOver++
	return framing.Accepted
}

// wakeForHandover lets the engine look at what was handed over. It is called with the lock of the handover alone.
func (e *engine) wakeForHandover() {
	if e.background() {
		e.timer.Reset(0)
	} else {
		e.interrupt()
	}
}

// takeHandover handles what other shards have read for this one. They have counted it; what it ends in is counted here.
func (e *engine) takeHandover() {
	if e.sessions.shards == nil {
		return
	}
	for _, h := range e.handover.take() {
		if drop := e.route(h.d, unmapped(h.from), h.at); drop != framing.Accepted {
			e.counters.drops.Count(drop)
		}
	}
}
