// Package replay has no code but its tests: whole hosts and clients of package udp play a game on a simulated network, and one seed
// gives one run, bit for bit, however often, on however many processors, next to whatever else, and on every platform.
//
// testdata/run.txt holds the trace hash of that run after each second, so that a change shows where it begins. On another processor, which
// an emulator is slow at, a few runs are enough:
//
//	CGO_ENABLED=0 GOARCH=386 GODEBUG=asyncpreemptoff=1 go test -short -exec qemu-i386 ./internal/replay
//	CGO_ENABLED=0 GOARCH=arm64 GODEBUG=asyncpreemptoff=1 go test -short -exec qemu-aarch64 ./internal/replay
//
// The hashes may change with what is sent and when: PROTOCOL.md, the machine's decisions about repairs and pacing, the
// simulator's draws, the game itself. Then run the test with -update and say in the commit why they changed. They must never
// change with the processor, the Go release, the scheduler, the race detector, or with work that only makes things faster.
package replay
