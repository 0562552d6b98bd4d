package udp_test

import (
	"context"
	"flag"
	"os"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/internal/testflag"
	"github.com/gannet-net/gannet/sim"
	"github.com/gannet-net/gannet/transport"
	"github.com/gannet-net/gannet/udp"
)

// In a cycle a client joins, tells the host how it is going to leave, and leaves that way.
const (
	byClose   = byte(iota) // the client closes
	byAbort                // the client aborts
	byKick                 // the host kicks it
	byHost                 // the host aborts the connection
	bySilence              // the client is gone without a word
	ways                   // how many ways there are
)

// doorman is the application of a host. It does what clients ask for and looks at their ids.
type doorman struct {
	mu           sync.Mutex
	live         map[uint32]bool
	joined, left int
	collisions   int // ids that were given to two at a time
}

func newDoorman() *doorman { return &doorman{live: map[uint32]bool{}} }

func (d *doorman) see(ev transport.Event) {
	d.mu.Lock()
	defer d.mu.Unlock()
	id := ev.Conn.ID()
	switch ev.Kind {
	case transport.Connected:
		d.joined++
		if d.live[id] {
			d.collisions++
		}
		d.live[id] = true
	case transport.Message:
		switch ev.Payload[0] {
		case byKick:
			ev.Conn.(*udp.Conn).Kick(0, "")
		case byHost:
			ev.Conn.Abort()
		}
	case transport.Disconnected:
		d.left++
		delete(d.live, id)
	}
}

// wantsAllGone wants that many sessions, all over, and no two with one id at one time.
func (d *doorman) wantsAllGone(t *testing.T, sessions int) {
	t.Helper()
	for end := time.Now().Add(patience); ; time.Sleep(time.Millisecond) {
		d.mu.Lock()
		joined, left, collisions := d.joined, d.left, d.collisions
		d.mu.Unlock()
		if left == sessions {
			require.Equal(t, sessions, joined)
			require.Zero(t, collisions)
			return
		}
		require.True(t, time.Now().Before(end), "%d joined and %d left", joined, left)
	}
}

// footprint is what a process holds.
type footprint struct {
	goroutines, descriptors int
	heap                    uint64 // bytes that are live
}

func measure(t *testing.T) footprint {
	t.Helper()
	runtime.GC()
	runtime.GC() // finalizers of the first have run
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	f := footprint{goroutines: runtime.NumGoroutine(), heap: m.HeapAlloc}
	if runtime.GOOS == "linux" {
		files, err := os.ReadDir("/proc/self/fd")
		require.NoError(t, err)
		f.descriptors = len(files)
	}
	return f
}

// wantsNoMoreThan waits until the process holds no more than before, but for 1 MiB.
func wantsNoMoreThan(t *testing.T, before footprint) {
	t.Helper()
	for end := time.Now().Add(patience); ; time.Sleep(10 * time.Millisecond) {
		now := measure(t)
		if now.goroutines <= before.goroutines && now.descriptors <= before.descriptors && now.heap <= before.heap+1<<20 {
			return
		}
		require.True(t, time.Now().Before(end), "before: %+v, now: %+v", before, now)
	}
}

func TestCyclesOnSocketsLeaveNothingBehind(t *testing.T) {
	cycles := 100
	if testflag.Long() {
		cycles = 10_000
	}
	commute(t, 50) // what is made once is made
	before := measure(t)
	commute(t, cycles)
	wantsNoMoreThan(t, before)
}

// commute plays cycles on real sockets in the background style, 50 at a time, with a host that is there for as long as they last.
func commute(t *testing.T, cycles int) {
	t.Helper()
	d := newDoorman()
	h, err := udp.Listen("127.0.0.1:0", udp.Config{Protocol: udp.Base, Handler: d.see})
	require.NoError(t, err)
	var lanes sync.WaitGroup
	errs := make(chan error, cycles)
	for range 50 {
		lanes.Go(func() {
			for i := range cycles / 50 {
				errs <- cycle(h.Addr().String(), byte(i)%bySilence)
			}
		})
	}
	lanes.Wait()
	require.NoError(t, h.Close())
	for range cycles {
		require.NoError(t, <-errs)
	}
	d.wantsAllGone(t, cycles)
}

// cycle joins and leaves once.
func cycle(addr string, way byte) error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	c, err := udp.Dial(ctx, addr, udp.Config{Protocol: udp.Base})
	if err != nil {
		return err
	}
	err = c.Send([]byte{way}, ordered)
	switch way {
	case byAbort:
		c.Abort()
	case byKick, byHost:
		_, _ = c.Receive(ctx, nil) // until it is over
	}
	_ = c.Close() // an aborted message counts as undelivered
	return err
}

var cyclesLong = flag.Int("cycles", 100_000, "with -long: how many connections come and go in virtual time")

// virtualCycles is how many connections come and go in virtual time.
func virtualCycles(short int) int {
	switch {
	case testflag.Long():
		return *cyclesLong
	case testing.Short(): // what is left behind shows with few already, and under the race detector each takes long
		return short / 5
	}
	return short
}

