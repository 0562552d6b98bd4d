package framing

import "fmt"

// Frame is what one datagram says. Fields that its kind does not have are zero.
type Frame struct {
	Kind Kind

	PeerID  uint8  // Accept: the id given to the client, 0..255 as received; MaxPeerID is the largest that may be used
	Seq     int32  // Reliable, Ack: the sequence of the message
	Text    []byte // Connect: the version; Refuse: the reason, 0..1197 bytes of UTF-8, as the host wrote it
	Payload []byte // Unreliable, Reliable: the message, not nil and possibly empty
}

// String gives f in words, for people: payloads by their size.
func (f Frame) String() string {
	switch f.Kind {
	case KindConnect, KindRefuse:
		return fmt.Sprintf("%v %q", f.Kind, f.Text)
	case KindAccept:
		return fmt.Sprintf("%v id %d", f.Kind, f.PeerID)
	case KindUnreliable:
		return fmt.Sprintf("%v, %d bytes", f.Kind, len(f.Payload))
	case KindReliable:
		return fmt.Sprintf("%v seq %d, %d bytes", f.Kind, f.Seq, len(f.Payload))
	case KindAck:
		return fmt.Sprintf("%v seq %d", f.Kind, f.Seq)
	}
	return f.Kind.String()
}
