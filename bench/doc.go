// Package bench measures what gannet costs: the codec, the machine, the simulator, a real socket. Run
//
//	go test -run - -bench . ./bench
//
// Times are of this machine and drift with what else it does; compare within one run. Allocations are exact, and their
// ceilings are tests.
package bench
