package msgstest

import (
	"fmt"
	"reflect"
	"testing"

	"github.com/gannet-net/gannet/msgs"
	"github.com/gannet-net/gannet/msgs/layout"
)

// reporter is what the tests need of a *testing.T.
type reporter interface {
	Helper()
	Errorf(format string, args ...any)
}

// regenerate is what helps against most failures.
const regenerate = "run go generate in the package; if it still fails, generated code and description disagree, which is an error of netgen"

// Run tests each sample, which is a message that can be encoded: that it and its bytes become one another, that its size is in the bounds of the
// catalogue, that its fields stand where the description has them, that values outside the description cannot be encoded, and that every malformed variant
// of its bytes is refused without a panic and without memory for what it only claims. Each type of the catalogue needs a sample. Run measures allocations, so it must not be
// called from a parallel test.
func Run(t *testing.T, c *msgs.Catalogue, samples ...msgs.Message) {
	s := newSuite(t, c)
	if s == nil {
		return
	}
	t.Run("Catalogue", func(t *testing.T) { s.checkCatalogue(t, samples) })
	for i, sample := range samples {
		for _, check := range checks {
			t.Run(fmt.Sprintf("%s/%d/%s", sample.Descriptor().Entry.Name, i, check.name), func(t *testing.T) {
				if x := s.trial(t, sample, samples); x != nil {
					check.run(x)
				}
			})
		}
	}
}

// checks are what is tested of each sample.
var checks = []struct {
	name string
	run  func(*trial)
}{
	{"RoundTrip", (*trial).roundTrip},
	{"Description", (*trial).followsDescription},
	{"Malformed", (*trial).malformed},
	{"Unencodable", (*trial).unencodable},
	{"Allocations", (*trial).allocations},
}

// suite tests one catalogue.
type suite struct {
	catalogue *msgs.Catalogue
	layout    *layout.Catalogue
}

// newSuite returns nil if the description cannot be read.
func newSuite(r reporter, c *msgs.Catalogue) *suite {
	r.Helper()
	l, err := c.Layout()
	if err != nil {
		r.Errorf("the description of catalogue %s is not one: %v\n%s", c.Name, err, regenerate)
		return nil
	}
	return &suite{c, l}
}

// trial tests one sample.
type trial struct {
	reporter
	*suite
	sample    msgs.Message
	entry     *msgs.Entry
	of        *layout.Message
	bytes     []byte         // what it encodes to
	validates bool           // it, or something in it, has a Validate method
	others    []msgs.Message // samples of the same type
}

// trial returns nil if sample cannot be tested, and reports why.
func (s *suite) trial(r reporter, sample msgs.Message, samples []msgs.Message) *trial {
	r.Helper()
	x := &trial{reporter: r, suite: s, sample: sample, entry: sample.Descriptor().Entry}
	if x.of = s.message(x.entry); x.of == nil {
		r.Errorf("%s is not in the description of catalogue %s: %s", x.entry.Name, s.catalogue.Name, regenerate)
		return nil
	}
	x.validates = validates(reflect.TypeOf(fields(sample)), map[reflect.Type]bool{})
	var err error
	if x.bytes, err = sample.Append(nil); err != nil {
		r.Errorf("a sample cannot be encoded: %v\ngive one that can, such as from a function moreSamples: %+v", err, fields(sample))
		return nil
	}
	for _, other := range samples {
		if other.Descriptor().Entry == x.entry {
			x.others = append(x.others, other)
		}
	}
	return x
}

// validator is what is asked whether it may be sent and taken.
type validator interface{ Validate() error }

// validates reports whether a value of type t, or something in it, is a validator. Types in seen are not asked again.
func validates(t reflect.Type, seen map[reflect.Type]bool) bool {
	if seen[t] {
		return false
	}
	seen[t] = true
	if t.Implements(reflect.TypeFor[validator]()) || reflect.PointerTo(t).Implements(reflect.TypeFor[validator]()) {
		return true
	}
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Array:
		return validates(t.Elem(), seen)
	case reflect.Struct:
		for i := range t.NumField() {
			if validates(t.Field(i).Type, seen) {
				return true
			}
		}
	}
	return false
}

// message returns what the description says of an entry.
func (s *suite) message(e *msgs.Entry) *layout.Message {
	for i := range s.layout.Messages {
		if m := &s.layout.Messages[i]; m.Name == e.Name && m.ID == e.ID {
			return m
		}
	}
	return nil
}

// fail reports a failure together with the bytes that it is about.
func (x *trial) fail(b []byte, format string, args ...any) {
	x.Helper()
	x.Errorf("message %s: %s\n%s\nbytes: %s", x.entry.Name, fmt.Sprintf(format, args...), regenerate, shown(b))
}

// shown is b in hex, or its beginning.
func shown(b []byte) string {
	const most = 256
	if len(b) > most {
		return fmt.Sprintf("% X … (%d bytes)", b[:most], len(b))
	}
	return fmt.Sprintf("% X", b)
}

// Wrapper is a message whose fields are those of another value, such as the arguments of a call.
type Wrapper interface {
	msgs.Message
	Fields() any         // a pointer to the struct that has them
	Fresh() msgs.Message // another message of the same type, with fields of its own
}

// fields returns what has the fields of m.
func fields(m msgs.Message) any {
	if w, ok := m.(Wrapper); ok {
		return w.Fields()
	}
	return m
}

// fresh returns a new message of the type of the sample.
func (x *trial) fresh() msgs.Message {
	if w, ok := x.sample.(Wrapper); ok {
		return w.Fresh()
	}
	return reflect.New(reflect.TypeOf(x.sample).Elem()).Interface().(msgs.Message)
}

// parse decodes b into m. A panic is an error that says so.
func parse(m msgs.Message, b []byte) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = panicked{r}
		}
	}()
	return m.Parse(b)
}

// panicked is the error of a Parse or Append that panicked.
type panicked struct{ value any }

func (p panicked) Error() string { return fmt.Sprintf("panic: %v", p.value) }

// encode appends m to b. A panic is an error that says so.
func encode(m msgs.Message, b []byte) (out []byte, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = panicked{r}
		}
	}()
	return m.Append(b)
}
