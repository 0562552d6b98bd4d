package secure

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/framing"
)

// logged plays a handshake with key logs at both sides.
func logged(t testing.TB, change func(h *HostConfig, c *ClientConfig)) (m *meeting, client, host *Session, log string) {
	var atHost, atClient bytes.Buffer
	m = meet(t, func(h *HostConfig, c *ClientConfig) {
		h.KeyLogWriter, c.KeyLogWriter = &atHost, &atClient
		if change != nil {
			change(h, c)
		}
	})
	joined, j := m.joined()
	require.Equal(t, atHost.String(), atClient.String(), "both sides log the same line")
	require.Equal(t, 1, strings.Count(atHost.String(), "\n"))
	return m, joined.Session, j.Session, atHost.String()
}

func requireUnseals(t testing.TB, u *Unsealer, d []byte, want Unsealed) {
	t.Helper()
	before := bytes.Clone(d)
	got, err := u.Open(nil, d)
	require.NoError(t, err)
	require.Equal(t, want, got)
	require.Equal(t, before, d)
}

func TestALogOfKeysOpensTheSession(t *testing.T) {
	m, client, host, log := logged(t, nil)
	require.Regexp(t, `^GANNET-1-KEYS-1 [0-9a-f]{8} [0-9a-f]{8} [0-9a-f]{64} [0-9a-f]{64}\n$`, log)
	u, err := NewUnsealer("# a comment\n\n" + log)
	require.NoError(t, err)
	there, back := m.seal(), host.Seal(nil, []byte("hello"), 0)
	for range 2 { // as often as they come
		requireUnseals(t, u, there, Unsealed{[]byte("\x02\x00\x00\x00\x00\x00\x00\x00"), 1, 0, true, client.ID(), host.ID()})
		requireUnseals(t, u, back, Unsealed{[]byte("hello"), 0, 0, false, client.ID(), host.ID()})
	}
}

func TestNobodyLogsKeysUnlessAsked(t *testing.T) {
	require.Nil(t, hostConfig(nil).KeyLogWriter)
	m := meet(t, nil)
	m.joined()
	for _, u := range m.host.unconfirmed.rows {
		require.Nil(t, u.keys)
	}
}

func TestOnlySessionsThatWereConfirmedAreLogged(t *testing.T) {
	var log bytes.Buffer
	m := meet(t, func(h *HostConfig, _ *ClientConfig) { h.KeyLogWriter = &log })
	m.give(m.auth())
	require.Empty(t, log.String(), "or who floods the host fills the log")
}

func TestAnUnsealerFollowsEpochs(t *testing.T) {
	m, client, host, log := logged(t, func(h *HostConfig, _ *ClientConfig) { h.RekeyAfter = 4 })
	u, err := NewUnsealer(log)
	require.NoError(t, err)
	for i := range int64(400) {
		back := host.Seal(nil, []byte("x"), i)
		epoch := host.sealing.number
		requireOpens(t, client, back, i)
		there := m.seal()
		requireOpens(t, host, there, i+1)
		requireUnseals(t, u, back, Unsealed{[]byte("x"), i, epoch, false, client.ID(), host.ID()})
		got, err := u.Open(nil, there)
		require.NoError(t, err)
		require.Equal(t, client.sealing.number, got.Epoch)
	}
	require.Greater(t, host.sealing.number, uint32(80))

	joinsLate, err := NewUnsealer(log)
	require.NoError(t, err)
	requireUnseals(t, joinsLate, host.Seal(nil, []byte("y"), 1<<29+7), Unsealed{[]byte("y"), 1<<29 + 7, host.sealing.number, false, client.ID(), host.ID()})
}

func TestAnUnsealerOpensWhatComesLateOfTheEpochBefore(t *testing.T) {
	m, client, host, log := logged(t, nil)
	u, err := NewUnsealer(log)
	require.NoError(t, err)
	late := host.Seal(nil, []byte("late"), 0)
	requireOpens(t, host, m.seal(), 1)
	host.sealing.packets = epochPackets
	requireUnseals(t, u, host.Seal(nil, []byte("x"), 1), Unsealed{[]byte("x"), 1, 1, false, client.ID(), host.ID()})
	requireUnseals(t, u, late, Unsealed{[]byte("late"), 0, 0, false, client.ID(), host.ID()})
	requireUnseals(t, u, host.Seal(nil, []byte("x"), 2), Unsealed{[]byte("x"), 2, 1, false, client.ID(), host.ID()})
}

func TestAnUnsealerSaysWhyItCannotOpen(t *testing.T) {
	m, _, host, log := logged(t, nil)
	u, err := NewUnsealer(log)
	require.NoError(t, err)
	d := m.seal()
	changed := bytes.Clone(d)
	changed[len(changed)-1] ^= 1
	_, err = u.Open(nil, changed)
	require.ErrorIs(t, err, ErrUnknown)
	other := bytes.Clone(d)
	other[1] ^= 1
	_, err = u.Open(nil, other)
	require.ErrorIs(t, err, ErrNoKeys)
	_, err = u.Open(nil, d[:25])
	require.ErrorContains(t, err, framing.DropShort.String())
	requireUnseals(t, u, d, Unsealed{[]byte("\x02\x00\x00\x00\x00\x00\x00\x00"), 1, 0, true, m.client.who.ID, host.ID()})
}

func TestSessionsWithTheSameIDAreToldApart(t *testing.T) {
	_, client, host, log := logged(t, nil)
	decoy := fmt.Sprintf("GANNET-1-KEYS-1 %08x %08x %064x %064x\n", client.ID(), host.ID(), 1, 2)
	u, err := NewUnsealer(decoy + log)
	require.NoError(t, err)
	requireUnseals(t, u, host.Seal(nil, []byte("x"), 9), Unsealed{[]byte("x"), 9, 0, false, client.ID(), host.ID()})
}

func TestMistakesInAKeyLogAreExplained(t *testing.T) {
	_, _, _, log := logged(t, nil)
	fields := strings.Fields(log)
	for i := range fields {
		for _, bad := range []string{fields[i] + "0", "x" + fields[i][1:], fields[i][1:]} {
			broken := append([]string{}, fields...)
			broken[i] = bad
			_, err := NewUnsealer("\n" + strings.Join(broken, " "))
			require.ErrorContains(t, err, "line 2: secure: not a line of a key log", bad)
		}
	}
	_, err := NewUnsealer(Secret{1}.Reveal())
	require.ErrorContains(t, err, "not a line of a key log: one has GANNET-1-KEYS-1")
}
