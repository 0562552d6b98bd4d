// Package reliable is one side of one connection as a pure machine: lifecycle, timers, sequences, acknowledgements and
// repairs (PROTOCOL.md). It speaks the base protocol or, with a [Sealer], the packet wire. It has no socket, clock, goroutine, lock or
// randomness of its own, so that one script of inputs gives one run, bit for bit.
//
// # Driving
//
// Inputs are HandleDatagram, Send, Close, Abort and Kick; outputs are PollDatagram, PollEvent and NextDeadline. One rule drives an
// [Endpoint]: after every input, and when NextDeadline is reached, call PollDatagram until it appends nothing and PollEvent until it
// reports false, then ask for NextDeadline again. Calling more often than needed changes nothing.
//
// now is in nanoseconds of a monotonic clock of the caller's choice and must not run backwards; a step back is taken for no
// time at all.
//
// # Addresses
//
// An endpoint knows no addresses: HandleDatagram takes what the [Sealer] opens, from wherever it came. On the packet wire it carries the
// frames by which a host finds out where its client is now: AppendPathChallenge asks, PollPathResponse tells the answer after
// HandleDatagram, and PathChanged says what came of it. A ticket, for a client to come back with, goes from SendTicket to PollTicket.
//
// # Bulk
//
// Messages of channels of [ClassBulk] leave when nothing else may. On the packet wire how fast is decided by a controller that keeps the queue of
// the path short (docs/bulk.md); nothing else waits for it. [Endpoint.SendBudget] tells what the path takes.
//
// # Ownership
//
// Bytes given to an endpoint are copied if they are kept. The payload of an [Event] comes from the endpoint's [Pool] and belongs to the
// caller until it gives it back with Recycle. An endpoint and its pool belong to one goroutine at a time.
package reliable
