package sim_test

import (
	"encoding/binary"
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/sim"
)

const ms = int64(time.Millisecond)

var addrNone netip.Addr

// pair is a client and a host with a socket each, to be driven by hand.
type pair struct {
	nw           *sim.Network
	client, host *sim.Node
	c, h         *sim.Socket
	to           netip.AddrPort // the host's
	buf          [sim.MaxPayload]byte
}

// newPair makes a pair with conditions from the client to the host; the way back is perfect.
func newPair(seed uint64, there sim.Conditions) *pair {
	nw := sim.New(seed)
	p := &pair{nw: nw, client: nw.Node("client"), host: nw.Node("host")}
	p.c, _ = p.client.Listen(0)
	p.h, _ = p.host.Listen(7000)
	p.c.SetReadBuffer(1 << 30) // the links are tested, not the buffers
	p.h.SetReadBuffer(1 << 30)
	p.to = p.host.AddrPort(7000)
	nw.SetLink(p.client, p.host, there)
	return p
}

// send sends the numbers from..to-1, at one moment.
func (p *pair) send(t testing.TB, from, to int) {
	for i := from; i < to; i++ {
		sendNumber(t, i, p.c, p.to)
	}
}

// sendNumber does without Helper, which would cost more than the simulator.
func sendNumber(t testing.TB, i int, s *sim.Socket, to netip.AddrPort) {
	var b [4]byte
	binary.BigEndian.PutUint32(b[:], uint32(i))
	if err := s.Write(b[:], to, addrNone); err != nil {
		require.NoError(t, err)
	}
}

// spread sends the numbers 0..n-1, one each gap, and takes what arrives at the host meanwhile and within a second
// afterwards.
func (p *pair) spread(t testing.TB, n int, gap time.Duration) []int {
	t.Helper()
	var got []int
	for i := range n {
		p.send(t, i, i+1)
		p.nw.RunFor(gap)
		got = append(got, p.receive(t)...)
	}
	p.nw.RunFor(time.Second)
	return append(got, p.receive(t)...)
}

// receive takes everything that waits at the host, as numbers.
func (p *pair) receive(t testing.TB) []int { return drain(t, p.h) }

// clientAddr is where the host may answer to.
func (p *pair) clientAddr() netip.AddrPort { return p.client.AddrPort(p.c.LocalAddr().Port()) }

func (p *pair) counts() sim.Counts { return p.nw.LinkCounts(p.client, p.host) }

func drain(t testing.TB, s *sim.Socket) []int {
	var got []int
	var buf [8]byte
	for s.Waiting() > 0 {
		n, _, _, err := s.TryRead(buf[:])
		if err != nil {
			require.NoError(t, err)
		}
		got = append(got, numberOf(buf[:n]))
	}
	return got
}

// numberOf gives -1 for what is not a number.
func numberOf(b []byte) int {
	if len(b) != 4 {
		return -1
	}
	return int(binary.BigEndian.Uint32(b))
}

func counting(from, to int) []int {
	var all []int
	for i := from; i < to; i++ {
		all = append(all, i)
	}
	return all
}

// requireShare wants part of whole to be a share in per cent, give or take half a percentage point.
func requireShare(t testing.TB, percent float64, part, whole uint64) {
	t.Helper()
	require.InDelta(t, percent, 100*float64(part)/float64(whole), 0.5)
}

// addr parses an address, and at an address with port.
func addr(s string) netip.Addr   { return netip.MustParseAddr(s) }
func at(s string) netip.AddrPort { return netip.MustParseAddrPort(s) }

// requireBooks wants the books to balance, and nothing to be under way.
func requireBooks(t testing.TB, nw *sim.Network) {
	t.Helper()
	require.NoError(t, nw.Audit())
	require.Zero(t, nw.Counts().InFlight)
}
