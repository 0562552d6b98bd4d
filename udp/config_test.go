package udp_test

import (
	"bytes"
	"cmp"
	"context"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/secure"
	"github.com/gannet-net/gannet/sim"
	"github.com/gannet-net/gannet/transport"
	"github.com/gannet-net/gannet/udp"
)

func TestABadSettingIsAnErrorThatNamesIt(t *testing.T) {
	sock, err := sim.New(1).Node("node").Listen(0)
	require.NoError(t, err)
	for field, c := range map[string]udp.Config{
		"Protocol":           {Protocol: 2},
		"TokenKeys":          {TokenKeys: []secure.TokenKey{{}}},
		"Token":              {Token: make([]byte, 513)},
		"PSK":                {Token: make([]byte, 200)},
		"ConnectData":        {ConnectData: make([]byte, 257)},
		"Version":            {Protocol: udp.Base, Version: "with space"},
		"Plain":              {Protocol: udp.Base, Plain: 9},
		"Driving":            {Protocol: udp.Base, Driving: 9},
		"Handler":            {Protocol: udp.Base, Driving: udp.GameLoop, Handler: func(transport.Event) {}},
		"MaxPeers":           {Protocol: udp.Base, MaxPeers: 251},
		"MaxPeersPerAddress": {Protocol: udp.Base, MaxPeersPerAddress: -1},
		"Heartbeat":          {Protocol: udp.Base, Heartbeat: time.Microsecond},
		"Timeout":            {Protocol: udp.Base, Timeout: time.Second},
		"Linger":             {Protocol: udp.Base, Linger: -1},
		"DialTimeout":        {Protocol: udp.Base, DialTimeout: 2 * time.Hour},
		"Unconfirmed":        {Protocol: udp.Base, Unconfirmed: -1},
		"SendCeiling":        {Protocol: udp.Base, SendCeiling: 100},
		"Channels[0].Weight": {Channels: []udp.Channel{{Weight: 101}}},
		"YieldBulk":          {Protocol: udp.Base, YieldBulk: true},
		"AckOnTick":          {Protocol: udp.Base, AckOnTick: true},
		"Budget":             {Protocol: udp.Base, Budget: 99},
		"SendQueueBytes":     {Protocol: udp.Base, SendQueueBytes: 1},
		"SendQueueMessages":  {Protocol: udp.Base, SendQueueMessages: -1},
		"UnreadBytes":        {Protocol: udp.Base, UnreadBytes: 1},
		"UnreadMessages":     {Protocol: udp.Base, UnreadMessages: -1},
		"WindowBytes":        {Protocol: udp.Base, WindowBytes: 1},
		"Socket":             {Protocol: udp.Base, Socket: sock},
		"Offload":            {Offload: 9},
		"Reader":             {Protocol: udp.Base, Driving: udp.GameLoop, Reader: 9},
		"SocketBuffer":       {Protocol: udp.Base, SocketBuffer: 1<<30 + 1},
	} {
		t.Run(field, func(t *testing.T) {
			_, err := udp.Listen("127.0.0.1:0", c)
			var bad *udp.ConfigError
			require.ErrorAs(t, err, &bad)
			require.Equal(t, field, bad.Field)
			require.True(t, strings.HasPrefix(err.Error(), "udp: Config."+field+": "), err)
			_, err = udp.Dial(context.Background(), "127.0.0.1:7", c)
			require.ErrorAs(t, err, &bad)
		})
	}
}

func TestABadSettingIsToldWhatWouldBeGood(t *testing.T) {
	for good, c := range map[string]udp.Config{
		"up to 1 GiB, or below 0":   {Protocol: udp.Base, SocketBuffer: 1<<30 + 1},
		"above 0 and up to 1h":      {Protocol: udp.Base, Linger: -time.Second},
		"from 1 to 100":             {Channels: []udp.Channel{7: {Weight: -1}}},
		"ClassControl to ClassBulk": {Channels: []udp.Channel{{Class: 2}}},
		"there are 64":              {Channels: make([]udp.Channel, 65)},
		"from 100 to 400":           {Protocol: udp.Base, Budget: 13},
	} {
		_, err := udp.Listen("127.0.0.1:0", c)
		require.ErrorContains(t, err, good)
	}
}

