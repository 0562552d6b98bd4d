package soak

import (
	"time"

	"github.com/gannet-net/gannet/udp"
)

// While nothing is heard of the peer, an end probes often for a second, and then four times a second at most (PROTOCOL.md 8).
const (
	probesAtFirst = 70
	probeGap      = int64(250 * time.Millisecond)
)

// lookAtProbes holds that an end which hears nothing does not go on sending as if it did.
func (w *world) lookAtProbes(e *end, s udp.Stats) {
	now := w.nw.Now()
	if s.DatagramsReceived != e.hush.heard || now < e.on.tainted {
		e.hush = hush{since: now, heard: s.DatagramsReceived, probes: s.Probes}
		return
	}
	if n := int64(s.Probes - e.hush.probes); n > probesAtFirst+(now-e.hush.since)/probeGap {
		w.fail(OnlySilence, "%s sent %d probes in the %v in which it heard nothing", e.name, n, time.Duration(now-e.hush.since))
	}
}

// hush is a time in which an end hears nothing.
type hush struct {
	since         int64
	heard, probes uint64 // datagrams and probes before
}
