package layout

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode"

	"github.com/gannet-net/gannet/transport"
)

const (
	maxName    = 64 // bytes of a name or of the protocol string
	maxIDs     = math.MaxUint16 + 1
	maxChannel = 63
)

// FieldError is an error in a field of a message, or in the message if Field is "". Of a method, whose name has a point in it, the fields are arguments and results.
type FieldError struct {
	Message string
	Field   string // its path, such as "Order[2].Name", or "Order[].Name" where no item is meant
	Err     error
}

// Error names the message and the field before the error.
func (e *FieldError) Error() string {
	what, part := "message", "field"
	if strings.Contains(e.Message, ".") {
		what, part = "method", "argument"
	}
	if e.Field == "" {
		return fmt.Sprintf("%s %s: %s", what, e.Message, e.reason())
	}
	return fmt.Sprintf("%s %s, %s %s: %s", what, e.Message, part, e.Field, e.reason())
}

// reason says what is wrong without the name of the package that says it.
func (e *FieldError) reason() string { return strings.TrimPrefix(e.Err.Error(), "wire: ") }

// Unwrap returns the error without the place.
func (e *FieldError) Unwrap() error { return e.Err }

// Check returns the first thing that keeps c from being the description of a catalogue, nil if there is none. A catalogue that passes has a
// text that Parse takes, and all its messages can be read with bounded work. An error in a message is a *FieldError.
func (c *Catalogue) Check() error {
	if err := c.checkHeader(); err != nil {
		return err
	}
	names := map[string]bool{}
	values := 0
	for i := range c.Messages {
		m := &c.Messages[i]
		if err := c.checkMessage(m, &values); err != nil {
			return err
		}
		if names[m.Name] {
			return &FieldError{m.Name, "", errors.New("another message has the same name")}
		}
		names[m.Name] = true
		if i > 0 {
			if err := c.checkOrder(&c.Messages[i-1], m); err != nil {
				return err
			}
		}
	}
	if err := c.checkMethods(&values); err != nil {
		return err
	}
	if n := len(c.String()); n > MaxText {
		return fmt.Errorf("catalogue: its description has %d bytes, more than %d", n, MaxText)
	}
	return nil
}

func (c *Catalogue) checkHeader() error {
	switch {
	case !isName(c.Name):
		return fmt.Errorf("catalogue: name %s is not a Go name of at most %d bytes", quote(c.Name), maxName)
	case !isProtocol(c.Protocol):
		return fmt.Errorf("catalogue: protocol %s is not 1 to %d bytes of printable text without spaces", quote(c.Protocol), maxName)
	case c.Codec > Bits:
		return errors.New("catalogue: unknown codec")
	case c.Codec == Bytes && (c.HostIDs != 0 || c.ClientIDs != 0):
		return errors.New("catalogue: hostids and clientids are for codec bits only; with codec bytes an id is a byte")
	case !within(c.HostIDs, 0, maxIDs) || !within(c.ClientIDs, 0, maxIDs):
		return fmt.Errorf("catalogue: hostids %d or clientids %d is not 0 to %d", c.HostIDs, c.ClientIDs, maxIDs)
	case len(c.States) > MaxStates:
		return fmt.Errorf("catalogue: %d states, more than %d", len(c.States), MaxStates)
	}
	for i, s := range c.States {
		if !isName(s) || slices.Contains(c.States[:i], s) {
			return fmt.Errorf("catalogue: state %s is there twice or not a Go name of at most %d bytes", quote(s), maxName)
		}
	}
	return nil
}

func (c *Catalogue) checkMessage(m *Message, values *int) error {
	if !isName(m.Name) {
		return fmt.Errorf("message %d: name %s is not a Go name of at most %d bytes", m.ID, quote(m.Name), maxName)
	}
	if err := c.checkRoute(m); err != nil {
		return &FieldError{m.Name, "", err}
	}
	k := checker{catalogue: c, values: values, alone: len(m.Fields) == 1 && len(m.Fields[0].Fields) == 0}
	if err := k.fields(m.Fields, true); err != nil {
		return &FieldError{m.Name, k.path(), err}
	}
	return nil
}

