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
	h, c   *member
	more   []*member // clients beside c
	client udp.Config
	text   string
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
	d := &download{world: w, h: w.member("host", nil), client: client, text: string(bytes.Repeat([]byte("bulk "), 100_000))}
	var err error
	d.h.host, err = udp.Listen("", d.h.config(host, port))
	require.NoError(t, err)
	d.c = d.dials("client")
	d.frames(time.Second)
	d.c.wants("1 connected")
	return d
}

func (d *download) dials(name string) *member {
	m := d.member(name, nil)
	var err error
	m.conn, err = udp.Dial(d.t.(*testing.T).Context(), d.h.node.AddrPort(port).String(), m.config(d.client, 0))
	require.NoError(d.t, err)
	return m
}

// joins lets another client come.
func (d *download) joins(name string) *member {
	m := d.dials(name)
	d.more = append(d.more, m)
	d.frames(time.Second)
	m.wants(fmt.Sprint(len(d.more)+1, " connected"))
	return m
}

func (d *download) frames(t time.Duration) { d.framesOf(10*time.Millisecond, t) }

// rests lets time pass in which nothing is sent.
func (d *download) rests(t time.Duration) { d.framesOf(100*time.Millisecond, t) }

func (d *download) framesOf(each, t time.Duration) {
	for ; t > 0; t -= each {
		d.h.frame(d.h.host)
		d.c.frame(d.c.conn)
		for _, m := range d.more {
			m.frame(m.conn)
		}
		d.run(each)
	}
}

// gets wants the text to come through to m, and tells how many datagrams left in runs meanwhile.
func (d *download) gets(m *member) (joined uint64) {
	d.t.Helper()
	before := d.h.host.Stats().JoinedSent
	for _, c := range d.h.host.Conns() {
		if c.ID() == m.conn.ID() {
			require.NoError(d.t, c.Send([]byte(d.text), ordered))
		}
	}
	for range 60 {
		if d.frames(time.Second); len(m.log) > 0 {
			break
		}
	}
	m.wants(fmt.Sprint(m.conn.ID(), " message ", d.text))
	return d.h.host.Stats().JoinedSent - before
}

// getsUntil lets c get the text until that is so, which it is soon.
func (d *download) getsUntil(done func() bool) {
	d.t.Helper()
	for range 20 {
		if d.gets(d.c); done() {
			return
		}
	}
	require.Fail(d.t, "not yet")
}

