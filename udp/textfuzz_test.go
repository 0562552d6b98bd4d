package udp_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"net/netip"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/framing"
	"github.com/gannet-net/gannet/secure"
	"github.com/gannet-net/gannet/sim"
	"github.com/gannet-net/gannet/udp"
)

// FuzzTextsAndConfigs reads a text as everything that people paste into a program, and sets a Config to numbers. What is read is written as the same text; a Config is
// refused with the name of a field, or a host and a client work with it.
func FuzzTextsAndConfigs(f *testing.F) {
	invite := secure.Invite{HostKey: hostKey.Public(), Addresses: []string{"203.0.113.5:7000", "[2001:db8::1]:7000", "play.example.com:1"}}
	key := secure.TokenKey{ID: 7, Key: secure.Secret{1}}
	pass, err := key.IssuePass(randomness(1), invite, secure.Claims{Issued: epoch, Expires: epoch + 60})
	require.NoError(f, err)
	second := uint64(time.Second)
	for _, text := range []string{
		"", framing.BaseVersion, strings.Repeat("v", 33), "a b", "v\x00", "\xff", "127.0.0.1:7000", "[::1]:7000", "[::ffff:127.0.0.1]:7000", "0.0.0.0:0", ":7000", "[fe80::1%1]:7000", "[::%x]:1", "localhost:65536",
		hostKey.Public().String(), hostKey.Reveal(), invite.String(), pass.Reveal(), key.Reveal(), key.Reveal() + "\n# the old one\n" + key.Reveal(),
		"GANNET-1-KEYS-1 000000c1 000000b2 " + strings.Repeat("0f", 32) + " " + strings.Repeat("f0", 32),
	} {
		f.Add(text, []byte{})
		for at := 0; at < len(text); at += 11 {
			f.Add(text[:at]+"!"+text[at+1:], []byte{})
		}
	}
	f.Add("v", set("MaxPeers", 1, "Heartbeat", second, "Timeout", 3*second, "SendCeiling", 1200))
	f.Add("v", set("UnreadMessages", 1, "UnreadBytes", 1200, "WindowBytes", 1200, "SendQueueMessages", 1, "SendQueueBytes", 1200))
	f.Add("v", set("Heartbeat", uint64(time.Millisecond), "Timeout", uint64(3*time.Millisecond), "Linger", 1, "Unconfirmed", 1))
	f.Add("v", set("FirstSend", uint64(1<<31), "FirstReceive", 1<<31-1, "Budget", 100))
	for _, field := range numeric {
		for _, n := range []uint64{1, ^uint64(0), 1 << 63, 1<<63 - 1, 1 << 31, 65_001, second * 3601} {
			f.Add("v", set(field, n))
		}
	}
	f.Fuzz(func(t *testing.T, text string, numbers []byte) {
		requireReadsTextSoundly(t, text)
		requireDialsSoundly(t, text)
		requireConfigSound(t, configOf(text, numbers))
	})
}

// requireReadsTextSoundly reads a text as each form: what is accepted is what is written again.
func requireReadsTextSoundly(t *testing.T, text string) {
	line := strings.TrimSpace(text)
	if k, err := secure.ParseKey(text); err == nil {
		require.Equal(t, line, k.String())
	}
	if s, err := secure.ParseSecret(text); err == nil {
		require.Equal(t, line, s.Reveal())
	}
	if i, err := secure.ParseInvite(text); err == nil {
		require.Equal(t, line, i.String())
		require.NoError(t, i.Check())
	}
	if p, err := secure.ParsePass(text); err == nil {
		require.Equal(t, line, p.Reveal())
	}
	if keys, err := secure.ParseTokenKeys(text); err == nil && len(keys) == 1 {
		require.Contains(t, text, keys[0].Reveal())
	}
	if u, err := secure.NewUnsealer(text); err == nil {
		_, err = u.Open(nil, append([]byte("\x0D\xC1\x00\x00\x00"), make([]byte, 40)...))
		require.Error(t, err)
	}
}

