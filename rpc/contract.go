package rpc

import (
	"time"

	"github.com/gannet-net/gannet/msgs"
	"github.com/gannet-net/gannet/transport"
	"github.com/gannet-net/gannet/wire"
)

// Contract is a set of methods, written by netgen as a variable of the package that declares their interfaces. It is never changed.
type Contract struct {
	Catalogue *msgs.Catalogue // names it, has its states, and describes its methods
	Methods   []Method        // those that clients run first, each by id; as in the description
}

// Interface is one interface of a contract.
type Interface struct {
	Name     string
	At       msgs.Side // who runs its methods
	Instance bool      // its calls are for objects
}

// Method is what a Calls has to know of one method. CALLS.md 1 says what the words mean.
type Method struct {
	ID   uint16 // among the methods that the same side runs
	Name string // Interface.Method
	Of   *Interface

	Owner      bool                 // only the owner of the object may call it
	Deliveries []transport.Delivery // the first is the default
	Channel    uint8
	States     uint64 // bit i: Catalogue.States[i]; 0 is any
	TTL        time.Duration
	Urgent     bool

	Rate    Rate
	Missing Missing
	Wait    time.Duration // with Missing Queue
	Phase   Phase

	Args Values
	// Call calls the method of in.Target with args, and gives what it returned to in.
	Call func(in *In, args any)

	Reply    bool
	Deadline time.Duration
	Results  Values
	// Done calls done, which is what the caller of a request gave, with results, or with an error if that is not nil.
	Done func(done, results any, err error)
}

// Values are the arguments of a method or its results: a struct that netgen wrote, and what becomes of it on the wire.
type Values struct {
	MinBits, MaxBits int
	Plain            bool // every value can be encoded, so that none has to be checked
	New              func() any
	Encode           func(w *wire.BitWriter, values any)
	Decode           func(r *wire.BitReader, values any)
}

// Rate is how often one client may call a method: Count times in each Per, and Burst at once. The zero Rate is no limit.
type Rate struct {
	Count int
	Per   time.Duration
	Burst int
}

// Missing is what becomes of a call whose object is not there.
type Missing uint8

// The policies of CALLS.md 6.
const (
	Discard Missing = iota // it is counted
	Report                 // and told to Config.OnMissing and the log
	Queue                  // it waits for the object
)

// Phase is when a call runs.
type Phase uint8

// The phases of CALLS.md 7.
const (
	Now          Phase = iota
	AfterFixed         // when the game calls Run(AfterFixed)
	BeforeRender       // likewise
)

const numPhases = int(BeforeRender) + 1

// IfUndefinedRunGoGenerate1 is what generated code refers to, so that code that an older netgen wrote for another form of this package does not compile, and the
// error about the missing name says what to do.
const IfUndefinedRunGoGenerate1 = true
