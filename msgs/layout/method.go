package layout

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/gannet-net/gannet/transport"
)

// Method describes one method of a contract, as far as both sides have to agree on it (CALLS.md 1.1).
type Method struct {
	ID         uint16               // among the methods that the same side runs
	Name       string               // Interface.Method
	At         Side                 // who runs it: Client or Host
	Instance   bool                 // a call is for an object
	Owner      bool                 // only the owner of the object may call it
	Deliveries []transport.Delivery // at least one; the first is the default
	Channel    uint8
	States     uint64  // bit i: may be called in Catalogue.States[i]; 0 is any state
	Fields     []Field // the arguments
	Reply      bool    // a call is answered
	Results    []Field
}

// MaxCallChannel is the highest channel of a method.
const MaxCallChannel = 15

func (c *Catalogue) appendMethod(b []byte, m *Method) []byte {
	b = appendNumber(b, "call ", int64(m.ID))
	b = append(b, ' ')
	b = append(b, m.Name...)
	b = append(b, " at "...)
	b = append(b, m.At.String()...)
	b = append(b, " target "...)
	b = append(b, choose(m.Instance, "instance", "static")...)
	b = append(b, " from "...)
	b = append(b, choose(m.Owner, "owner", "any")...)
	b = append(b, " delivery "...)
	b = append(b, m.deliveries()...)
	b = appendNumber(b, " channel ", int64(m.Channel))
	if m.States != 0 {
		b = append(b, " states "...)
		b = append(b, strings.Join(c.stateNames(m.States), ",")...)
	}
	if m.Reply {
		b = append(b, " reply yes"...)
	}
	b = append(b, '\n')
	b = c.appendFields(b, m.Fields, 1)
	if !m.Reply {
		return b
	}
	return c.appendFields(append(b, "reply\n"...), m.Results, 1)
}

func choose(condition bool, yes, no string) string {
	if condition {
		return yes
	}
	return no
}

// deliveries are the modes of m in words.
func (m *Method) deliveries() string {
	var names []string
	for _, d := range m.Deliveries {
		names = append(names, d.String())
	}
	return strings.Join(names, ",")
}

// method reads the lines of a method.
func (p *parser) method() (Method, error) {
	words := p.next()
	if len(words) < 3 {
		return Method{}, errors.New("is not the line of a method: call id Interface.Method …")
	}
	id, err := strconv.ParseUint(words[1], 10, 16)
	if err != nil {
		return Method{}, inWord(words[1], err)
	}
	m := Method{ID: uint16(id), Name: words[2]}
	if err := attributes(words[3:], func(name, value string) error { return p.setMethod(&m, name, value) }); err != nil {
		return m, err
	}
	if m.Fields, err = p.fields(1); err != nil || !m.Reply {
		return m, err
	}
	if words := p.next(); len(words) != 1 || words[0] != "reply" {
		return m, errors.New("is not the line of the results: reply")
	}
	m.Results, err = p.fields(1)
	return m, err
}

func (p *parser) setMethod(m *Method, name, value string) (err error) {
	switch name {
	case "at":
		m.At, err = oneOf(value, Client, Host)
	case "target":
		m.Instance, err = either(value, "instance", "static")
	case "from":
		m.Owner, err = either(value, "owner", "any")
	case "delivery":
		m.Deliveries, err = deliveriesOf(value)
	case "channel":
		var n uint64
		n, err = strconv.ParseUint(value, 10, 8)
		m.Channel = uint8(n)
	case "states":
		m.States, err = p.stateSet(value)
	case "reply":
		m.Reply, err = either(value, "yes", "no")
	default:
		return errWord
	}
	return err
}

// either reads a word of two.
func either(value, yes, no string) (bool, error) {
	if value != yes && value != no {
		return false, errWord
	}
	return value == yes, nil
}

func deliveriesOf(list string) (all []transport.Delivery, err error) {
	for name := range strings.SplitSeq(list, ",") {
		d, err := oneOf(name, transport.Unreliable, transport.Sequenced, transport.ReliableUnordered, transport.ReliableOrdered,
			transport.ReliableSequenced)
		if err != nil || len(all) > int(transport.ReliableSequenced) {
			return nil, errWord
		}
		all = append(all, d)
	}
	return all, nil
}

// checkMethods checks all methods. An error in one is a *FieldError.
func (c *Catalogue) checkMethods(values *int) error {
	if len(c.Methods) > 0 && c.Codec != Bits {
		return errors.New("catalogue: calls exist with codec bits only")
	}
	names := map[string]bool{}
	for i := range c.Methods {
		m := &c.Methods[i]
		err := c.checkMethod(m, values)
		switch {
		case err != nil:
			return err
		case names[m.Name]:
			return &FieldError{m.Name, "", errors.New("another method has the same name")}
		case i > 0 && !c.Methods[i-1].before(m):
			return &FieldError{m.Name, "", fmt.Errorf("it cannot stand after %s: those of clients come first, and ids ascend", c.Methods[i-1].Name)}
		}
		names[m.Name] = true
	}
	return nil
}

