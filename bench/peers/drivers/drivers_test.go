package drivers

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/gannet-net/gannet/bench/peers/peer"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m, keptByKCP()...)
}

// patience is how long a test waits for what should happen at once.
const patience = 10 * time.Second

// uses are all of them, with the lanes that they have.
var uses = []struct {
	name  string
	setup peer.Setup
}{
	{"sparse", peer.Setup{Use: peer.Sparse, Lanes: []peer.Promise{peer.Reliable}, Message: 64}},
	{"echo", peer.Setup{Use: peer.Echo, Lanes: []peer.Promise{peer.Reliable}, Message: 64}},
	{"bulk", peer.Setup{Use: peer.Bulk, Lanes: []peer.Promise{peer.Reliable}, Message: 64 << 10}},
	{"bulk unreliable", peer.Setup{Use: peer.Bulk, Lanes: []peer.Promise{peer.Unreliable}, Message: 41}},
	{"bottleneck", peer.Setup{Use: peer.Bottleneck, Lanes: []peer.Promise{peer.Reliable, peer.Reliable}, Message: 1 << 10, Path: peer.Path{Rate: 1e9, RTT: time.Millisecond}}},
	{"crowd", peer.Setup{Use: peer.Crowd, Lanes: []peer.Promise{peer.Unreliable}, Message: 41}},
	{"reliable crowd", peer.Setup{Use: peer.Crowd, Lanes: []peer.Promise{peer.Reliable}, Message: 64, Heartbeat: time.Second}},
	{"rooms", peer.Setup{Use: peer.Rooms, Lanes: []peer.Promise{peer.Reliable}, Message: 64}},
}

// eachUse runs a test for every driver in every use that it has.
func eachUse(t *testing.T, test func(t *testing.T, d *peer.Driver, s peer.Setup)) {
	for _, d := range All() {
		for _, u := range uses {
			s := u.setup
			s.Clients = 2
			if d.Has(s) {
				t.Run(d.Name+"/"+u.name, func(t *testing.T) { test(t, &d, s) })
			}
		}
	}
}

// side is what one end of a connection has received.
type side struct {
	mu   sync.Mutex
	got  [2][]uint32 // numbers of the messages of each lane
	bad  string      // what is wrong with a message, if something is
	echo bool
}

func (s *side) accept(c peer.Conn) peer.Receive {
	return func(lane int, message []byte) {
		s.note(lane, message)
		if s.echo {
			_ = c.Send(lane, message)
		}
	}
}

func (s *side) note(lane int, message []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(message) < 4 {
		s.bad = fmt.Sprint("message of ", len(message), " bytes")
		return
	}
	number := binary.LittleEndian.Uint32(message)
	if want := numbered(number, len(message)); !slices.Equal(want, message) {
		s.bad = fmt.Sprint("message ", number, " is damaged")
	}
	s.got[lane] = append(s.got[lane], number)
}

func (s *side) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.got[0]) + len(s.got[1])
}

// numbered is a message whose bytes tell which one it is.
func numbered(number uint32, size int) []byte {
	m := binary.LittleEndian.AppendUint32(make([]byte, 0, size), number)
	for len(m) < size {
		m = append(m, byte(number)+byte(len(m)))
	}
	return m
}

// rig is a host that is driven, and clients.
type rig struct {
	t       *testing.T
	host    peer.Host
	clients []peer.Conn
	stop    chan struct{}
	driven  sync.WaitGroup
}

func newRig(t *testing.T, d *peer.Driver, s peer.Setup, atHost *side, atClients ...*side) *rig {
	r := &rig{t: t, stop: make(chan struct{})}
	s.Accept = atHost.accept
	var err error
	r.host, err = d.Listen(s)
	require.NoError(t, err)
	r.driven.Go(func() {
		for {
			select {
			case <-r.stop:
				return
			default:
				r.host.Drive(time.Millisecond)
			}
		}
	})
	t.Cleanup(r.close)
	for _, c := range atClients {
		s.Accept = c.accept
		conn, err := d.Dial(r.host.Addr(), s)
		require.NoError(t, err)
		r.clients = append(r.clients, conn)
	}
	return r
}

func (r *rig) close() {
	for _, c := range r.clients {
		c.Close()
	}
	close(r.stop)
	r.driven.Wait()
	r.host.Close()
}

// send sends one message as soon as there is room.
func (r *rig) send(c peer.Conn, lane int, message []byte) {
	for deadline := time.Now().Add(patience); ; {
		err := c.Send(lane, message)
		if err == nil {
			return
		}
		require.ErrorIs(r.t, err, peer.ErrFull)
		require.True(r.t, time.Now().Before(deadline), "no room in time")
		c.Await()
	}
}