// damages lets the host's system damage all that it cuts, and counts it.
func (d *download) damages() (damaged *int) {
	damaged = new(int)
	d.h.batch.cut = func(run []byte) {
		*damaged += (len(run) + 1199) / 1200
		clear(run)
	}
	return damaged
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

func TestRunsThatWereGivenUpAreTriedAgain(t *testing.T) {
	d := newDownload(t, clean, udp.OffloadAuto)
	d.damages()
	d.arrives(4)
	s := d.h.host.Stats()
	require.Equal(t, udp.OffloadEvidence, s.SendOffload)
	require.Equal(t, 1, s.Alone)
	require.EqualValues(t, 1, s.SendVerdicts)
	d.h.batch.cut = nil // it was a bad minute
	d.frames(40 * time.Second)
	require.Zero(t, d.gets(d.c))
	d.frames(20 * time.Second)
	d.gets(d.c)
	require.Greater(t, d.gets(d.c), uint64(len(d.text)/1200*8/10))
	s = d.h.host.Stats()
	require.Equal(t, udp.OffloadActive, s.SendOffload)
	require.Zero(t, s.Alone)
	require.EqualValues(t, 1, s.SendVerdicts)
}

func TestBadMomentsFarApartAreNoEvidence(t *testing.T) {
	d := newDownload(t, clean, udp.OffloadAuto)
	for range 6 {
		left := 100
		d.h.batch.cut = func(run []byte) {
			if left > 0 {
				clear(run)
			}
			left -= len(run) / 1200
		}
		d.arrives(5)
		require.Negative(t, left)
	}
	require.Zero(t, d.h.host.Stats().SendVerdicts)
}

// Whether bulk is held up by a send ceiling or leaves in bursts. Verdicts follow the first one after 1, 3, 7, 15, 31, 63, 123 and 183 minutes.
func TestANetworkThatDamagesRunsForEverCostsAFewHundredDatagramsAPause(t *testing.T) {
	for _, row := range []struct {
		ceiling int64
		delay   time.Duration
	}{{0, 50 * time.Millisecond}, {-1, time.Millisecond}} {
		d := newDownload(t, sim.Conditions{Delay: row.delay}, udp.OffloadAuto, func(c *udp.Config) { c.SendCeiling = row.ceiling })
		damaged := d.damages()
		d.getsUntil(func() bool { return d.h.host.Stats().SendVerdicts > 0 })
		require.Less(t, *damaged, 3*1000, "what is on its way, three times")
		for hour, verdicts := range []int{5, 1, 1, 1} {
			*damaged = 0
			before := d.h.host.Stats().SendVerdicts
			for begin := d.nw.Now(); d.nw.Now()-begin < int64(time.Hour); d.rests(20 * time.Second) {
				d.gets(d.c)
			}
			require.EqualValues(t, verdicts, d.h.host.Stats().SendVerdicts-before, hour)
			require.LessOrEqual(t, *damaged, 3*65*verdicts, hour)
		}
	}
}

func TestAnHourWithoutAVerdictIsForgiven(t *testing.T) {
	d := newDownload(t, clean, udp.OffloadAuto)
	off := func() (seconds int) { // after a bad moment
		d.damages()
		before := d.h.host.Stats().SendVerdicts
		d.getsUntil(func() bool { return d.h.host.Stats().SendVerdicts > before })
		d.h.batch.cut = nil
		for ; d.h.host.Stats().SendOffload == udp.OffloadEvidence; seconds++ {
			d.rests(time.Second)
		}
		return seconds
	}
	require.InDelta(t, 60, off(), 3)
	require.InDelta(t, 120, off(), 3)
	d.rests(59 * time.Minute)
	require.InDelta(t, 240, off(), 3)
	d.rests(61 * time.Minute)
	require.InDelta(t, 60, off(), 3)
}

func TestTheEvidenceOfOnePeerSaysLittleAboutOthers(t *testing.T) {
	d := newDownload(t, clean, udp.OffloadAuto)
	old := d.joins("old")
	d.gets(old)
	d.damages()
	d.h.batch.cutFor = d.c.node.AddrPort(d.c.sock.LocalAddr().Port())
	d.arrives(4)
	s := d.h.host.Stats()
	require.EqualValues(t, 1, s.SendVerdicts)
	require.Equal(t, 1, s.Alone)
	require.Equal(t, udp.OffloadActive, s.SendOffload)
	require.Zero(t, d.gets(d.c))
	all := uint64(len(d.text) / 1200 * 8 / 10)
	require.Greater(t, d.gets(old), all, "who was there goes on as before")
	newcomer := d.joins("newcomer")
	joined := d.gets(newcomer)
	require.Positive(t, joined)
	require.Less(t, joined, all, "who is new begins in doubt")
	require.Greater(t, d.gets(newcomer), all)
	require.EqualValues(t, 1, d.h.host.Stats().SendVerdicts)
}

func TestNewPeersLoseFewDatagramsToANetworkThatIsKnownToDamageRuns(t *testing.T) {
	d := newDownload(t, clean, udp.OffloadAuto)
	damaged := d.damages()
	d.arrives(4)
	for i := range 5 {
		*damaged = 0
		m := d.joins(fmt.Sprint("newcomer ", i))
		d.gets(m)
		require.LessOrEqual(t, *damaged, 65)
		d.frames(time.Second) // until it is known what became of them
		require.Equal(t, 2+i, d.h.host.Stats().Alone)
		require.Equal(t, udp.OffloadEvidence, d.h.host.Stats().SendOffload)
	}
}

func TestANetworkThatLosesEverythingAlikeIsNoEvidence(t *testing.T) {
	for _, percent := range []float64{2, 20, 40} {
		d := newDownload(t, clean, udp.OffloadAuto)
		d.nw.SetDefault(sim.Conditions{Delay: 10 * time.Millisecond, Loss: sim.Percent(percent)})
		d.arrives(10)
		s := d.h.host.Stats()
		require.Equal(t, udp.OffloadActive, s.SendOffload)
		require.Greater(t, s.JoinedSent, s.DatagramsSent/2, "trials are seldom")
		require.Zero(t, s.SendVerdicts)
	}
}

// Whether runs are in doubt when it begins, and though an ack of so many lossy datagrams comes late and some get lost.
func TestAFloodOfLossyDatagramsOnANetworkThatLosesEverythingAlikeIsNoEvidence(t *testing.T) {
	for _, doubt := range []bool{false, true} {
		for _, percent := range []float64{3, 15, 25} {
			d := newDownload(t, clean, udp.OffloadAuto, func(c *udp.Config) { c.SendCeiling = -1 })
			if doubt {
				d.damages()
			}
			d.arrives(4)
			d.h.batch.cut = nil
			d.joins("newcomer")
			d.joins("another")
			before := d.h.host.Stats()
			d.nw.SetDefault(sim.Conditions{Delay: 10 * time.Millisecond, Loss: sim.Percent(percent)})
			for range 100 {
				for range 75 {
					require.NoError(t, d.h.host.Broadcast(make([]byte, 1100), unreliable))
				}
				d.frames(50 * time.Millisecond)
			}
			after := d.h.host.Stats()
			require.Equal(t, before.SendVerdicts, after.SendVerdicts, "%v %v", doubt, percent)
			require.Greater(t, after.JoinedSent-before.JoinedSent, (after.DatagramsSent-before.DatagramsSent)/2, "%v %v", doubt, percent)
		}
	}
}

func TestSteadyBulkHasItsRunsBackThoughTheNetworkLosesSome(t *testing.T) {
	for _, row := range []struct {
		delay   time.Duration
		percent float64
	}{{95 * time.Millisecond, 5}, {105 * time.Millisecond, 5}, {100 * time.Millisecond, 7}, {30 * time.Millisecond, 10}} {
		d := newDownload(t, clean, udp.OffloadAuto, func(c *udp.Config) { c.SendCeiling = -1 })
		d.damages()
		d.getsUntil(func() bool { return d.h.host.Stats().SendVerdicts > 0 })
		d.h.batch.cut = nil
		d.nw.SetDefault(sim.Conditions{Delay: row.delay, Loss: sim.Percent(row.percent)})
		c, part := d.h.host.Conns()[0], make([]byte, 60_000)
		for range 110 * 100 {
			for c.Send(part, ordered) == nil {
			}
			d.frames(10 * time.Millisecond)
			d.c.log = nil
		}
		require.EqualValues(t, 1, d.h.host.Stats().SendVerdicts, row)
		require.Zero(t, d.h.host.Stats().Alone, row)
	}
}

func TestLossesOfWhatDidNotLeaveInRunsAreNoEvidence(t *testing.T) {
	d := newDownload(t, clean, udp.OffloadAuto)
	for i := range 30 * 150 {
		if i%150 == 0 {
			d.nw.SetDefault(sim.Conditions{Delay: 10 * time.Millisecond, Loss: sim.Percent(100)})
		}
		if i%150 == 30 {
			d.nw.SetDefault(clean)
		}
		require.NoError(t, d.h.host.Broadcast([]byte("tick"), unreliable))
		d.frames(10 * time.Millisecond)
	}
	require.Greater(t, d.h.host.Conns()[0].(*udp.Conn).Stats().PacketsLost, uint64(30*16))
	require.Zero(t, d.h.host.Stats().SendVerdicts)
}

func TestDamageInJoinedReadsIsEvidence(t *testing.T) {
	d := newDownload(t, clean, udp.OffloadOn)
	d.c.batch.glue = func(run []byte) { run[len(run)-1] ^= 1; run[1000] ^= 1 }
	d.arrives(4)
	require.Equal(t, udp.OffloadEvidence, d.c.conn.HostStats().ReceiveOffload)
	require.False(t, d.c.batch.joins)
}

func TestReadsThatWereDamagedAreJoinedAgain(t *testing.T) {
	d := newDownload(t, clean, udp.OffloadOn)
	damaged := 0
	d.c.batch.glue = func(run []byte) {
		for i := 20; i < len(run); i += 1200 {
			run[i] ^= 1
			damaged++
		}
	}
	for _, seconds := range []int{60, 120, 240} {
		damaged = 0
		d.getsUntil(func() bool { return d.c.conn.HostStats().ReceiveOffload == udp.OffloadEvidence })
		require.Less(t, damaged, 256)
		off := 0
		for ; d.c.conn.HostStats().ReceiveOffload == udp.OffloadEvidence; off++ {
			d.rests(time.Second)
		}
		require.InDelta(t, seconds, off, 3)
	}
	d.c.batch.glue = nil
	before := d.c.conn.HostStats()
	d.gets(d.c)
	after := d.c.conn.HostStats()
	require.Greater(t, after.JoinedReceived, before.JoinedReceived)
	require.Equal(t, udp.OffloadActive, after.ReceiveOffload)
	require.EqualValues(t, 3, after.ReceiveVerdicts)
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
		d.h.batch.refuse = nil
		d.rests(2 * time.Hour)
		require.Zero(t, d.gets(d.c), "which is for good")
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
