package layout

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/gannet-net/gannet/transport"
)

// What a description may be at most, so that one from a stranger costs little. Names and the protocol string are at most 64 bytes.
const (
	MaxText   = 64 << 10 // bytes of its text
	MaxDepth  = 8        // fields within fields
	MaxStates = 64
	MaxValues = 65536 // of all enums together: in the text, a range of them is short
)

// Parse reads the text of a description as String writes it, and nothing else: whatever has another order, spacing or spelling is refused with
// its line, and so is a catalogue that does not pass Check. It is meant for input from strangers.
func Parse(text string) (*Catalogue, error) {
	if len(text) > MaxText {
		return nil, fmt.Errorf("description has %d bytes, more than %d", len(text), MaxText)
	}
	p := parser{left: text}
	c, err := p.catalogue()
	if err != nil {
		return nil, fmt.Errorf("description, line %d: %w", max(p.line, 1), err)
	}
	if err := c.Check(); err != nil {
		return nil, fmt.Errorf("description: %w", err)
	}
	if written := c.String(); written != text {
		return nil, spelling(text, written)
	}
	return c, nil
}

// spelling says where text is not what String would write.
func spelling(text, written string) error {
	for line := 1; ; line++ {
		is, want := firstLine(text), firstLine(written)
		if is != want {
			return fmt.Errorf("description, line %d: is %s, but is to be written %s", line, quote(is), quote(want))
		}
		text, written = text[len(is):], written[len(want):]
	}
}

// firstLine returns the first line of s with its end.
func firstLine(s string) string {
	if i := strings.IndexByte(s, '\n'); i >= 0 {
		return s[:i+1]
	}
	return s
}

// quote makes a piece of a stranger's text fit for a log.
func quote(s string) string {
	const most = 120
	if len(s) > most {
		return strconv.QuoteToASCII(s[:most]) + "…"
	}
	return strconv.QuoteToASCII(s)
}

// parser reads a description line by line. It checks what it has to know to go on; Check does the rest.
type parser struct {
	left   string
	line   int // the number of the line read last
	codec  Codec
	states []string
	values int // of enums so far
}

// next returns the words of the next line, and takes it.
func (p *parser) next() []string {
	line, left, _ := strings.Cut(p.left, "\n")
	p.left, p.line = left, p.line+1
	return strings.Fields(line)
}

// depth returns how far the next line is indented, in steps of two spaces.
func (p *parser) depth() int {
	return (len(p.left) - len(strings.TrimLeft(p.left, " "))) / 2
}

func (p *parser) catalogue() (*Catalogue, error) {
	c := &Catalogue{}
	if err := p.header(c); err != nil {
		return nil, err
	}
	if strings.HasPrefix(p.left, "states ") {
		c.States = p.next()[1:]
	}
	p.codec, p.states = c.Codec, c.States
	for p.left != "" && !strings.HasPrefix(p.left, "call ") {
		m, err := p.message()
		if err != nil {
			return nil, err
		}
		c.Messages = append(c.Messages, m)
	}
	for p.left != "" {
		m, err := p.method()
		if err != nil {
			return nil, err
		}
		c.Methods = append(c.Methods, m)
	}
	return c, nil
}

func (p *parser) header(c *Catalogue) error {
	return attributes(p.next(), func(name, value string) (err error) {
		switch name {
		case "catalogue":
			c.Name = value
		case "protocol":
			c.Protocol = value
		case "codec":
			c.Codec, err = oneOf(value, Bytes, Bits)
		case "hostids":
			c.HostIDs, err = strconv.Atoi(value)
		case "clientids":
			c.ClientIDs, err = strconv.Atoi(value)
		default:
			return errWord
		}
		return err
	})
}

var errWord = errors.New("unknown word")

// attributes calls set for each pair of words.
func attributes(words []string, set func(name, value string) error) error {
	if len(words)%2 != 0 {
		return fmt.Errorf("nothing follows %s", quote(words[len(words)-1]))
	}
	for pair := range slices.Chunk(words, 2) {
		if err := set(pair[0], pair[1]); err != nil {
			return inWord(pair[0]+" "+pair[1], err)
		}
	}
	return nil
}

// inWord says where err is. What package strconv and others say more about it repeats the text.
func inWord(word string, err error) error {
	if inner := errors.Unwrap(err); inner != nil {
		err = inner
	}
	return fmt.Errorf("%s: %w", quote(word), err)
}

// oneOf returns the option of that name.
func oneOf[T fmt.Stringer](name string, options ...T) (T, error) {
	for _, o := range options {
		if o.String() == name {
			return o, nil
		}
	}
	var none T
	return none, errWord
}

