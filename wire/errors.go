package wire

import "errors"

// What writers and readers fail with. Both sides fail alike: what a reader would refuse, no writer writes.
var (
	ErrShort     = errors.New("wire: input is too short")
	ErrTooLong   = errors.New("wire: string is longer than 65535 bytes")
	ErrLimit     = errors.New("wire: above its limit")                      // a string, []byte or list with more than its max
	ErrText      = errors.New("wire: not UTF-8")                            // a string
	ErrNotFinite = errors.New("wire: not a finite number")                  // NaN or an infinity
	ErrBool      = errors.New("wire: neither true nor false")               // a byte other than 0 and 1
	ErrEnum      = errors.New("wire: not a declared value")                 // of an enum
	ErrRange     = errors.New("wire: outside its range")                    // an integer
	ErrPadding   = errors.New("wire: padding is not zero")                  // before a byte border
	ErrRotation  = errors.New("wire: neither a rotation nor a unit vector") // a length other than 1, or a part that has to be 0 and is not
	ErrCanonical = errors.New("wire: not the encoding of its value")        // the value has another one, such as 0 without its sign
	ErrWidth     = errors.New("wire: values of this kind have no such width")
)
