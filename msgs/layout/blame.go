package layout

import (
	"errors"

	"github.com/gannet-net/gannet/wire"
)

// layoutErrors are the reasons for which a description refuses bytes, and generated code values.
var layoutErrors = []error{wire.ErrShort, wire.ErrTooLong, wire.ErrLimit, wire.ErrText, wire.ErrNotFinite, wire.ErrBool, wire.ErrEnum, wire.ErrRange,
	wire.ErrPadding, wire.ErrRotation, wire.ErrCanonical, wire.ErrWidth, ErrUnread, ErrID}

// IsLayoutError reports whether err is about what a description says: the error of Walk, or one of package wire. That of a Validate method is not.
func IsLayoutError(err error) bool {
	for _, reason := range layoutErrors {
		if errors.Is(err, reason) {
			return true
		}
	}
	return false
}

// Blame says in which field encoding or decoding a message of type m failed with err. It is for the rare path of generated code, which does not know where it is.
// To decode, b is the whole message, and offset is that of the reader. To encode, b is what was written, id included, and offset is how much that is: in bytes
// with codec Bytes, in bits with codec Bits, or -1 for all of b, which is less exact with codec Bits by the zeros that fill its last byte. The result is a
// *FieldError that wraps err. It has no field if err is not about one, as that of a Validate method of the message.
func (c *Catalogue) Blame(m *Message, b []byte, offset int, err error) error {
	if walked := c.Walk(m, b, nil); errors.Is(walked, err) {
		return walked
	}
	switch {
	case offset < 0:
		offset = 8 * len(b)
	case c.Codec == Bytes:
		offset *= 8
	}
	return locate(m.Name, b, offset, err, func(l *locator) error { return c.walk(m, b, l, true) })
}

// BlameCall is Blame for the arguments of a method, or its results, that begin at bit start of b. offset is in bits, and counts from the beginning of b as well.
func (c *Catalogue) BlameCall(m *Method, fields []Field, b []byte, start, offset int, err error) error {
	if walked := c.WalkCall(m, fields, b, start, nil); errors.Is(walked, err) {
		return walked
	}
	if offset < 0 {
		offset = 8 * len(b)
	}
	return locate(m.Name, b, offset, err, func(l *locator) error { return c.walkCall(m, fields, b, start, l, true) })
}

// locate blames err on what a walk over as much as there is finds at an offset in bits.
func locate(name string, b []byte, offset int, err error, walk func(*locator) error) error {
	l := locator{offset: offset, refused: !IsLayoutError(err)}
	var failed *FieldError
	ends := offset > 8*(len(b)-1) // what was encoded in part does: what is missing comes next
	if errors.As(walk(&l), &failed) && (ends || l.path == "") {
		l.path = failed.Field
	}
	return &FieldError{name, l.path, err}
}

// locator is an observer that finds what is at an offset: the value that begins there, because it could not be read or written, or what ends there, because
// its Validate method refused it: of a value and the structs that it is in the outermost, which is true of all.
type locator struct {
	offset  int
	refused bool // by a Validate method
	path    string
}

func (l *locator) step(s Step) bool {
	end := s.Offset + s.Bits
	if l.refused && end == l.offset || !l.refused && end > l.offset {
		l.path = s.Path()
	}
	return l.refused || end <= l.offset
}

func (l *locator) enter(*walker, *Field) {}

func (l *locator) leave(w *walker, f *Field) {
	if l.refused && f.Kind == KindStruct && len(f.Fields) > 0 && w.offset() == l.offset {
		l.path = w.path()
	}
}
