package udp_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/sim"
	"github.com/gannet-net/gannet/udp"
)

func TestAShortSleepIsPickedUpWhereItBegan(t *testing.T) {
	for _, protocol := range bothProtocols {
		for _, asleep := range []time.Duration{3 * time.Second, 8 * time.Second} {
			w := newWorld(t)
			w.protocol = protocol
			h := w.host(lan())
			c := w.client("laptop", h, udp.Config{})
			w.run(time.Second)
			c.wants("1 connected")
			send(t, h.host.Conns()[0], "while it sleeps", ordered)
			h.node.Wake()
			c.node.Suspend(asleep)
			w.run(asleep + time.Second)
			c.wants("1 message while it sleeps")
			h.wants("1 connected")
		}
	}
}

func TestAClientThatSleptTooLongLearnsItAtOnce(t *testing.T) {
	for _, row := range []struct {
		protocol udp.Protocol
		within   time.Duration
		end      string
	}{
		{udp.Secure, 100 * time.Millisecond, "1 disconnected: connection forgotten by the host, which was restarted"},
		{udp.Base, 3100 * time.Millisecond, "1 disconnected: connection timed out"},
	} {
		t.Run(row.protocol.String(), func(t *testing.T) {
			w := newWorld(t)
			w.protocol = row.protocol
			h := w.host(lan())
			c := w.client("laptop", h, udp.Config{})
			w.run(time.Second)
			c.node.Suspend(time.Minute)
			w.run(time.Minute)
			h.wants("1 connected", "1 disconnected: connection timed out")
			c.node.Wake() // a game loop runs on
			w.run(row.within)
			c.wants("1 connected", row.end)
		})
	}
}

func TestAHostThatSleptFindsOutWhoIsStillThere(t *testing.T) {
	w := newSecureWorld(t)
	h := w.host(keyed())
	patient := knows()
	patient.Timeout = time.Hour
	stays, leaves := w.client("patient", h, patient), w.client("other", h, knows())
	w.run(time.Second)
	h.node.Suspend(time.Minute)
	w.run(time.Minute + 3*time.Second)
	h.wants("1 connected", "2 connected", "2 disconnected: connection timed out")
	stays.wants("1 connected")
	leaves.wants("2 connected", "2 disconnected: connection timed out")
}

func TestACalendarThatIsSetEndsNothing(t *testing.T) {
	w := newSecureWorld(t)
	set := int64(0)
	config, client := keyed(), knows()
	h := w.host(config)
	m := w.member("client", nil)
	client = m.config(client, 0)
	client.UnixTime = func() int64 { return epoch + w.nw.Now()/int64(time.Second) + set }
	w.dialWith(m, h, client)
	w.run(time.Second)
	for _, jump := range []time.Duration{time.Hour, -time.Hour, 24 * time.Hour} {
		set += int64(jump / time.Second)
		w.run(30 * time.Second)
	}
	m.wants("1 connected")
	require.NoError(t, m.conn.Err())
}

func TestAHostWhoseCalendarIsSetLosesNoQuietPlayerThoughTheNetworkLosesMuch(t *testing.T) {
	w := newSecureWorld(t)
	w.nw.SetDefault(sim.Conditions{Delay: 10 * time.Millisecond, Loss: sim.Percent(25)})
	set := int64(0)
	config := keyed()
	config.UnixTime = func() int64 { return epoch + w.nw.Now()/int64(time.Second) + set }
	h := w.host(config)
	for i := range 20 {
		w.client(fmt.Sprint("quiet ", i), h, knows())
	}
	w.run(10 * time.Second)
	require.Len(t, h.host.Conns(), 20)
	for range 30 {
		set += 3600
		w.run(10 * time.Second)
	}
	require.Len(t, h.host.Conns(), 20)
}

func TestAClientThatSleptAsksAHostThatSeldomSpeaks(t *testing.T) {
	w := newSecureWorld(t)
	config := keyed()
	config.Heartbeat, config.Timeout = 20*time.Minute, time.Hour
	h := w.host(config)
	c := w.client("laptop", h, knows())
	w.run(time.Second)
	w.run(2300 * time.Millisecond) // just after the host has spoken, which it does every 3.3 s
	c.node.Suspend(61 * time.Second)
	w.run(61 * time.Second)
	c.node.Wake()
	w.run(time.Minute)
	c.wants("1 connected")
	h.wants("1 connected")
}
