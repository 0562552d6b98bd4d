package bench

import (
	"net/netip"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/framing"
	"github.com/gannet-net/gannet/internal/stopwatch"
	"github.com/gannet-net/gannet/reliable"
	"github.com/gannet-net/gannet/secure"
)

// flood is one direction of a connection that sends as much as the other side takes, with nothing between them but a call.
type flood struct {
	*duo
	options reliable.SendOptions
	arrived int
	packets int
}

// burst is how many datagrams leave before the other side answers: as many as it takes before it acks at once.
const burst = 64

// turn sends until the queue is full, and hands over a burst of what may leave, and the answers. It begins when something is due.
func (f *flood) turn() {
	for f.client.Send(f.now, f.payload, f.options) == nil {
	}
	f.now = max(f.now+50_000, min(f.client.NextDeadline(), f.host.NextDeadline()))
	f.packets += f.deliver(f.client, f.host)
	f.now += 20_000
	f.deliver(f.host, f.client)
}

// deliver hands over a burst of what may leave, and counts the datagrams.
func (f *flood) deliver(from, to *reliable.Endpoint) (datagrams int) {
	for datagrams < burst && f.carry(from, to) {
		datagrams++
		f.arrived += f.read(to)
	}
	return datagrams
}

// read reads all events, and counts the messages.
func (f *flood) read(e *reliable.Endpoint) (messages int) {
	for {
		ev, ok := e.PollEvent()
		switch {
		case !ok:
			return messages
		case ev.Kind == reliable.EventMessage:
			messages++
			e.Recycle(ev.Payload)
		}
	}
}

// What a message costs both sides and its acks, when as much is sent as fits.
func BenchmarkFlood(b *testing.B) {
	for _, row := range []struct {
		name   string
		size   int
		class  reliable.Class
		mode   reliable.Mode
		sealed bool
	}{
		{"41/Unreliable", 41, reliable.ClassGame, reliable.Unreliable, false},
		{"64/Game", 64, reliable.ClassGame, reliable.ReliableOrdered, false},
		{"64/Bulk", 64, reliable.ClassBulk, reliable.ReliableOrdered, false},
		{"64/BulkSealed", 64, reliable.ClassBulk, reliable.ReliableOrdered, true},
		{"1024/Game", 1024, reliable.ClassGame, reliable.ReliableOrdered, false},
		{"1024/Bulk", 1024, reliable.ClassBulk, reliable.ReliableOrdered, false},
		{"65536/Game", 65536, reliable.ClassGame, reliable.ReliableOrdered, false},
		{"65536/Bulk", 65536, reliable.ClassBulk, reliable.ReliableOrdered, false},
	} {
		b.Run(row.name, func(b *testing.B) {
			f := newFlood(b, row.class, row.sealed)
			f.options.Mode, f.payload = row.mode, make([]byte, row.size)
			for range 1000 { // until buffers and the controller have their size
				f.turn()
			}
			arrived, packets := f.arrived, f.packets
			b.ReportAllocs()
			b.ResetTimer()
			stop := stopwatch.Op(b)
			for f.arrived-arrived < b.N {
				f.turn()
			}
			stop()
			b.ReportMetric(float64(f.packets-packets)/float64(f.arrived-arrived), "packets/message")
		})
	}
}

func newFlood(b *testing.B, class reliable.Class, sealed bool) *flood {
	client, host := reliable.Sealer(freeSealer{}), func([]byte) reliable.Sealer { return freeSealer{} }
	if sealed {
		client, host = session(b)
	}
	d := &duo{}
	d.client = packetEndpoint(framing.Client, func(c *reliable.Config) { c.Sealer, c.Channels = client, []reliable.Channel{{Class: class}} })
	first := d.client.PollDatagram(0, nil)
	d.host = packetEndpoint(framing.Host, func(c *reliable.Config) { c.Sealer, c.Channels = host(first), []reliable.Channel{{Class: class}} })
	d.host.HandleDatagram(0, first)
	d.exchange()
	return &flood{duo: d}
}

// anybody lets everybody in.
type anybody struct{}

func (anybody) TakePeerID(uint16) uint16                          { return 1 }
func (anybody) FreePeerID(uint16)                                 {}
func (anybody) HasSession(uint32) bool                            { return false }
func (anybody) Admits(netip.AddrPort, *secure.Identity, int) bool { return true }

// session is the client's side of a session, and the host's once it has the client's first packet.
func session(b *testing.B) (client reliable.Sealer, host func(first []byte) reliable.Sealer) {
	const unix = 1_800_000_000
	static, from := secure.Secret{31: 1}, netip.MustParseAddrPort("192.0.2.1:4000")
	h, err := secure.NewHost(0, secure.HostConfig{Seed: secure.Secret{2}, Static: static, Peers: anybody{}})
	require.NoError(b, err)
	c, err := secure.NewClient(0, secure.ClientConfig{Seed: secure.Secret{3}, HostKey: static.Public()})
	require.NoError(b, err)
	joined, err := c.Outcome()
	for joined == nil {
		require.NoError(b, err)
		answer, _ := h.Handle(0, unix, nil, c.PollDatagram(0, nil), from)
		c.HandleDatagram(0, answer)
		joined, err = c.Outcome()
	}
	return joined.Session, func(first []byte) reliable.Sealer {
		h.Handle(0, unix, nil, first, from)
		j, ok := h.Poll()
		require.True(b, ok, "the host has a session")
		return j.Session
	}
}
