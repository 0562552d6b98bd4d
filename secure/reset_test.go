package secure

import (
	"bytes"
	"net/netip"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/framing"
	"github.com/gannet-net/gannet/framing/handshake"
)

// restarted is a host that has forgotten its sessions, with one client of before.
func restarted(t *testing.T) (*meeting, *Session) {
	m := meet(t, nil)
	joined, _ := m.joined()
	c := hostConfig(&peers{live: map[uint32]bool{}})
	c.Seed = [32]byte{66}
	m.host = m.newHost(c)
	return m, joined.Session
}

func TestAClientLearnsFromItsFirstPacketThatTheHostWasRestarted(t *testing.T) {
	m, session := restarted(t)
	reset, drop := m.give(m.seal())
	require.Equal(t, framing.DropNoPeer, drop)
	require.Len(t, reset, handshake.ResetSize)
	require.Equal(t, framing.Accepted, session.HandleReset(reset))
}

func TestNobodyElseCanResetASession(t *testing.T) {
	m, session := restarted(t)
	packet := m.seal()
	m.from = otherAddr // a stranger asks for the token of this id
	stolen, _ := m.give(packet)
	require.Len(t, stolen, handshake.ResetSize)
	require.Equal(t, framing.DropAuth, session.HandleReset(stolen))

	m.from = clientAddr
	genuine, _ := m.give(packet)
	for i := range genuine {
		forged := bytes.Clone(genuine)
		forged[i] ^= 1
		require.NotEqual(t, framing.Accepted, session.HandleReset(forged), "byte %d", i)
	}
	require.Equal(t, framing.DropShort, session.HandleReset(genuine[:20]))
	require.Equal(t, framing.DropTrailing, session.HandleReset(append(bytes.Clone(genuine), 0)))
	forged := bytes.Clone(genuine)
	forged[1] ^= 1
	require.Equal(t, framing.DropNoPeer, session.HandleReset(forged))
	require.Equal(t, framing.Accepted, session.HandleReset(genuine))
}

// Who hears the first packet of a session and is faster than it, behind the same address, must not get what ends the session.
func TestNobodyGetsTheResetOfASessionThatIsNotConfirmedYet(t *testing.T) {
	m := meet(t, nil)
	early := false
	m.toHost = func(d []byte) []byte {
		if framing.Kind(d[0]) == handshake.KindSealed && !early {
			early = true
			for _, from := range []netip.AddrPort{netip.AddrPortFrom(clientAddr.Addr(), 50000), otherAddr} {
				answer, drop := m.host.Handle(m.now, m.unix, nil, d, from)
				require.Equal(t, framing.DropNoPeer, drop)
				require.Empty(t, answer)
			}
		}
		return d
	}
	m.joined()
	require.True(t, early)
}

func TestAnotherPortOfTheClientGetsTheSameToken(t *testing.T) {
	m, session := restarted(t)
	m.from = netip.AddrPortFrom(clientAddr.Addr(), 50000)
	reset, _ := m.give(m.seal())
	require.Equal(t, framing.Accepted, session.HandleReset(reset))
}

func TestResetsAreFew(t *testing.T) {
	m, _ := restarted(t)
	d := append([]byte{13, 1, 2, 3, 4}, make([]byte, 60)...)
	resets := 0
	for range 1000 { // in 10 s
		m.now += 10 * ms
		if answer, _ := m.give(d); len(answer) > 0 {
			resets++
		}
	}
	require.InDelta(t, 4*10+4, resets, 1)

	resets = 0
	for i := range 20_000 { // from everywhere, in 1 s
		m.now += 50_000
		m.from = netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 9, byte(i >> 8), byte(i)}), 4000)
		if answer, _ := m.give(d); len(answer) > 0 {
			resets++
		}
	}
	require.InDelta(t, 1000+100, resets, 5)
}

func TestASealedOfNobodyCostsNothing(t *testing.T) {
	m, _ := restarted(t)
	d := append([]byte{13, 1, 2, 3, 4}, make([]byte, 60)...)
	for range 2000 {
		m.give(d)
	}
	require.Zero(t, testing.AllocsPerRun(100, func() { m.host.Handle(m.now, m.unix, nil, d, m.from) }))
}