// gets drives the clients until a side has so many messages.
func (r *rig) gets(s *side, n int) {
	for deadline := time.Now().Add(patience); s.count() < n; {
		require.True(r.t, time.Now().Before(deadline), "%d of %d messages came", s.count(), n)
		for _, c := range r.clients {
			c.Drive(time.Millisecond)
		}
	}
}

func TestEveryReliableMessageArrivesOnceAndInOrderWherePromised(t *testing.T) {
	eachUse(t, func(t *testing.T, d *peer.Driver, s peer.Setup) {
		if s.Lanes[0] != peer.Reliable {
			t.Skip("unreliable messages have a test of their own")
		}
		const each = 40
		host, client := &side{}, &side{}
		r := newRig(t, d, s, host, client)
		for i := range each {
			for lane := range s.Lanes {
				size := 4 + i*(s.Message-4)/(each-1)
				r.send(r.clients[0], lane, numbered(uint32(i), size))
			}
		}
		r.clients[0].Flush()
		r.gets(host, each*len(s.Lanes))
		host.mu.Lock()
		defer host.mu.Unlock()
		require.Empty(t, host.bad)
		for lane := range s.Lanes {
			got := slices.Clone(host.got[lane])
			if !d.Ordered {
				slices.Sort(got)
			}
			want := make([]uint32, each)
			for i := range want {
				want[i] = uint32(i)
			}
			require.Equal(t, want, got, "lane %d", lane)
		}
	})
}

func TestUnreliableMessagesArriveOneAtATimeOverLoopback(t *testing.T) {
	eachUse(t, func(t *testing.T, d *peer.Driver, s peer.Setup) {
		if s.Lanes[0] != peer.Unreliable {
			t.Skip("reliable messages have a test of their own")
		}
		host, client := &side{echo: true}, &side{}
		r := newRig(t, d, s, host, client)
		for i := range 20 {
			r.send(r.clients[0], 0, numbered(uint32(i), s.Message))
			r.clients[0].Flush()
			r.gets(client, i+1)
		}
		require.Empty(t, host.bad)
		require.Empty(t, client.bad)
	})
}

func TestWhatAHostSendsReachesThatClientAlone(t *testing.T) {
	eachUse(t, func(t *testing.T, d *peer.Driver, s peer.Setup) {
		if !s.Use.Crowded() {
			t.Skip("this use has one client, so nobody else could get anything")
		}
		host, first, second := &side{echo: true}, &side{}, &side{}
		r := newRig(t, d, s, host, first, second)
		for i := range 10 {
			for n, c := range r.clients {
				r.send(c, 0, numbered(uint32(1000*n+i), s.Message))
				c.Flush()
			}
			r.gets(first, i+1)
			r.gets(second, i+1)
		}
		require.Equal(t, []uint32{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, first.got[0])
		require.Equal(t, []uint32{1000, 1001, 1002, 1003, 1004, 1005, 1006, 1007, 1008, 1009}, second.got[0])
	})
}

func TestADriverIsFoundByItsName(t *testing.T) {
	names := map[string]bool{}
	for _, d := range All() {
		require.False(t, names[d.Name], "%s is there twice", d.Name)
		names[d.Name] = true
		require.Equal(t, d.Name, Find(d.Name).Name)
		require.NotEmpty(t, d.Settings, d.Name)
	}
	require.Nil(t, Find("nobody"))
}

func TestASealedDatagramOpensOnlyAsItIs(t *testing.T) {
	client, host := newSeal(roleClient), newSeal(roleHost)
	d := client.seal(nil, []byte("message"))
	require.Len(t, d, len("message")+sealOverhead)
	for i := range d {
		forged := slices.Clone(d)
		forged[i] ^= 1
		require.Nil(t, host.open(forged), "byte %d", i)
	}
	require.Nil(t, host.open(d[:sealOverhead-1]))
	require.Nil(t, client.open(slices.Clone(d)), "a side does not open its own")
	require.Equal(t, "message", string(host.open(d)))
}

func TestDialFailsWhereNobodyListens(t *testing.T) {
	for _, d := range All() {
		if !d.NoRelay {
			continue // UDP finds out by patience alone
		}
		_, err := d.Dial("127.0.0.1:1", peer.Setup{Accept: (&side{}).accept})
		require.Error(t, err, d.Name)
		require.False(t, errors.Is(err, peer.ErrFull))
	}
}

func TestTheReadmeHasTheSettingsOfEveryDriver(t *testing.T) {
	readme, err := os.ReadFile("../README.md")
	require.NoError(t, err)
	for _, d := range All() {
		if row := fmt.Sprintf("| %s | %s |\n", d.Name, d.Settings); !strings.Contains(string(readme), row) {
			t.Errorf("README.md has no row %s", row)
		}
	}
}
