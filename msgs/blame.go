package msgs

import (
	"bytes"
	"fmt"

	"github.com/gannet-net/gannet/msgs/layout"
)

// Layout is Description in parts. It is made once, and is not to be changed. Any goroutine may ask for it.
func (c *Catalogue) Layout() (*layout.Catalogue, error) {
	if parsed := c.layout.Load(); parsed != nil {
		return parsed, nil
	}
	parsed, err := layout.Parse(c.Description)
	if err != nil {
		return nil, fmt.Errorf("msgs: Description of catalogue %s: %w", c.Name, err)
	}
	c.layout.Store(parsed)
	return parsed, nil
}

// Blame is what generated code returns when a message cannot be encoded or decoded: an error that wraps a *layout.FieldError, which says in which field, and
// that wraps err. To decode, b is the whole message and offset how much of it was read before err, in bytes or, with codec Bits, in bits. To encode, b is
// what was appended before err, id included, and offset -1. b is copied: the field is looked for when somebody asks, since most of what a hostile peer sends
// is counted and no more.
func Blame(d Descriptor, b []byte, offset int, err error) error {
	return &failure{d, bytes.Clone(b), offset, err}
}

// failure is a message that could not be encoded or decoded.
type failure struct {
	of     Descriptor
	bytes  []byte
	offset int
	err    error
}

func (f *failure) Error() string { return f.Unwrap().Error() }

// Unwrap finds the field.
func (f *failure) Unwrap() error {
	if parsed, problem := f.of.Catalogue.Layout(); problem == nil {
		for i := range parsed.Messages {
			if m := &parsed.Messages[i]; m.Name == f.of.Entry.Name {
				return parsed.Blame(m, f.bytes, f.offset, f.err)
			}
		}
	}
	return &layout.FieldError{Message: f.of.Entry.Name, Err: f.err}
}

// Invalid is what generated code returns if Validate refuses a message with err.
func Invalid(d Descriptor, err error) error {
	return &layout.FieldError{Message: d.Entry.Name, Err: err}
}
