package bench

import (
	"testing"

	"github.com/gannet-net/gannet/framing"
	"github.com/gannet-net/gannet/internal/stopwatch"
)

func BenchmarkCodecReliable(b *testing.B) {
	payload, buf := make([]byte, 64), make([]byte, 0, framing.MaxDatagram)
	b.ReportAllocs()
	defer stopwatch.Op(b)()
	for b.Loop() {
		buf = framing.AppendReliable(buf[:0], 7, payload)
		if _, drop := framing.Parse(buf, framing.Host); drop != framing.Accepted {
			b.Fatal(drop)
		}
	}
}

func BenchmarkCodecAck(b *testing.B) {
	buf := make([]byte, 0, framing.MaxDatagram)
	b.ReportAllocs()
	defer stopwatch.Op(b)()
	for b.Loop() {
		buf = framing.AppendAck(buf[:0], 7)
		if _, drop := framing.Parse(buf, framing.Host); drop != framing.Accepted {
			b.Fatal(drop)
		}
	}
}

func BenchmarkCodecMalformed(b *testing.B) {
	connect := framing.AppendConnect(nil, framing.BaseVersion)
	short := connect[:len(connect)-1]
	b.ReportAllocs()
	defer stopwatch.Op(b)()
	for b.Loop() {
		if _, drop := framing.Parse(short, framing.Host); drop != framing.DropShort {
			b.Fatal(drop)
		}
	}
}