// checkRoute checks what the line of a message says.
func (c *Catalogue) checkRoute(m *Message) error {
	switch {
	case m.From != Client && m.From != Host && m.From != Both:
		return errors.New("it is from nobody")
	case m.Delivery > transport.ReliableSequenced:
		return errors.New("unknown delivery")
	case m.Channel > maxChannel:
		return fmt.Errorf("channel %d is not 0 to %d", m.Channel, maxChannel)
	case len(c.States) < MaxStates && m.States>>len(c.States) != 0:
		return errors.New("it has states that the catalogue does not have")
	}
	return c.checkID(m)
}

func (c *Catalogue) checkID(m *Message) error {
	id := int(m.ID)
	switch {
	case c.Codec == Bytes && id > math.MaxUint8:
		return fmt.Errorf("id %d does not fit into a byte", id)
	case c.Codec == Bytes:
		return nil
	case m.From&Host != 0 && id >= c.HostIDs:
		return fmt.Errorf("id %d is not below hostids %d", id, c.HostIDs)
	case m.From&Client != 0 && id >= c.ClientIDs:
		return fmt.Errorf("id %d is not below clientids %d", id, c.ClientIDs)
	case m.From == Both && c.IDBits(Host) != c.IDBits(Client):
		return fmt.Errorf("it is from both, but ids of the host have %d bits and those of clients %d: choose hostids and clientids alike",
			c.IDBits(Host), c.IDBits(Client))
	}
	return nil
}

// checkOrder checks that m may follow the message before it: ids ascend, and of two with one id the client's is first.
func (c *Catalogue) checkOrder(before, m *Message) error {
	switch {
	case m.ID > before.ID:
		return nil
	case m.ID == before.ID && (c.Codec == Bytes || m.From&before.From != 0):
		return &FieldError{m.Name, "", fmt.Errorf("message %s has the same id %d", before.Name, m.ID)}
	case m.ID < before.ID || m.From < before.From:
		return &FieldError{m.Name, "", fmt.Errorf("it is to stand before message %s: by id, the client's before the host's", before.Name)}
	}
	return nil
}

// checker checks the fields of one message.
type checker struct {
	catalogue *Catalogue
	stack     []*Field // from the message to the field that is checked
	values    *int     // of all enums so far
	alone     bool     // the message has one field, and that has none
}

// path returns the path of the field that is checked.
func (k *checker) path() string {
	var b strings.Builder
	for _, f := range k.stack {
		switch {
		case f.Name == "":
			b.WriteString("[]")
		case b.Len() == 0:
			b.WriteString(f.Name)
		default:
			b.WriteString("." + f.Name)
		}
	}
	return b.String()
}

// fields checks the fields of a message or struct, one after the other. Only the last of them all may take the rest.
func (k *checker) fields(fields []Field, last bool) error {
	isBool := map[string]bool{}
	for i := range fields {
		f := &fields[i]
		if !isName(f.Name) {
			return fmt.Errorf("field name %s is not a Go name of at most %d bytes", quote(f.Name), maxName)
		}
		k.stack = append(k.stack, f)
		if _, twice := isBool[f.Name]; twice {
			return errors.New("another field has the same name")
		}
		if f.If != "" && !isBool[f.If] {
			return fmt.Errorf("if=%s is not a bool before it in the same struct", quote(f.If))
		}
		isBool[f.Name] = f.Kind == KindBool
		if err := k.field(f, last && i == len(fields)-1); err != nil {
			return err
		}
		k.stack = k.stack[:len(k.stack)-1]
	}
	return nil
}

func (k *checker) field(f *Field, last bool) error {
	row := f.Kind.row()
	switch {
	case row.name == "":
		return errors.New("unknown kind")
	case row.packedOnly && k.catalogue.Codec != Bits:
		return fmt.Errorf("%s exists with codec bits only", row.name)
	case f.Kind == KindRest && (!last || k.catalogue.Codec == Bits && !k.alone):
		return errors.New("rest exists only as the last field of a message, and with codec bits as its only one")
	case !k.tidy(f):
		return fmt.Errorf("it has an attribute that %s does not have", row.name)
	}
	for _, w := range k.catalogue.Codec.wordsOf(f.Kind) {
		if v := *w.value(f); !within(v, w.least, w.most) {
			return fmt.Errorf("%s=%d is not %d to %d", w.name, v, w.least, w.most)
		}
	}
	switch {
	case k.catalogue.Codec == Bits && f.Kind == KindText && f.Len > 1<<f.Bits:
		return fmt.Errorf("max=%d is more than a length of %d bits can say", f.Len, f.Bits)
	case f.Int+f.Fraction > maxFixed || f.Kind == KindUFixed && f.Int+f.Fraction == 0:
		return fmt.Errorf("int=%d and frac=%d are not 1 to %d bits together", f.Int, f.Fraction, maxFixed)
	case f.Ranged:
		return checkRange(f)
	case row.form == enum:
		return k.enum(f)
	}
	return k.nested(f, last)
}

