package sim

import "net/netip"

// EventKind says what happened.
type EventKind uint8

const (
	Sent       EventKind = iota + 1 // Write accepted it, and it enters the link
	Delivered                       // put into the receive buffer of a socket
	Lost                            // Event.Drop says why
	Duplicated                      // a copy follows
	Corrupted                       // bits flipped; the payload is the changed one
	Truncated                       // cut short; the payload is what is left
	Extended                        // bytes appended; the payload is the whole
	HeldBack                        // by Conditions.Reorder
	Noted                           // Network.Note, or a change such as a freeze or a new NAT mapping; Event.Text says which
	numKinds
)

var kindNames = [numKinds]string{"unknown", "sent", "delivered", "lost", "duplicated", "corrupted", "truncated", "extended",
	"held back", "note"}

// String gives the name of k, such as "delivered".
func (k EventKind) String() string {
	if k < numKinds {
		return kindNames[k]
	}
	return "unknown"
}

// Event is one thing that happened in the network.
type Event struct {
	Time int64 // of the network
	Kind EventKind
	Drop Drop // for Lost
	Text string

	From, To            *Node // nil for Noted; To is nil if nobody has the destination
	Source, Destination netip.AddrPort
	Payload             []byte // valid during the call
}

// Watch calls f for each event from now on. Watchers see, they do not touch: f must not send, nor change the network,
// which belongs in At.
func (nw *Network) Watch(f func(Event)) { nw.watchers = append(nw.watchers, f) }

// TraceHash is a hash of all events up to now: times, kinds, addresses, sizes and payloads, and notes. Two runs with
// equal hashes went the same way. It is the same on every platform.
func (nw *Network) TraceHash() uint64 { return nw.hash }

// Note puts a line of the caller's into the trace and its hash.
func (nw *Network) Note(text string) {
	nw.absorb(uint64(Noted), uint64(len(text)), hashBytes([]byte(text)))
	for _, f := range nw.watchers {
		f(Event{Time: nw.now, Kind: Noted, Text: text})
	}
}

// record puts what happened to a datagram into the hash and before the watchers.
func (nw *Network) record(kind EventKind, d *datagram) {
	nw.absorb(uint64(kind)|uint64(d.lost)<<8|uint64(len(d.payload))<<16, d.flowHash, d.payloadHash)
	if len(nw.watchers) > 0 {
		nw.show(kind, d)
	}
}

func (nw *Network) absorb(what, flow, payload uint64) {
	h := mix(nw.hash^uint64(nw.now), salt0^what)
	nw.hash = mix(h^flow, salt1^payload)
}

func (nw *Network) show(kind EventKind, d *datagram) {
	e := Event{Time: nw.now, Kind: kind, From: d.link.from, To: d.link.to,
		Source: d.source, Destination: d.destination, Payload: d.payload}
	if kind == Lost {
		e.Drop = d.lost
	}
	if e.To == nw.nowhere {
		e.To = nil
	}
	for _, f := range nw.watchers {
		f(e)
	}
}