// What each setting allows, together they do not.
func TestSettingsThatContradictEachOtherAreAnErrorThatSaysWhatToDo(t *testing.T) {
	keys := []secure.TokenKey{{ID: 1, Key: secure.Secret{1}}}
	ticket := ticketOf(t, secure.Secret{1}.Public())
	for _, c := range []struct {
		field, advice string
		listen, dial  bool // is an error
		at            string
		config        udp.Config
	}{
		{"RequireToken", "leave this out", true, false, "", udp.Config{RequireToken: true}},
		{"RequireToken", "leave this out", true, false, "", udp.Config{RequireToken: true, TokenKeys: keys[:0]}},
		{"", "", false, false, "", udp.Config{RequireToken: true, TokenKeys: keys}},
		{"Name", "set both or none", true, true, "", udp.Config{Name: [16]byte{1}}},
		{"", "", false, false, "", udp.Config{Name: [16]byte{1}, TokenKeys: keys}},
		{"Plain", "leave Protocol out", true, false, "", udp.Config{Protocol: udp.Base, Plain: udp.PlainNever}},
		{"", "", false, false, "", udp.Config{Plain: udp.PlainNever}},
		{"Plain", "set udp.PlainPrivateLAN", true, false, "192.168.7.7:7000", udp.Config{Protocol: udp.Base}},
		{"Plain", "set udp.PlainPrivateLAN", true, false, "[fd00::7]:7000", udp.Config{Protocol: udp.Base}},
		{"", "", false, false, "[::ffff:127.0.0.1]:0", udp.Config{Protocol: udp.Base}},
		{"", "", false, false, "0.0.0.0:0", udp.Config{Protocol: udp.Base}},
		{"Resume", "leave HostKey out", true, true, "", udp.Config{Resume: ticket, HostKey: secure.Secret{8}.Public()}},
		{"", "", false, false, "", udp.Config{Resume: ticket, HostKey: secure.Secret{1}.Public()}},
		{"Reader", "leave it out", true, true, "", udp.Config{Reader: udp.ReadDeadline}},
		{"Reader", "leave it out", true, true, "", udp.Config{Reader: udp.ReadGoroutine}},
		{"PSK", "set both or none", true, true, "", udp.Config{PSK: secure.Secret{1}}},
		{"Handler", "leave Handler out", true, true, "", udp.Config{Driving: udp.GameLoop, Handler: func(transport.Event) {}}},
	} {
		h, err := udp.Listen(cmp.Or(c.at, "127.0.0.1:0"), c.config)
		requireAdvice(t, c.listen, err, c.field, c.advice)
		if err == nil {
			h.Abort()
		}
		c.config.Driving = udp.GameLoop // in which a dial does not wait
		if c.field == "Reader" {
			c.config.Driving = udp.Background
		}
		conn, err := udp.Dial(t.Context(), "127.0.0.1:7", c.config)
		requireAdvice(t, c.dial, err, c.field, c.advice)
		if err == nil {
			conn.Abort()
			conn.Poll()
		}
	}
}

func requireAdvice(t *testing.T, wrong bool, err error, field, advice string) {
	t.Helper()
	if !wrong {
		require.NoError(t, err)
		return
	}
	var bad *udp.ConfigError
	require.ErrorAs(t, err, &bad)
	require.Equal(t, field, bad.Field)
	require.ErrorContains(t, err, advice)
}

// ticketOf is a ticket that comes from a host.
func ticketOf(t *testing.T, host secure.Key) *udp.Ticket {
	b := append([]byte{1, 1}, host[:]...)
	ticket := new(udp.Ticket)
	require.NoError(t, ticket.UnmarshalBinary(append(b, bytes.Repeat([]byte{7}, 64+100)...)))
	return ticket
}

func TestWhatTheBaseProtocolCannotProtectIsAnError(t *testing.T) {
	key := secure.Secret{1}
	for field, c := range map[string]udp.Config{
		"Key":          {Key: key},
		"Name":         {Name: [16]byte{1}},
		"TokenKeys":    {TokenKeys: []secure.TokenKey{{ID: 1, Key: key}}},
		"RequireToken": {RequireToken: true},
		"ClientKey":    {ClientKey: key},
		"HostKey":      {HostKey: key.Public()},
		"Token":        {Token: []byte("token")},
		"PSK":          {PSK: key},
		"ConnectData":  {ConnectData: []byte("data")},
		"KeyLogWriter": {KeyLogWriter: io.Discard},
	} {
		c.Protocol = udp.Base
		_, err := udp.Listen("127.0.0.1:0", c)
		var bad *udp.ConfigError
		require.ErrorAs(t, err, &bad)
		require.Equal(t, field, bad.Field)
	}
}

func TestAnAddressThatCannotBeBoundIsAnError(t *testing.T) {
	h := listen(t, udp.Config{})
	for _, addr := range []string{h.Addr().String(), "192.0.2.1:0", "127.0.0.1:70000", "nonsense"} {
		_, err := udp.Listen(addr, udp.Config{Protocol: udp.Base})
		require.Error(t, err, addr)
	}
	_, err := udp.Listen(h.Addr().String(), udp.Config{Protocol: udp.Base})
	require.ErrorContains(t, err, "another program has this port")
}

func TestAnAddressWithoutAPortIsAnErrorThatShowsOne(t *testing.T) {
	_, err := udp.Listen("127.0.0.1", udp.Config{Protocol: udp.Base})
	require.ErrorContains(t, err, `as in "127.0.0.1:7777"`)
	_, err = udp.Dial(t.Context(), "127.0.0.1", udp.Config{Protocol: udp.Base})
	require.ErrorContains(t, err, `as in "127.0.0.1:7777"`)
}
