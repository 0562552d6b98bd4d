package udp

import (
	"net"
	"net/netip"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/framing"
	"github.com/gannet-net/gannet/framing/handshake"
)

// mute is a socket that nothing comes in from, and that forgets what is sent.
type mute struct {
	sent   int
	closed bool
}

func (m *mute) TryRead([]byte) (n int, from netip.AddrPort, at netip.Addr, err error) {
	if m.closed {
		err = net.ErrClosed
	}
	return 0, from, at, err
}

func (m *mute) Write([]byte, netip.AddrPort, netip.Addr) error { m.sent++; return nil }
func (m *mute) LocalAddr() netip.AddrPort                      { return netip.AddrPort{} }
func (m *mute) Close() error                                   { m.closed = true; return nil }

func TestOneAddressLeavesOthersRoomToWaitForAdmit(t *testing.T) {
	now := int64(0)
	h, err := Listen("", Config{
		Driving: GameLoop, Socket: new(mute), Plain: PlainAny, Clock: func() int64 { now += 1e8; return now },
		Admit: func(Request) *Refusal { return nil },
	})
	require.NoError(t, err)
	e := h.e
	ask := func(from string, port int) {
		e.enter()
		e.receive(framing.AppendConnect(nil, framing.BaseVersion), netip.AddrPortFrom(netip.MustParseAddr(from), uint16(port)), netip.Addr{})
		e.leave()
	}
	for port := range 100 {
		ask("203.0.113.1", 4000+port)
		ask("2001:db8::1", 4000+port)
	}
	require.Equal(t, 2*maxWaitingOfSource, e.door.waiting.len())
	ask("203.0.113.2", 4000)
	ask("2001:db8:0:1::1", 4000)
	require.Equal(t, 2*maxWaitingOfSource+2, e.door.waiting.len())
	for port := range 100 {
		ask("127.0.0.1", 4000+port)
	}
	require.Equal(t, maxWaiting, e.door.waiting.len())
}

func TestAStrangersHelloIsAnsweredWithoutMemory(t *testing.T) {
	sock := new(mute)
	now := int64(0)
	h, err := Listen("", Config{Driving: GameLoop, Socket: sock, Clock: func() int64 { now += 1e6; return now }})
	require.NoError(t, err)
	e := h.e
	hello := handshake.AppendHello(nil, handshake.Asker{ID: 7})
	addr := [4]byte{203, 0, 113, 1}
	ask := func() {
		e.enter()
		addr[3]++
		e.receive(hello, netip.AddrPortFrom(netip.AddrFrom4(addr), 4000), netip.Addr{})
		e.leave()
	}
	ask()
	require.Zero(t, testing.AllocsPerRun(1000, ask))
	require.Equal(t, 1002, sock.sent)
	require.Zero(t, h.Stats().Exchanges)
	require.Empty(t, e.sessions.byID)
	require.Zero(t, e.timers.Len())
}