// tidy reports whether f has no attribute but those of its kind: another would not be in the text.
func (k *checker) tidy(f *Field) bool {
	var g Field
	for _, w := range k.catalogue.Codec.wordsOf(f.Kind) {
		*w.value(&g) = *w.value(f)
	}
	form := f.Kind.row().form
	return f.Bits == g.Bits && f.YawBits == g.YawBits && f.Int == g.Int && f.Fraction == g.Fraction && f.Len == g.Len &&
		(f.Ranged && f.Kind.integer() || !f.Ranged && f.Min == 0 && f.Max == 0) &&
		(form == enum || len(f.Values) == 0) && (form == nested || len(f.Fields) == 0)
}

func checkRange(f *Field) error {
	n := f.Kind.row().size
	if n == 0 {
		n = f.Bits
	}
	lowest, highest := int64(math.MinInt64), int64(math.MaxInt64)
	if n < 64 && f.Kind.row().form == unsigned {
		highest = 1<<n - 1
	} else if n < 64 {
		lowest, highest = -1<<(n-1), 1<<(n-1)-1
	}
	if f.Kind.row().form == unsigned {
		lowest = 0
	}
	if f.Min > f.Max || f.Min < lowest || f.Max > highest {
		return fmt.Errorf("min=%d max=%d is not a range within %d to %d", f.Min, f.Max, lowest, highest)
	}
	return nil
}

func (k *checker) enum(f *Field) error {
	v := f.Values
	if len(v) == 0 {
		return errors.New("an enum has at least one value")
	}
	if *k.values += len(v); *k.values > MaxValues {
		return fmt.Errorf("all enums together have more than %d values", MaxValues)
	}
	for i := 1; i < len(v); i++ {
		if v[i] <= v[i-1] {
			return errors.New("the values of an enum are to ascend")
		}
	}
	if k.catalogue.Codec == Bits && (v[0] != 0 || v[len(v)-1] != int64(len(v)-1)) {
		return errors.New("with codec bits the values of an enum are 0, 1, 2 and so on")
	}
	if n := f.Kind.row().size; n < 64 {
		lowest, highest := int64(0), int64(1)<<n-1
		if v[0] < 0 {
			lowest, highest = -1<<(n-1), 1<<(n-1)-1
		}
		if v[0] < lowest || v[len(v)-1] > highest {
			return fmt.Errorf("the values of the enum do not fit into %d bits", n)
		}
	}
	return nil
}

// nested checks what is in f. An item takes at least a bit, so that a count cannot announce more of them than there are bits.
func (k *checker) nested(f *Field, last bool) error {
	if f.Kind.row().form != nested {
		return nil
	}
	if len(k.stack) >= MaxDepth && len(f.Fields) > 0 {
		return fmt.Errorf("fields are more than %d deep", MaxDepth)
	}
	if f.Kind == KindStruct {
		return k.fields(f.Fields, last)
	}
	if len(f.Fields) != 1 || f.Fields[0].Name != "" || f.Fields[0].If != "" {
		return fmt.Errorf("a %s has one field, its item, which has no name and no if", f.Kind)
	}
	item := &f.Fields[0]
	k.stack = append(k.stack, item)
	if err := k.field(item, false); err != nil {
		return err
	}
	if least, _ := k.catalogue.fieldBits(item); least == 0 {
		return errors.New("an item that can take no space at all cannot be counted")
	}
	k.stack = k.stack[:len(k.stack)-1]
	return nil
}

func within(v, least, most int) bool { return v >= least && v <= most }

// isName reports whether s can be the name of a package, type or field in Go.
func isName(s string) bool {
	for i, r := range s {
		if r != '_' && !unicode.IsLetter(r) && (i == 0 || !unicode.IsDigit(r)) {
			return false
		}
	}
	return s != "" && s != "_" && len(s) <= maxName
}

// isProtocol reports whether s can be a protocol string: text that can be printed, and that is one word.
func isProtocol(s string) bool {
	for _, r := range s {
		if r == unicode.ReplacementChar || unicode.IsSpace(r) || !unicode.IsGraphic(r) {
			return false
		}
	}
	return s != "" && len(s) <= maxName
}
