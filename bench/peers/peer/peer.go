// Package peer is what a stack has to offer to be measured: a Driver, which listens and dials, and the connections that both give. Package drivers has one file
// for each stack; package workload knows nothing but what stands here.
package peer

import (
	"errors"
	"net/netip"
	"slices"
	"time"
)

// Use is what a connection will be for. A driver tunes its stack for it, as the documents of the stack advise.
type Use uint8

// The uses.
const (
	Sparse     Use = iota // few small messages, which should be early, on a path with delay and loss
	Echo                  // a small message, and one back, on a clean path
	Bulk                  // as much as goes through on a clean path
	Bottleneck            // bulk on lane 0 through a narrow path, a few small messages on lane 1; Setup.Path tells the path
	Crowd                 // a host of very many connections that say little each. Its clients have to move by themselves: nobody calls Drive for them
	Rooms                 // a crowd whose host passes on what clients say to some others, many small messages at once
)

// Crowded reports whether a host has very many clients, which move by themselves.
func (u Use) Crowded() bool { return u == Crowd || u == Rooms }

// Promise is what is promised about the messages of one lane.
type Promise uint8

// The promises. Whether reliable messages are ordered is settled by Driver.Ordered.
const (
	Reliable   Promise = iota // each message arrives, once
	Unreliable                // messages may be lost
)

// Path is what may be told to a stack that does not find out by itself.
type Path struct {
	Rate int64         // bits a second
	RTT  time.Duration // without queues
}

// Setup says what a host or a connection is for. Both ends get the same, but for Accept and Local.
type Setup struct {
	Use   Use
	Lanes []Promise // of each lane, from lane 0; at most two. What is late on one lane should not hold up the other, where the stack can help it

	// Accept is called for each new connection, once, before anything is received on it: at a host for each client, at a client from within Dial. What it
	// returns is then called for each message, one at a time for each connection, on whatever goroutine the stack has it: no driver passes messages
	// on to another goroutine for the sake of the harness. The payload is lent until the call returns.
	Accept func(Conn) Receive

	Clients   int           // how many a host has to expect
	Message   int           // largest message, in bytes
	Heartbeat time.Duration // of connections on which nothing is said; 0 is as the stack has it
	Path      Path          // of Bottleneck
	Local     netip.Addr    // address to dial from; invalid is any. A process has ports for some 28,000 sockets at one address
}

// Receive is called with each message that comes in on a lane.
type Receive func(lane int, payload []byte)

// ErrFull is returned by Send if there is no room now.
var ErrFull = errors.New("send queue full")

// Mover is what an end does that moves only while its owner drives it, as in a game loop. Stacks with goroutines of their own embed Moving.
type Mover interface {
	// Drive moves the end for up to d: it takes what came in, calling Receive on this goroutine, and sends what is due. It sleeps while nothing is to be
	// done and may return early. Stacks that move by themselves only sleep.
	Drive(d time.Duration)
}

// Conn is one end of a connection. Send, Flush, Await, Drive and Close are called by one goroutine, its owner; the owner of a host owns its connections. Receive
// of any connection of the same end may call Send as well, so a driver whose Receive runs on another goroutine than its owner has to allow for that. What
// Receive has sent leaves without a Flush, at the latest when everything was handed out that came in.
type Conn interface {
	Mover

	// Send takes one message, and has copied or sent it when it returns. It returns ErrFull if there is no room, and may block only where the call of
	// the system or of the stack does. Messages of Bulk and Bottleneck may wait for others to fill a packet or a write, as long as Flush sends them.
	Send(lane int, payload []byte) error
	// Flush lets everything leave that Send took. It is called when the sender pauses. A host has one for all its connections.
	Flush()
	// Await waits until Send may have room again, a few milliseconds at most. Only the owner calls it.
	Await()
	// Close ends the connection at once and frees what it holds.
	Close()
}

// Host is the listening end.
type Host interface {
	Mover
	Addr() string // where clients dial
	Flush()       // is Flush of all connections: owners of hosts send to many and then call it once
	Close()       // ends everything at once; nothing of the host runs when it returns
}

// Driver is one stack in one setting: a row of the tables.
type Driver struct {
	Name     string
	Settings string // how the stack was set, in one line
	Version  string // module whose version is printed, such as "github.com/xtaci/kcp-go/v5"; "" if there is none

	Ordered    bool // reliable messages of one lane arrive in order
	Reliable   bool // there are reliable messages
	Unreliable bool // there are unreliable messages
	Encrypted  bool
	NoRelay    bool  // what it sends is not UDP, so it cannot be measured behind the relay that delays and loses
	Limit      bool  // no peer, but what the machine can do at most
	Only       []Use // the uses that it has; nil is all
	MaxMessage int   // largest message in bytes; 0 is no limit
	MaxClients int   // of a host; 0 is no limit

	Listen func(Setup) (Host, error)                // on a free port of 127.0.0.1
	Dial   func(addr string, s Setup) (Conn, error) // returns when the connection stands
}

// Has reports whether the driver offers what a workload needs.
func (d *Driver) Has(s Setup) bool {
	if s.Message > d.MaxMessage && d.MaxMessage > 0 || s.Clients > d.MaxClients && d.MaxClients > 0 {
		return false
	}
	for _, p := range s.Lanes {
		if p == Reliable && !d.Reliable || p == Unreliable && !d.Unreliable {
			return false
		}
	}
	return len(d.Only) == 0 || slices.Contains(d.Only, s.Use)
}

// Moving is a Mover of a stack that moves by itself.
type Moving struct{}

// Drive sleeps.
func (Moving) Drive(d time.Duration) { time.Sleep(d) }
