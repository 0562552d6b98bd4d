package framing

import "strconv"

// Kind is the first byte of a datagram. It says how the rest is to be read.
type Kind uint8

// The kinds of the base protocol, PROTOCOL.md 1.
const (
	KindConnect    Kind = iota + 1 // a client asks for a session
	KindAccept                     // the host opens it
	KindRefuse                     // the host does not, and says why
	KindUnreliable                 // a message, sent once
	KindReliable                   // a message, sent until it is acknowledged
	KindAck                        // one Reliable has arrived
	KindHeartbeat                  // nothing but a sign of life
	KindDisconnect                 // the session is over
)

// kindInfo is what is known of a kind before its body is read.
type kindInfo struct {
	name string

	// A datagram of fewer bytes lacks a field, one of more has something left over. Where a text tells its own length only the
	// text can tell whether something is left.
	minSize, maxSize int

	// What a receiver of that role makes of the kind: Accepted, or the check that it fails.
	atHost, atClient Drop
}

// kinds has a row for every kind that is given out or reserved, PROTOCOL.md 1.
var kinds = [16]kindInfo{
	0:              {"Kind(0)", 1, MaxDatagram, DropKind, DropKind},
	KindConnect:    {"Connect", textHeader, MaxDatagram, Accepted, DropDirection},
	KindAccept:     {"Accept", acceptSize, acceptSize, DropDirection, Accepted},
	KindRefuse:     {"Refuse", textHeader, MaxDatagram, DropDirection, Accepted},
	KindUnreliable: {"Unreliable", UnreliableHeader, MaxDatagram, Accepted, Accepted},
	KindReliable:   {"Reliable", ReliableHeader, MaxDatagram, Accepted, Accepted},
	KindAck:        {"Ack", ackSize, ackSize, Accepted, Accepted},
	KindHeartbeat:  {"Heartbeat", kindSize, kindSize, Accepted, Accepted},
	KindDisconnect: {"Disconnect", kindSize, kindSize, Accepted, Accepted},
	9:              {"Kind(9)", 1, MaxDatagram, DropKind, DropKind},
	10:             {"Kind(10)", 1, MaxDatagram, DropDirection, DropKind},
	11:             {"Kind(11)", 1, MaxDatagram, DropKind, DropKind},
	12:             {"Kind(12)", 1, MaxDatagram, DropDirection, DropKind},
	13:             {"Kind(13)", 1, MaxDatagram, DropKind, DropKind},
	14:             {"Kind(14)", 1, MaxDatagram, DropDirection, DropKind},
	15:             {"Kind(15)", 1, MaxDatagram, DropDirection, DropKind},
}

// String gives the name of k, such as "Connect", or "Kind(9)" if it has none.
func (k Kind) String() string {
	if int(k) < len(kinds) {
		return kinds[k].name
	}
	return "Kind(" + strconv.Itoa(int(k)) + ")"
}

// Role is the part that one side plays in a session. Where a datagram is judged it is the role of the receiver.
type Role uint8

const (
	// Client is the side that dials.
	Client Role = iota
	// Host is the side that listens.
	Host
)

// String gives the name of r.
func (r Role) String() string {
	if r == Host {
		return "host"
	}
	return "client"
}