// requireDialsSoundly dials a text that needs no look-up. Whom it reaches is an address as sockets give it.
func requireDialsSoundly(t *testing.T, text string) {
	if addr, err := netip.ParseAddrPort(text); err != nil && strings.Contains(text, ":") || err == nil && addr.Addr().Zone() != "" {
		return // a name, which would be looked up, or a network card
	}
	w := newWorld(t)
	m := w.member("client", nil)
	conn, err := udp.Dial(context.Background(), text, m.config(udp.Config{}, 0))
	if err != nil {
		return
	}
	to := conn.RemoteAddr()
	require.True(t, to.IsValid() && to.Port() != 0 && !to.Addr().IsUnspecified() && to.Addr() == to.Addr().Unmap(), "%v", to)
	again, err := netip.ParseAddrPort(to.String())
	require.NoError(t, err)
	require.Equal(t, to, again)
	conn.Abort()
	conn.Poll()
}

// numeric are the fields of a Config that are numbers.
var numeric = numericFields()

func numericFields() (names []string) {
	for field := range reflect.TypeFor[udp.Config]().Fields() {
		if field.IsExported() && (field.Type.Kind() == reflect.Bool || reflect.Zero(field.Type).CanInt() || reflect.Zero(field.Type).CanUint()) {
			names = append(names, field.Name)
		}
	}
	return names
}

// set gives the bytes by which configOf sets fields to values.
func set(pairs ...any) (b []byte) {
	for i := 0; i < len(pairs); i += 2 {
		for n, name := range numeric {
			if name == pairs[i] {
				value := reflect.ValueOf(pairs[i+1])
				v := uint64(0)
				if value.CanUint() {
					v = value.Uint()
				} else {
					v = uint64(value.Int())
				}
				b = binary.LittleEndian.AppendUint64(append(b, byte(n)), v)
			}
		}
	}
	return b
}

// configOf is a Config with a version, and numbers: each is a byte that names a field and eight for its value.
func configOf(version string, numbers []byte) udp.Config {
	c := udp.Config{Version: version}
	for ; len(numbers) >= 9; numbers = numbers[9:] {
		v := binary.LittleEndian.Uint64(numbers[1:])
		switch field := reflect.ValueOf(&c).Elem().FieldByName(numeric[int(numbers[0])%len(numeric)]); {
		case field.Kind() == reflect.Bool:
			field.SetBool(v&1 == 1)
		case field.CanInt():
			field.SetInt(int64(v))
		default:
			field.SetUint(v)
		}
	}
	return c
}

// requireConfigSound tries a Config on both sides of a connection.
func requireConfigSound(t *testing.T, c udp.Config) {
	w := newWorld(t)
	w.protocol = c.Protocol
	c.Plain = udp.PlainPrivateLAN
	m := w.member("host", nil)
	ready := m.config(c, port)
	var err error
	if m.host, err = udp.Listen("", ready); err != nil {
		var wrong *udp.ConfigError
		require.True(t, errors.As(err, &wrong), "%v", err)
		require.True(t, reflect.ValueOf(c).FieldByName(wrong.Field).IsValid(), wrong.Field)
		return
	}
	turns := 0
	play := func(l looper, m *member) func(int64) int64 {
		return func(int64) int64 { turns++; return m.frame(l) }
	}
	m.node.Attach(sim.ProcessFunc(play(m.host, m)))
	c.FirstSend, c.FirstReceive = c.FirstReceive, c.FirstSend
	client := w.member("client", nil)
	client.conn, err = udp.Dial(context.Background(), m.node.AddrPort(port).String(), client.config(c, 0))
	require.NoError(t, err, "what a host takes a client takes")
	client.node.Attach(sim.ProcessFunc(play(client.conn, client)))
	w.run(time.Second)
	_ = client.conn.Send(bytes.Repeat([]byte{'x'}, 300), ordered)
	client.node.Wake()
	w.run(time.Second)
	require.LessOrEqual(t, turns, 10_000, "it spins")
	require.LessOrEqual(t, m.host.Stats().Peers, 1)
	if client.conn.Err() == nil && !c.RequireToken {
		require.Contains(t, strings.Join(m.log, "\n"), "message xxx", "it stays silent: %+v", c)
	}
	client.conn.Abort()
	m.host.Abort()
	client.node.Wake()
	m.node.Wake()
	w.run(time.Second)
}
