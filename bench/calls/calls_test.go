package calls

import (
	"testing"

	"github.com/gannet-net/gannet/udp"
)

// rows are what is measured, in the order of README.md.
var rows = []struct {
	name       string
	echo, tell func(*testing.B)
}{
	{"gannet secure, one loop", oneLoop(udp.Secure), tell(udp.Secure, 1)},
	{"gannet secure, 16 a frame", nil, tell(udp.Secure, 16)},
	{"gannet secure, two goroutines", twoGoroutines(udp.Secure), nil},
	{"gannet base, one loop", oneLoop(udp.Base), tell(udp.Base, 1)},
	{"gannet base, 16 a frame", nil, tell(udp.Base, 16)},
	{"gannet base, two goroutines", twoGoroutines(udp.Base), nil},
	{"net-rpc", netEcho, netTell},
	{"gRPC", grpcCall, grpcTell},
	{"DRPC", drpcCall, drpcTell},
}

// BenchmarkEcho waits for the answer of each call.
func BenchmarkEcho(b *testing.B) {
	for _, r := range rows {
		if r.echo != nil {
			b.Run(r.name, func(b *testing.B) { b.ReportAllocs(); r.echo(b) })
		}
	}
}

// BenchmarkTell waits only until all calls have arrived.
func BenchmarkTell(b *testing.B) {
	for _, r := range rows {
		if r.tell != nil {
			b.Run(r.name, func(b *testing.B) { b.ReportAllocs(); r.tell(b) })
		}
	}
}

// TestEachEchoComesBack and all that is told arrives: a benchmark that measures nothing fails.
func TestEachEchoComesBack(t *testing.T) {
	for _, r := range rows {
		for _, measured := range []func(*testing.B){r.echo, r.tell} {
			if measured != nil && testing.Benchmark(measured).N == 0 {
				t.Errorf("%s does not do what it should", r.name)
			}
		}
	}
}
