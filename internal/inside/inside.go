// Package inside is how a test looks into a host or a client of package udp: a Config.Socket that is a [Viewer] is shown what no user needs to see. It is
// internal, so that it is no part of what udp promises.
package inside

// State is what the engine under a host or a client holds at one moment.
type State struct {
	Peers    int // in its table, those included that have ended and still say goodbye
	Timers   int // that are armed
	Buffers  int // of messages, taken from the pool and not given back
	Sessions int // found by the id in a datagram, those included that are over and remembered for a while
	FreeIDs  int // peer ids that are not taken, at a host
}

// Viewer is a socket that wants to see the engine that uses it. Show is called once, before anything is sent. look takes the lock of the engine, so it may be called from
// anywhere but Clock and UnixTime.
type Viewer interface {
	Show(look func() State)
}
