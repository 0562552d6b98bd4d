package layout

import "errors"

// Blame says in which field encoding or decoding a message of type m failed with err. It is for the rare path of generated code, which does not know where it is.
// To decode, b is the whole message, and offset is that of the reader. To encode, b is what was written, id included, and offset is how much that is: in bytes
// with codec Bytes, in bits with codec Bits, or -1 for all of b, which is less exact with codec Bits by the zeros that fill its last byte. The result is a
// *FieldError that wraps err. It has no field if err is not about one, as that of a Validate method of the message.
func (c *Catalogue) Blame(m *Message, b []byte, offset int, err error) error {
	walked := c.Walk(m, b, nil)
	if errors.Is(walked, err) {
		return walked
	}
	switch {
	case offset < 0:
		offset = 8 * len(b)
	case c.Codec == Bytes:
		offset *= 8
	}
	l := locator{offset: offset, whole: walked == nil}
	var failed *FieldError
	if errors.As(c.walk(m, b, &l, true), &failed) && l.path == "" {
		l.path = failed.Field
	}
	return &FieldError{m.Name, l.path, err}
}

// locator is an observer that finds what is at an offset: the value that begins there, because it could not be read or written, or, in a message that is
// well-formed as a whole, the struct that ends there, because its Validate method refused it: of several the
// outermost, which is true of all.
type locator struct {
	offset int
	whole  bool
	path   string
}

func (l *locator) step(s Step) bool {
	if l.whole || s.Offset+s.Bits <= l.offset {
		return true
	}
	l.path = s.Path()
	return false
}

func (l *locator) enter(*walker, *Field) {}

func (l *locator) leave(w *walker, f *Field) {
	if l.whole && f.Kind == KindStruct && len(f.Fields) > 0 && w.offset() == l.offset {
		l.path = w.path()
	}
}
