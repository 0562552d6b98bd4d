package framing

import "testing"

func BenchmarkParse(b *testing.B) {
	payload := make([]byte, 64)
	for _, bench := range []struct {
		name string
		d    []byte
	}{
		{"connect", AppendConnect(nil, BaseVersion)},
		{"unreliable", AppendUnreliable(nil, payload)},
		{"reliable", AppendReliable(nil, 7, payload)},
		{"ack", AppendAck(nil, 7)},
		{"heartbeat", AppendHeartbeat(nil)},
		{"short", []byte{byte(KindAck)}},
	} {
		b.Run(bench.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				Parse(bench.d, Host)
			}
		})
	}
}
