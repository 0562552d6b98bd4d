package sim_test

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/sim"
)

func TestTraceTellsWhatHappenedInLines(t *testing.T) {
	p := newPair(1, sim.Conditions{Delay: 25 * time.Millisecond, Duplicate: sim.Always, Mask: 0b10})
	var out strings.Builder
	p.nw.Trace(&out, nil)
	require.NoError(t, p.c.Write([]byte("hello"), p.to, addrNone))
	p.nw.RunFor(time.Millisecond)
	require.NoError(t, p.c.Write(bytes.Repeat([]byte{7}, 20), p.to, addrNone))
	p.nw.Note("half way")
	p.host.Freeze(time.Second)
	require.NoError(t, p.c.Write(nil, at("203.0.113.1:9"), addrNone))
	p.nw.RunFor(time.Second)
	require.NoError(t, p.nw.WriteError())
	require.Equal(t, strings.TrimLeft(`
0.000000000 sent       client>host 10.0.0.1:49152>10.0.0.2:7000 5 B 68656c6c6f
0.000000000 duplicated client>host 10.0.0.1:49152>10.0.0.2:7000 5 B 68656c6c6f
0.001000000 sent       client>host 10.0.0.1:49152>10.0.0.2:7000 20 B 07070707070707070707070707070707…
0.001000000 lost       mask client>host 10.0.0.1:49152>10.0.0.2:7000 20 B 07070707070707070707070707070707…
0.001000000 note       half way
0.001000000 note       node host freezes 1s
0.001000000 sent       client> 10.0.0.1:49152>203.0.113.1:9 0 B 
0.001000000 lost       no-route client> 10.0.0.1:49152>203.0.113.1:9 0 B 
0.025000000 delivered  client>host 10.0.0.1:49152>10.0.0.2:7000 5 B 68656c6c6f
0.025000000 delivered  client>host 10.0.0.1:49152>10.0.0.2:7000 5 B 68656c6c6f
`, "\n"), out.String())
}

func TestTraceDescribesPayloadsAsTheCallerWants(t *testing.T) {
	p := newPair(1, sim.Conditions{})
	var out strings.Builder
	p.nw.Trace(&out, func(b []byte) string { return fmt.Sprintf("<%s>", b) })
	require.NoError(t, p.c.Write([]byte("hello"), p.to, addrNone))
	require.Contains(t, out.String(), " 5 B <hello>\n")
}

func TestTraceAndPcapLeaveTheHashAlone(t *testing.T) {
	run := func(watched bool) uint64 {
		p := newPair(1, harsh)
		if watched {
			p.nw.Trace(&bytes.Buffer{}, nil)
			p.nw.Pcap(&bytes.Buffer{})
		}
		p.spread(t, 1000, time.Millisecond)
		return p.nw.TraceHash()
	}
	require.Equal(t, run(false), run(true))
}

// brokenWriter fails from the third write on.
type brokenWriter struct{ writes int }

var errBroken = errors.New("disk full")

func (w *brokenWriter) Write(b []byte) (int, error) {
	if w.writes++; w.writes > 2 {
		return 0, errBroken
	}
	return len(b), nil
}

func TestWriterThatFailsIsReportedAndLeftAlone(t *testing.T) {
	p, w := newPair(1, sim.Conditions{}), &brokenWriter{}
	p.nw.Trace(w, nil)
	require.Len(t, p.spread(t, 10, 0), 10)
	require.ErrorIs(t, p.nw.WriteError(), errBroken)
	require.Equal(t, 3, w.writes)
}

func TestCountsPrintWhatIsNotZero(t *testing.T) {
	p := newPair(1, sim.Conditions{Mask: 1, Duplicate: sim.Always})
	p.send(t, 0, 2)
	require.Equal(t, "sent 2, duplicated 1, lost by mask 1, in flight 2", p.counts().String())
	p.nw.RunFor(0)
	require.Equal(t, "sent 2, duplicated 1, delivered 2, lost by mask 1, waiting 2", p.counts().String())
	p.receive(t)
	require.Equal(t, "sent 2, duplicated 1, delivered 2, lost by mask 1, read 2", p.counts().String())
	require.EqualValues(t, 8, p.counts().SentBytes)
	require.EqualValues(t, 8, p.counts().DeliveredBytes)
	require.Equal(t, p.counts(), p.nw.Counts())
}

func TestEveryKindAndDropHasAName(t *testing.T) {
	names := map[string]bool{}
	for d := range sim.NumDrops {
		names[d.String()] = true
	}
	for k := sim.Sent; k <= sim.Noted; k++ {
		names[k.String()] = true
	}
	require.Len(t, names, int(sim.NumDrops)+int(sim.Noted)-1, "only the first drop and a kind share theirs")
	require.NotContains(t, names, "unknown")
	require.NotContains(t, names, "")
	require.Equal(t, "unknown", sim.NumDrops.String())
	require.Equal(t, "unknown", (sim.Noted + 1).String())
}
