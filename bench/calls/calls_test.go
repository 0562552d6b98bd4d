package calls

import "testing"

// rows are what is measured, in the order of README.md.
var rows = []struct {
	name       string
	echo, tell func(*testing.B)
}{
	{"gannet, one loop", oneLoop, tellLoop},
	{"gannet, two goroutines", twoGoroutines, nil},
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
