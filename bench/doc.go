// Package bench measures what gannet costs: the codec, seals, the machine, a whole host, the simulator, a real socket. Run
//
//	go test -run - -bench . ./bench
//
// Times are of this machine and drift with what else it does; compare within one run. Names tell how much is measured: Machine and Packet are
// endpoints by themselves on the base protocol and on the packet wire, with a seal that costs nothing; Engine is a whole host on a socket in memory, seals included, without its
// clients; Socket is the same on loopback, with what the kernel takes. Units say what a number is for: ns/packet for a datagram that came or went,
// ns/message, ns/peer for each peer that a message was sent to, ns/peer-second for all that a connection costs its host in a second, B/session for
// what it takes of the host's memory. Allocations are exact, and their ceilings are tests.
//
// Calls are measured in internal/calling, which has their harness. bench/measure runs both, and bench/compare holds the results against
// testdata/baseline.txt.
package bench
