package msgs

import "fmt"

// Blame is what generated code returns when a message cannot be encoded or decoded: err, with the message and the field that it is about. To decode, b is the whole message and
// offset how much of it was read before err, in bytes or, with codec Bits, in bits. To encode, b is what was appended before err, and offset -1.
func Blame(d Descriptor, b []byte, offset int, err error) error {
	return fmt.Errorf("message %s: %w", d.Entry.Name, err)
}
