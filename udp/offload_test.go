package udp_test

import (
	"bytes"
	"fmt"
	"runtime"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/sim"
	"github.com/gannet-net/gannet/transport"
	"github.com/gannet-net/gannet/udp"
)

// download is a secure world with a host and a client, whose sockets cut and join, and what the host will send. Both are game loops of 100 frames
// a second, so that datagrams leave by the dozen.
type download struct {
	*world
	h, c *member
	text string
}

func newDownload(t *testing.T, conditions sim.Conditions, mode udp.OffloadMode, change ...func(*udp.Config)) *download {
	w := newSecureWorld(t)
	w.batches, w.runs = true, true
	w.nw.SetDefault(conditions)
	host, client := keyed(), knows()
	host.Offload, client.Offload = mode, mode
	for _, f := range change {
		f(&host)
	}
	d := &download{world: w, h: w.member("host", nil), c: w.member("client", nil), text: string(bytes.Repeat([]byte("bulk "), 100_000))}
	var err error
	d.h.host, err = udp.Listen("", d.h.config(host, port))
	require.NoError(t, err)
	d.c.conn, err = udp.Dial(t.Context(), d.h.node.AddrPort(port).String(), d.c.config(client, 0))
	require.NoError(t, err)
	d.frames(time.Second)
	d.c.wants("1 connected")
	return d
}

func (d *download) frames(t time.Duration) {
	for ; t > 0; t -= 10 * time.Millisecond {
		d.h.frame(d.h.host)
		d.c.frame(d.c.conn)
		d.run(10 * time.Millisecond)
	}
}

// arrives wants the text to come through, so many times.
func (d *download) arrives(times int) {
	d.t.Helper()
	for range times {
		require.NoError(d.t, d.h.host.Conns()[0].Send([]byte(d.text), ordered))
		for range 60 {
			if d.frames(time.Second); len(d.c.log) > 0 {
				break
			}
		}
		d.c.wants("1 message " + d.text)
	}
}

var clean = sim.Conditions{Delay: 10 * time.Millisecond}

func TestBulkLeavesAndArrivesInRuns(t *testing.T) {
	d := newDownload(t, clean, udp.OffloadAuto)
	d.arrives(4)
	sent, got := d.h.host.Stats(), d.c.conn.HostStats()
	require.Equal(t, udp.OffloadActive, sent.SendOffload)
	require.Greater(t, sent.JoinedSent, sent.DatagramsSent*8/10)
	require.Less(t, sent.RunsSent*5, sent.JoinedSent)
	require.Zero(t, got.Drops.Total())
	require.NotEqual(t, udp.OffloadUnavailable, got.ReceiveOffload)
}

func TestWhatIsReadInBulkIsJoinedFromThenOn(t *testing.T) {
	d := newDownload(t, clean, udp.OffloadAuto)
	require.Equal(t, udp.OffloadReady, d.c.conn.HostStats().ReceiveOffload)
	for range 5 {
		require.NoError(t, d.h.host.Conns()[0].Send([]byte(d.text), ordered))
		for range 60 { // while the client does not look
			d.h.frame(d.h.host)
			d.run(10 * time.Millisecond)
		}
		d.frames(time.Second)
		d.c.wants("1 message " + d.text)
	}
	s := d.c.conn.HostStats()
	require.Equal(t, udp.OffloadActive, s.ReceiveOffload)
	require.Positive(t, s.RunsReceived)
	require.Greater(t, s.JoinedReceived, s.RunsReceived)
}

// A pass of 256 datagrams is four reads, of which any may be the full one.
func TestOneFullReadIsEnoughForTheNextPassToJoin(t *testing.T) {
	d := newDownload(t, clean, udp.OffloadAuto)
	for range 3 {
		require.NoError(t, d.h.host.Conns()[0].Send([]byte(d.text)[:100*1100], ordered))
		for range 20 { // while the client does not look
			d.h.frame(d.h.host)
			d.run(10 * time.Millisecond)
		}
		d.frames(time.Second)
		d.c.wants("1 message " + d.text[:100*1100])
	}
	require.Equal(t, udp.OffloadActive, d.c.conn.HostStats().ReceiveOffload)
}

// The sender may have as much on its way as one Poll reads, and waits for the first ack of that.
func TestWhatAPollReadsIsAckedBeforeAllOfItIsRead(t *testing.T) {
	d := newDownload(t, clean, udp.OffloadAuto, func(c *udp.Config) { c.SendCeiling = -1 })
	require.NoError(t, d.h.host.Conns()[0].Send([]byte(d.text), ordered))
	d.h.frame(d.h.host)
	d.run(20 * time.Millisecond)
	d.c.batch.writes = nil
	before := d.c.conn.Stats()
	d.c.frame(d.c.conn)
	after := d.c.conn.Stats()
	require.EqualValues(t, 256, after.DatagramsReceived-before.DatagramsReceived)
	require.Len(t, d.c.batch.writes, 2, "after 128, and of the rest with what the frame sends")
}

