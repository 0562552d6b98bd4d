// Package calls measures the calls of gannet, over UDP on the loopback interface, beside net/rpc, gRPC and DRPC, over TCP there: a call that is answered with what it was asked,
// and one that is not answered. README.md says what came out.
//
// It is a module of its own, so that nobody who uses gannet downloads the others.
package calls
