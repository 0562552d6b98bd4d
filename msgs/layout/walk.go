package layout

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/gannet-net/gannet/wire"
)

var (
	// ErrUnread is the error of a message that goes on after its last field.
	ErrUnread = errors.New("bytes are left after its fields")

	// ErrID is the error of bytes that begin with an id that the catalogue, or the message in question, does not have.
	ErrID = errors.New("unknown id")
)

// Step is one value of a message that Walk comes to: a field without fields in it, or the count of a list. It is valid until visit returns.
type Step struct {
	Field  *Field
	Offset int // where the value begins, in bits from the start of the message
	Bits   int // how many bits it takes, those of its length and of padding included; of a list, those of its count

	value value
	walk  *walker
}

// Path returns where in the message the value is, such as "Order[2].Name". The count of a list has the path of the list.
func (s Step) Path() string { return s.walk.path() }

// Walk reads b as a whole message of type m, id included, by its description alone, and calls visit, which may be nil, for each value in the order in which
// they stand there, until visit returns false. It accepts what generated code accepts, but for Validate methods; the error of what
// it refuses is a *FieldError with the error of package wire, ErrUnread, or ErrID. It keeps nothing of b, and a message costs no more than a multiple of its
// length. The catalogue must have passed Check.
func (c *Catalogue) Walk(m *Message, b []byte, visit func(Step) bool) error {
	if visit == nil {
		visit = func(Step) bool { return true }
	}
	return c.walk(m, b, visitor(visit), false)
}

// Find returns the message that b is by its id, if from sent it.
func (c *Catalogue) Find(from Side, b []byte) (*Message, error) {
	w := newWalker(c, nil, b)
	id := w.id(from)
	if err := w.in.Err(); err != nil {
		return nil, err
	}
	for i := range c.Messages {
		if m := &c.Messages[i]; m.ID == id && m.From&from != 0 {
			return m, nil
		}
	}
	return nil, fmt.Errorf("%w %d", ErrID, id)
}

// observer is told what a walker comes to.
type observer interface {
	enter(*walker, *Field) // a struct, list or array, before what is in it
	leave(*walker, *Field)
	step(Step) bool // false ends the walk
}

// visitor is an observer of values alone.
type visitor func(Step) bool

func (visitor) enter(*walker, *Field) {}
func (visitor) leave(*walker, *Field) {}
func (v visitor) step(s Step) bool    { return v(s) }

// input is what the two readers of package wire have in common.
type input interface {
	Bool() bool
	Uint8() uint8
	Uint16() uint16
	Uint32() uint32
	Uint64() uint64
	Int8() int8
	Int16() int16
	Int32() int32
	Int64() int64
	Float32() float32
	Float64() float64
	Fail(error)
	Err() error
}

// walker reads one message.
type walker struct {
	catalogue *Catalogue
	message   *Message
	bytes     wire.Reader    // with codec Bytes
	bits      wire.BitReader // with codec Bits
	in        input          // that of the two which reads
	out       observer
	partial   bool     // the message may end where it likes
	stack     []level  // from the message to the value that is read
	set       []string // the bools that are true in the structs on the stack
}

// level is a step of a path.
type level struct {
	field *Field
	index int // which item it is, if it is one
}

func newWalker(c *Catalogue, m *Message, b []byte) *walker {
	w := &walker{catalogue: c, message: m, stack: make([]level, 0, MaxDepth)}
	if c.Codec == Bits {
		w.bits = wire.NewBitReader(b)
		w.in = &w.bits
	} else {
		w.bytes = wire.NewReader(b)
		w.in = &w.bytes
	}
	return w
}

func (c *Catalogue) walk(m *Message, b []byte, out observer, partial bool) error {
	w := newWalker(c, m, b)
	w.out, w.partial = out, partial
	id := w.id(m.From)
	if w.in.Err() == nil && id != m.ID {
		return &FieldError{m.Name, "", fmt.Errorf("%w %d", ErrID, id)}
	}
	if w.in.Err() == nil && w.fields(m.Fields) && !partial {
		w.end()
	}
	if err := w.in.Err(); err != nil {
		return &FieldError{m.Name, w.path(), err}
	}
	return nil
}

// id reads the id at the start of a message.
func (w *walker) id(from Side) uint16 {
	if w.catalogue.Codec == Bits {
		return uint16(w.bits.Bits(w.catalogue.IDBits(from)))
	}
	return uint16(w.bytes.Uint8())
}

// end fails if something is left.
func (w *walker) end() {
	left := w.bytes.Len()
	if w.catalogue.Codec == Bits {
		left = w.bits.Unread()
	}
	if left > 0 {
		w.in.Fail(fmt.Errorf("%d %w", left, ErrUnread))
	}
}

// offset returns how many bits were read.
func (w *walker) offset() int {
	if w.catalogue.Codec == Bits {
		return w.bits.Offset()
	}
	return 8 * w.bytes.Offset()
}

// path returns the path of the value that is read.
func (w *walker) path() string {
	var b strings.Builder
	for _, l := range w.stack {
		switch {
		case l.field.Name == "":
			b.WriteString("[" + strconv.Itoa(l.index) + "]")
		case b.Len() > 0:
			b.WriteString("." + l.field.Name)
		default:
			b.WriteString(l.field.Name)
		}
	}
	return b.String()
}

// fields reads the fields of a message or struct, and reports whether to go on. So do all that follow; where they do not, the stack stays.
func (w *walker) fields(fields []Field) bool {
	own := len(w.set)
	for i := range fields {
		f := &fields[i]
		if f.If != "" && !slices.Contains(w.set[own:], f.If) {
			continue
		}
		v, ok := w.field(f, 0)
		if !ok {
			return false
		}
		if f.Kind == KindBool && v.bits != 0 {
			w.set = append(w.set, f.Name)
		}
	}
	w.set = w.set[:own]
	return true
}

// field reads a field, or item index of a list or array.
func (w *walker) field(f *Field, index int) (v value, ok bool) {
	w.stack = append(w.stack, level{f, index})
	if f.Kind != KindStruct && f.Kind != KindArray {
		if v, ok = w.value(f); !ok {
			return v, false
		}
	}
	if f.Kind.row().form == nested {
		w.out.enter(w, f)
		if !w.inside(f, v) {
			return v, false
		}
		w.out.leave(w, f)
	}
	w.stack = w.stack[:len(w.stack)-1]
	return v, true
}

// inside reads what is in a struct, an array, or a list whose count is v.
func (w *walker) inside(f *Field, v value) bool {
	count := f.Len
	switch f.Kind {
	case KindStruct:
		return w.fields(f.Fields)
	case KindList:
		count = int(v.bits)
	}
	for i := range count {
		if _, ok := w.field(&f.Fields[0], i); !ok {
			return false
		}
	}
	return true
}

// value reads a value that is a step.
func (w *walker) value(f *Field) (value, bool) {
	start := w.offset()
	v := w.read(f)
	if w.in.Err() != nil {
		return v, false
	}
	return v, w.out.step(Step{Field: f, Offset: start, Bits: w.offset() - start, value: v, walk: w})
}
