package sim_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/sim"
)

func TestSteadyStateAllocatesNothing(t *testing.T) {
	for name, c := range map[string]sim.Conditions{"perfect": {}, "delayed": {Delay: 25 * time.Millisecond}, "harsh": harsh} {
		t.Run(name, func(t *testing.T) {
			p := newPair(1, c)
			p.nw.SetLink(p.host, p.client, c)
			p.host.Attach(echo(p.h), p.h)
			payload := make([]byte, 1200)
			turn := func() {
				_ = p.c.Write(payload, p.to, addrNone)
				p.nw.RunFor(6 * time.Millisecond)
				for p.c.Waiting() > 0 {
					_, _, _, _ = p.c.TryRead(p.buf[:])
				}
			}
			for range 5_000 {
				turn()
			}
			require.Zero(t, testing.AllocsPerRun(5_000, turn))
		})
	}
}

func TestSteadyStateBehindNATAllocatesNothing(t *testing.T) {
	h := newHome(t, sim.NATConfig{Expiry: time.Minute})
	h.out()
	var buf [64]byte
	turn := func() {
		_ = h.c.Write(buf[:], at("192.0.2.1:7000"), addrNone)
		h.nw.RunFor(time.Millisecond)
		_, from, local, _ := h.h.TryRead(buf[:])
		_ = h.h.Write(buf[:], from, local)
		h.nw.RunFor(time.Millisecond)
		_, _, _, _ = h.c.TryRead(buf[:])
	}
	require.Zero(t, testing.AllocsPerRun(1_000, turn))
}