// before reports whether m may stand before other.
func (m *Method) before(other *Method) bool {
	return m.At < other.At || m.At == other.At && m.ID < other.ID
}

func (c *Catalogue) checkMethod(m *Method, values *int) error {
	owner, name, ok := strings.Cut(m.Name, ".")
	if !ok || !isName(owner) || !isName(name) {
		return fmt.Errorf("method %d: name %s is not Interface.Method in Go names of at most %d bytes", m.ID, quote(m.Name), maxName)
	}
	if err := c.checkAccess(m); err != nil {
		return &FieldError{m.Name, "", err}
	}
	for _, fields := range [][]Field{m.Fields, m.Results} {
		k := checker{catalogue: c, values: values}
		if err := k.fields(fields, false); err != nil {
			return &FieldError{m.Name, k.path(), err}
		}
	}
	return nil
}

// checkAccess checks what the line of a method says.
func (c *Catalogue) checkAccess(m *Method) error {
	switch {
	case m.At != Client && m.At != Host:
		return errors.New("nobody runs it")
	case m.Owner && (!m.Instance || m.At != Host):
		return errors.New("only an object that the server has has an owner")
	case m.Channel > MaxCallChannel:
		return fmt.Errorf("channel %d is not 0 to %d", m.Channel, MaxCallChannel)
	case len(c.States) < MaxStates && m.States>>len(c.States) != 0:
		return errors.New("it has states that the catalogue does not have")
	case !m.Reply && len(m.Results) > 0:
		return errors.New("it has results, but no reply")
	case len(m.Deliveries) == 0:
		return errors.New("it has no delivery")
	}
	for i, d := range m.Deliveries {
		if d > transport.ReliableSequenced || slices.Contains(m.Deliveries[:i], d) {
			return errors.New("it has a delivery twice, or one that does not exist")
		}
	}
	return nil
}

// CallSizes returns how many bits fields take at least and at most: the arguments of a method, or its results. What stands before them is none of it. The most may be a few
// bits more than any call has, since padding in front of text is counted in full.
func (c *Catalogue) CallSizes(fields []Field) (least, most int) {
	lo, hi := c.fieldsBits(fields)
	return int(min(lo, Unlimited)), int(min(hi, Unlimited))
}

// WalkCall is Walk for the arguments of a method, or its results, that begin at bit start of b.
func (c *Catalogue) WalkCall(m *Method, fields []Field, b []byte, start int, visit func(Step) bool) error {
	if visit == nil {
		visit = func(Step) bool { return true }
	}
	return c.walkCall(m, fields, b, start, visitor(visit), false)
}

func (c *Catalogue) walkCall(m *Method, fields []Field, b []byte, start int, out observer, partial bool) error {
	w := newWalker(c, nil, b)
	w.out, w.partial = out, partial
	for ; start > 0; start -= 32 {
		w.bits.Bits(min(start, 32))
	}
	if w.in.Err() == nil && w.fields(fields) && !partial {
		w.end()
	}
	if err := w.in.Err(); err != nil {
		return &FieldError{m.Name, w.path(), err}
	}
	return nil
}

// summary says what a method is that only one side has.
func (m *Method) summary() string {
	return fmt.Sprintf("runs at %v, target %s, from %s", m.At, choose(m.Instance, "instance", "static"), choose(m.Owner, "owner", "any"))
}

// methods compares the methods of both.
func (c *comparison) methods() {
	byName := map[string]*Method{}
	for i := range c.theirs.Methods {
		byName[c.theirs.Methods[i].Name] = &c.theirs.Methods[i]
	}
	for i := range c.mine.Methods {
		m := &c.mine.Methods[i]
		c.method(m, byName[m.Name])
		delete(byName, m.Name)
	}
	for i := range c.theirs.Methods {
		if m := &c.theirs.Methods[i]; byName[m.Name] != nil {
			c.place = Difference{Method: m.Name, ID: m.ID}
			c.differ("", m.summary())
		}
	}
}

// method compares a method of mine with theirs of the same name, nil if there is none.
func (c *comparison) method(a, b *Method) {
	c.place = Difference{Method: a.Name, ID: a.ID}
	if b == nil {
		c.differ(a.summary(), "")
		return
	}
	c.differ(fmt.Sprintf("id %d", a.ID), fmt.Sprintf("id %d", b.ID))
	c.differ(a.summary(), b.summary())
	c.differ("delivery "+a.deliveries(), "delivery "+b.deliveries())
	c.differ(fmt.Sprintf("channel %d", a.Channel), fmt.Sprintf("channel %d", b.Channel))
	c.differ(c.mine.allowedIn(a.States), c.theirs.allowedIn(b.States))
	c.differ(choose(a.Reply, "is answered", "is not answered"), choose(b.Reply, "is answered", "is not answered"))
	c.fields(Difference{Method: a.Name, ID: a.ID}, "", a.Fields, b.Fields)
	c.fields(Difference{Method: a.Name, ID: a.ID, Reply: true}, "", a.Results, b.Results)
}
