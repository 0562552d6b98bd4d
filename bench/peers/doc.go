// Peers measures gannet beside other ways to send messages: kcp-go, quic-go, pion/sctp, ENet, TCP and bare UDP, over real sockets. README.md says what is measured, how each stack was set, and what
// the figures mean.
//
//	go run . [-workload NAMES] [-peers NAMES] [-repeats N] [-seed N] [-short] [-json]
//
// It is a module of its own, so that nobody who uses gannet downloads the others.
package main
