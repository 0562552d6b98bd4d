// Package transport holds what every gannet transport has in common: the [Conn] that udp and loopback both give, the
// modes in which a message can be sent, the events that come back, and the errors.
//
// It has no logic. A game written against this package runs over udp, inside one process over loopback, and on the
// simulator, without a change. The promises are those of the transporttest suite, which every transport passes.
//
// # Driving
//
// A connection is driven in one of two ways, chosen where it is made:
//
//   - Game loop: the caller's own goroutine calls Poll, then Next until it reports false, then Flush, once a frame. Nothing else
//     runs: no goroutine, no lock waited for, no allocation in the steady state. A host and all its connections belong to
//     that one goroutine.
//   - Background: the transport runs its own goroutines. Receive blocks until an event comes, or a handler is called. Every method may be
//     called from any goroutine, handlers included.
//
// # Messages
//
// Delivery is chosen for each message, not for the connection. Send copies the message and never blocks.
package transport
