package rpc

import (
	"github.com/gannet-net/gannet/msgs"
	"github.com/gannet-net/gannet/wire"
)

// In is a call that came in. Generated code gets it; it is lent until the method returns.
type In struct {
	Target  any // what runs it
	Results any // of a request: what New of Method.Results makes

	calls *Calls
	peer  *peer
	route *route
	at    int64 // when it came
	id    NetID
	raw   []byte // the whole message; nil if it was made here
	r     wire.BitReader
	start int // where the arguments begin, in bits
	args  any // those of a call that was made here

	request  bool
	serial   uint16
	until    int64 // when its caller waits no more
	caller   *peer // who made it in this process, as that side knows us
	waited   bool  // for its phase or its object
	begun    bool  // a request is among those that are served
	answered bool  // or will be by who called Later
	failed   error // what the handler returned
}

// ServerCall is what a method that the server runs can ask about its call.
type ServerCall struct {
	From *msgs.Peer // who calls
	ID   NetID      // of the object, 0 if the method is static
	At   int64      // when the call came, in nanoseconds of the connection's clock

	calls *Calls
	in    *In // nil if it cannot be answered later
}

// ClientCall is what a method that clients run can ask about its call.
type ClientCall struct {
	From *msgs.Peer // the server
	ID   NetID      // of the object, 0 if the method is static
	At   int64      // when the call came, in nanoseconds of the connection's clock

	calls *Calls
	in    *In // nil if it cannot be answered later
}

// ServerCall is in as a method of the server sees it.
func (in *In) ServerCall() ServerCall { return ServerCall{in.peer.Peer, in.id, in.at, in.calls, in} }

// ClientCall is in as a method of a client sees it.
func (in *In) ClientCall() ClientCall { return ClientCall{in.peer.Peer, in.id, in.at, in.calls, in} }

// Calls is what the call came to.
func (c ServerCall) Calls() *Calls { return c.calls }

// Calls is what the call came to.
func (c ClientCall) Calls() *Calls { return c.calls }

// Return takes what the method returned.
func (in *In) Return(err error) { in.failed = err }

// lend gives an In to a call that comes in. Calls that a handler causes to come in have further ones.
func (c *Calls) lend(p *peer) *In {
	if c.depth == len(c.ins) {
		c.ins = append(c.ins, new(In))
	}
	in := c.ins[c.depth]
	c.depth++
	*in = In{calls: c, peer: p}
	return in
}

// takeBack takes back what was lent last.
func (c *Calls) takeBack() {
	c.depth--
	*c.ins[c.depth] = In{}
}

// rewind brings the reader to the arguments.
func (in *In) rewind() {
	in.r = wire.NewBitReader(in.raw)
	for left := in.start; left > 0; left -= 32 {
		in.r.Bits(min(left, 32))
	}
}