// What comes behind a full run begins the next one, and is not a run of a few because the outbox is full soon.
func TestMostRunsOfBulkAreFull(t *testing.T) {
	d := newDownload(t, clean, udp.OffloadAuto, func(c *udp.Config) { c.SendCeiling = -1 })
	full, others := 0, 0
	d.h.batch.cut = func(run []byte) {
		if len(run) > 63<<10 {
			full++
		} else {
			others++
		}
	}
	d.arrives(4)
	require.Greater(t, full, 2*others)
}

func TestRunsThatGetLostWhereOthersArriveAreGivenUp(t *testing.T) {
	for name, cut := range map[string]func([]byte){
		"all":               func(run []byte) { clear(run) },
		"all but the first": func(run []byte) { clear(run[1200:]) },
		"every second": func(run []byte) {
			for i := 1200; i < len(run); i += 2400 {
				run[i+20] ^= 1
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			d := newDownload(t, clean, udp.OffloadAuto)
			d.h.batch.cut = cut
			d.arrives(4)
			s := d.h.host.Stats()
			require.Equal(t, udp.OffloadEvidence, s.SendOffload)
			d.arrives(1)
			require.Equal(t, s.RunsSent, d.h.host.Stats().RunsSent)
			require.Equal(t, udp.OffloadActive, d.c.conn.HostStats().SendOffload, "the other side is not to blame")
		})
	}
}

func TestANetworkThatLosesEverythingAlikeIsNoEvidence(t *testing.T) {
	for _, percent := range []float64{2, 20} {
		d := newDownload(t, sim.Conditions{Delay: 10 * time.Millisecond, Loss: sim.Percent(percent)}, udp.OffloadAuto)
		d.arrives(10)
		s := d.h.host.Stats()
		require.Equal(t, udp.OffloadActive, s.SendOffload)
		require.Positive(t, s.RunsSent)
	}
}

func TestDamageInJoinedReadsIsEvidence(t *testing.T) {
	d := newDownload(t, clean, udp.OffloadOn)
	d.c.batch.glue = func(run []byte) { run[len(run)-1] ^= 1; run[1000] ^= 1 }
	d.arrives(4)
	require.Equal(t, udp.OffloadEvidence, d.c.conn.HostStats().ReceiveOffload)
	require.False(t, d.c.batch.joins)
}

func TestARunThatTheSystemRefusesIsSentOneByOne(t *testing.T) {
	for _, err := range []error{syscall.EIO, syscall.EINVAL} {
		d := newDownload(t, clean, udp.OffloadAuto)
		d.h.batch.refuse = func(p []byte) error {
			if len(p) > 1200 {
				return err
			}
			return nil
		}
		d.arrives(2)
		s := d.h.host.Stats()
		require.Equal(t, udp.OffloadRefused, s.SendOffload)
		require.Zero(t, s.WriteErrors)
		require.Zero(t, s.RunsSent)
		require.Zero(t, d.h.host.Conns()[0].(*udp.Conn).Stats().PacketsLost)
	}
}

func TestOffloadIsOffWhereItIsNotWantedOrNotPossible(t *testing.T) {
	d := newDownload(t, clean, udp.OffloadOff)
	d.arrives(2)
	s := d.h.host.Stats()
	require.Equal(t, udp.OffloadConfigured, s.SendOffload)
	require.Equal(t, udp.OffloadConfigured, s.ReceiveOffload)
	require.Zero(t, s.RunsSent)

	base := listen(t, udp.Config{Protocol: udp.Base, Offload: udp.OffloadOn})
	require.Equal(t, udp.OffloadUnavailable, base.Stats().SendOffload)
}

func TestBulkTakesTheShortWayThroughTheSystem(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("Linux alone cuts and joins")
	}
	for _, row := range []struct {
		listen, to string
		driving    transport.Driving
	}{{"127.0.0.1:0", "127.0.0.1", udp.Background}, {"[::]:0", "127.0.0.1", udp.Background}, {"[::]:0", "::1", udp.GameLoop}, {"0.0.0.0:0", "127.0.0.1", udp.GameLoop}} {
		t.Run(fmt.Sprint(row), func(t *testing.T) {
			h := listenOn(t, row.listen, udp.Config{Offload: udp.OffloadOn})
			c, err := udp.Dial(testContext(t), netAddr(h, row.to), udp.Config{Offload: udp.OffloadOn, Driving: row.driving})
			require.NoError(t, err)
			t.Cleanup(func() { finish(c) })
			text := bytes.Repeat([]byte("bulk "), 100_000)
			if row.driving == udp.Background {
				require.NoError(t, c.Send(text, ordered))
			} else {
				loop(t, func() bool { return c.ID() != 0 }, func(transport.Event) {}, c)
				require.NoError(t, c.Send(text, ordered))
				loop(t, func() bool { return c.Stats().MessagesAcked == 1 }, func(transport.Event) {}, c)
			}
			require.Equal(t, string(text), receive(t, accept(t, h)))
			sent, got := c.HostStats(), h.Stats()
			if sent.SendOffload == udp.OffloadUnavailable {
				t.Skip("this kernel does not")
			}
			require.Equal(t, udp.OffloadActive, sent.SendOffload)
			require.Positive(t, sent.RunsSent)
			require.Greater(t, sent.JoinedSent, 4*sent.RunsSent)
			require.Positive(t, got.RunsReceived)
			require.Zero(t, got.Drops.Total())
		})
	}
}
