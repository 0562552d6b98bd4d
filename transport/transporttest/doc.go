// Package transporttest is the one judge of all transports: a suite of the promises that package transport makes, named after them. A
// transport passes it with a function that makes pairs of connected ends:
//
//	func TestConformance(t *testing.T) {
//		transporttest.Run(t, func(t *testing.T, o transporttest.Options) transporttest.Pair { … })
//	}
//
// Each promise is checked in each style in which it can be seen: "game loop" reads events with Next, "handler" in a handler, "receive" with
// Receive. What a transport does not have is skipped by name: the suite asks Supports for modes and channels, and Local for the dial.
//
// Several pairs are open at a time, each used by one goroutine unless the promise is about several.
//
// The link between the ends must not lose or reorder anything: the suite is about the interface, not about the network. It never
// sleeps for a fixed time; a wait ends when what it waits for is there, and fails the test after five seconds.
package transporttest
