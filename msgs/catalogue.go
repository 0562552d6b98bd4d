package msgs

import (
	"sync/atomic"
	"time"

	"github.com/gannet-net/gannet/msgs/layout"
	"github.com/gannet-net/gannet/transport"
)

// Side is one end of a session.
type Side = layout.Side

const (
	Client = layout.Client // dials
	Host   = layout.Host   // is dialled
	Both   = layout.Both   // in Entry.From: either side may send it
)

// Catalogue is a set of messages, written by netgen as a variable of the package that declares them. It is never changed or copied.
type Catalogue struct {
	Name      string
	Protocol  string // names the version of the catalogue
	Codec     layout.Codec
	HostIDs   int // codec Bits: how many ids the host has, which gives the width of an id
	ClientIDs int // likewise for clients
	States    []string
	Entries   []Entry // ascending ids; host's and client's own ids may be equal with codec Bits

	Fingerprint uint64 // of Description (MESSAGES.md 3)
	Description string // the layout of all messages in words, as layout.Parse reads it

	layout atomic.Pointer[layout.Catalogue] // Description in parts, once somebody wanted it
}

// Entry is what the router has to know of one message.
type Entry struct {
	ID       uint16
	Name     string
	From     Side
	Delivery transport.Delivery
	Channel  uint8
	States   uint64 // bit i: allowed in Catalogue.States[i]; 0 is any state
	MinSize  int    // of the whole message, id included, in bytes
	MaxSize  int
	TTL      time.Duration
	Urgent   bool
}

// State is one of the states of the sessions of a catalogue. Netgen writes a variable for each, such as StateLobby.
type State struct {
	Catalogue *Catalogue
	Bit       uint8 // index in Catalogue.States
}

// Descriptor says which entry of which catalogue a message type is.
type Descriptor struct {
	Catalogue *Catalogue
	Entry     *Entry
}

// Message is implemented by the pointers to the types that netgen wrote code for.
type Message interface {
	// Descriptor says what the message is. It works on a nil pointer.
	Descriptor() Descriptor
	// Append appends the whole message, id included, to b. If a value cannot be encoded it returns b as it was and an error that names the field.
	Append(b []byte) ([]byte, error)
	// Parse decodes a whole message, id included, and copies what it keeps. It reuses the memory of slices, and of strings that did not change. An error leaves the
	// message in no particular state.
	Parse(b []byte) error
}

// Target is where a message can be sent: a Peer, or many that Router.All, Except and Only stand for. Generated Send methods call it.
type Target interface {
	// Buffer lends an empty slice to encode into until SendEncoded, which has to follow.
	Buffer() []byte
	// SendEncoded sends b, which is a whole message of type d, or returns err if that is not nil. What was appended to a Buffer goes back with it; other bytes,
	// such as those that Append gave once for many targets, stay the caller's.
	SendEncoded(d Descriptor, b []byte, err error) error
}