func (p *parser) message() (Message, error) {
	words := p.next()
	if len(words) < 3 || words[0] != "message" {
		return Message{}, errors.New("is not the line of a message: message id Name …")
	}
	id, err := strconv.ParseUint(words[1], 10, 16)
	if err != nil {
		return Message{}, inWord(words[1], err)
	}
	m := Message{ID: uint16(id), Name: words[2]}
	words = words[3:]
	if err := attributes(words, func(name, value string) error { return p.setMessage(&m, name, value) }); err != nil {
		return m, err
	}
	m.Fields, err = p.fields(1)
	return m, err
}

func (p *parser) setMessage(m *Message, name, value string) (err error) {
	switch name {
	case "from":
		m.From, err = oneOf(value, Client, Host, Both)
	case "delivery":
		m.Delivery, err = oneOf(value, transport.Unreliable, transport.Sequenced, transport.ReliableUnordered, transport.ReliableOrdered,
			transport.ReliableSequenced)
	case "channel":
		var n uint64
		n, err = strconv.ParseUint(value, 10, 8)
		m.Channel = uint8(n)
	case "states":
		m.States, err = p.stateSet(value)
	default:
		return errWord
	}
	return err
}

// stateSet returns the set of the states named in list.
func (p *parser) stateSet(list string) (set uint64, err error) {
	for name := range strings.SplitSeq(list, ",") {
		i := slices.Index(p.states, name)
		if i < 0 || i >= MaxStates {
			return 0, fmt.Errorf("%s is none of the states", quote(name))
		}
		set |= 1 << i
	}
	return set, nil
}

// fields reads lines as long as they are indented by depth steps, and what is nested below them.
func (p *parser) fields(depth int) ([]Field, error) {
	var fields []Field
	for p.left != "" && p.depth() == depth {
		f, err := p.field()
		if err != nil {
			return nil, err
		}
		if f.Kind.row().form == nested && depth < MaxDepth {
			if f.Fields, err = p.fields(depth + 1); err != nil {
				return nil, err
			}
		}
		fields = append(fields, f)
	}
	if p.left != "" && p.depth() > depth {
		p.line++
		return nil, fmt.Errorf("is indented too far; fields can only be in a struct, a list or an array, and %d deep", MaxDepth)
	}
	return fields, nil
}

func (p *parser) field() (Field, error) {
	words := p.next()
	if len(words) < 2 {
		return Field{}, errors.New("is not the line of a field: Name kind …")
	}
	f := Field{Kind: kindNamed(words[1])}
	if f.Kind == 0 {
		return f, inWord(words[1], errors.New("unknown kind"))
	}
	if words[0] != "-" {
		f.Name = words[0]
	}
	for _, w := range words[2:] {
		name, value, _ := strings.Cut(w, "=")
		if err := p.setField(&f, name, value); err != nil {
			return f, inWord(w, err)
		}
	}
	return f, nil
}

func (p *parser) setField(f *Field, name, value string) (err error) {
	for _, w := range p.codec.wordsOf(f.Kind) {
		if w.name == name {
			*w.value(f), err = strconv.Atoi(value)
			return err
		}
	}
	switch {
	case name == "if":
		f.If = value
	case name == "min" && f.Kind.integer():
		f.Ranged = true
		f.Min, err = strconv.ParseInt(value, 10, 64)
	case name == "max" && f.Kind.integer():
		f.Ranged = true
		f.Max, err = strconv.ParseInt(value, 10, 64)
	case name == "values" && f.Kind.row().form == enum:
		f.Values, err = p.enumValues(value)
	default:
		return errWord
	}
	return err
}

// enumValues reads what appendValues writes.
func (p *parser) enumValues(list string) ([]int64, error) {
	var values []int64
	for item := range strings.SplitSeq(list, ",") {
		low, high, isRange := strings.Cut(item, "..")
		if !isRange {
			high = low
		}
		first, err := strconv.ParseInt(low, 10, 64)
		if err != nil {
			return nil, err
		}
		last, err := strconv.ParseInt(high, 10, 64)
		if err != nil {
			return nil, err
		}
		if last < first || uint64(last)-uint64(first) >= uint64(MaxValues-p.values) {
			return nil, fmt.Errorf("enums have more than %d values, or a range without any", MaxValues)
		}
		for v := first; ; v++ {
			if values = append(values, v); v == last {
				break
			}
		}
		p.values += int(last-first) + 1
	}
	return values, nil
}