func TestCyclesInVirtualTimeLeaveNothingBehind(t *testing.T) {
	cycles := virtualCycles(10_000)
	s := newSuburb(t, udp.Base)
	s.play(1_000) // what is made once is made
	before := measure(t)
	s.play(cycles)
	wantsNoMoreThan(t, before)
	ghosts := s.door.joined - cycles - 1_000 // a Connect that comes late, after the goodbye, opens a session that nobody confirms
	require.LessOrEqual(t, ghosts, cycles/10_000)
	s.door.wantsAllGone(t, 1_000+cycles+ghosts)
	require.Empty(t, s.host.Conns())
	require.NoError(t, s.nw.Audit())
}

func TestSecureCyclesInVirtualTimeLeaveNothingBehind(t *testing.T) {
	cycles := virtualCycles(1_000)
	s := newSuburb(t, udp.Secure)
	ids := s.host.FreeIDs()
	s.play(200)
	before := measure(t)
	s.play(cycles)
	wantsNoMoreThan(t, before)
	s.door.wantsAllGone(t, 200+cycles)
	require.Empty(t, s.host.Conns())
	require.Zero(t, s.host.Remembered())
	require.Equal(t, ids, s.host.FreeIDs())
	require.NoError(t, s.nw.Audit())
}

// suburb is a host on a simulated network and 20 commuters. Their links lose datagrams, Connects and Disconnects among them.
type suburb struct {
	*testing.T
	nw        *sim.Network
	protocol  udp.Protocol
	node      *sim.Node
	host      *udp.Host
	door      *doorman
	commuters []*commuter
	cycles    int // still to begin
	made      int // hosts and clients, each with randomness of its own
}

func newSuburb(t *testing.T, protocol udp.Protocol) *suburb {
	s := &suburb{T: t, nw: sim.New(1), protocol: protocol, door: newDoorman()}
	s.nw.SetDefault(sim.Conditions{Delay: 5 * time.Millisecond, Jitter: 2 * time.Millisecond, Loss: sim.Percent(5)})
	s.node = s.nw.Node("host")
	var err error
	config := s.config(s.node, port)
	config.Admit = func(udp.Request) *udp.Refusal { return nil } // so that no client is in before the host knows
	s.host, err = udp.Listen("", config)
	require.NoError(t, err)
	s.node.Attach(sim.ProcessFunc(s.run))
	for i := range byte(20) {
		c := &commuter{suburb: s, node: s.nw.Node("commuter " + string('a'+rune(i))), way: i}
		s.commuters = append(s.commuters, c)
		c.node.Attach(c)
	}
	return s
}

func (s *suburb) config(n *sim.Node, port uint16) udp.Config {
	socket, err := n.Listen(port)
	require.NoError(s, err)
	s.made++
	return udp.Config{
		Protocol: s.protocol, Plain: udp.PlainPrivateLAN, Driving: udp.GameLoop, Clock: n.Clock, Socket: socket, Seed: [32]byte{1, byte(s.made), byte(s.made >> 8), byte(s.made >> 16)},
		Heartbeat: 100 * time.Millisecond, Timeout: time.Second,
	}
}

// run is the host's loop.
func (s *suburb) run(int64) int64 {
	s.host.Poll()
	for ev, ok := s.host.Next(); ok; ev, ok = s.host.Next() {
		s.door.see(ev)
	}
	s.host.Flush()
	return s.host.NextDeadline()
}

// play lets the commuters go through so many cycles, and the host find out about those who are gone without a word.
func (s *suburb) play(cycles int) {
	s.cycles = cycles
	for _, c := range s.commuters {
		c.node.Wake()
	}
	for s.cycles > 0 || len(s.host.Conns()) > 0 {
		s.nw.RunFor(time.Second)
	}
	s.nw.RunFor(10 * time.Second) // dials of the last commuters, goodbyes, tombstones
}

// commuter is a client that does nothing but join and leave.
type commuter struct {
	*suburb
	node *sim.Node
	way  byte // of the next leave

	conn   *udp.Conn // nil between two cycles
	socket udp.Socket
	next   int64 // when it joins again
}

// Run is the client's loop.
func (c *commuter) Run(now int64) int64 {
	switch {
	case c.conn != nil:
	case c.cycles == 0:
		return noDeadline
	case now < c.next:
		return c.next
	default:
		c.join()
	}
	c.conn.Poll()
	for ev, ok := c.conn.Next(); ok; ev, ok = c.conn.Next() {
		switch ev.Kind {
		case transport.Connected:
			if gone := c.leave(); gone {
				return c.rest(now)
			}
		case transport.Disconnected:
			return c.rest(now)
		case transport.DialFailed:
			require.NoError(c, ev.Err)
		}
	}
	c.conn.Flush()
	return c.conn.NextDeadline()
}

func (c *commuter) join() {
	c.cycles--
	var err error
	config := c.config(c.node, 0)
	c.socket = config.Socket
	c.conn, err = udp.Dial(context.Background(), c.suburb.node.AddrPort(port).String(), config)
	require.NoError(c, err)
}

// leave reports whether the connection is over already.
func (c *commuter) leave() (gone bool) {
	way := c.way % ways
	c.way++
	require.NoError(c, c.conn.Send([]byte{way}, ordered))
	switch way {
	case byClose:
		require.NoError(c, c.conn.Close())
	case byAbort:
		c.conn.Abort()
	case bySilence:
		require.NoError(c, c.socket.Close())
	}
	return way == bySilence
}

func (c *commuter) rest(now int64) int64 {
	c.conn, c.next = nil, now+int64(50*time.Millisecond)
	return c.next
}
