package msgs

import (
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

// Blame is what generated code returns when a message cannot be encoded or decoded: a *layout.FieldError that says in which field, and wraps
// err. To decode, b is the whole message and offset how much of it was read before err, in bytes or, with codec Bits, in bits. To encode, b is
// what was appended before err, id included, and offset -1.
func Blame(d Descriptor, b []byte, offset int, err error) error {
	if parsed, problem := d.Catalogue.Layout(); problem == nil {
		for i := range parsed.Messages {
			if m := &parsed.Messages[i]; m.Name == d.Entry.Name {
				return parsed.Blame(m, b, offset, err)
			}
		}
	}
	return &layout.FieldError{Message: d.Entry.Name, Err: err}
}

// Invalid is what generated code returns if Validate refuses a message with err.
func Invalid(d Descriptor, err error) error {
	return &layout.FieldError{Message: d.Entry.Name, Err: err}
}
