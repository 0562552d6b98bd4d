package layout

import (
	"fmt"
	"sort"
	"strings"
)

// Difference is one thing that two descriptions say differently.
type Difference struct {
	Message string // "" if it is about a method, or the catalogue as a whole
	Method  string // "" if it is about a message, or the catalogue as a whole
	ID      uint16 // of the message or method, here if it is there
	Field   string // its path, such as "Order[].Name"; "" if it is about the message or method as a whole
	Reply   bool   // the field is one of the results of the method

	Mine, Theirs string // what each says; "" where the message or field is missing
}

// String says it in a sentence, such as "message Say (id 10), field Text: text max=200 here, text max=100 there".
func (d Difference) String() string {
	place := "catalogue"
	if d.Message != "" {
		place = fmt.Sprintf("message %s (id %d)", d.Message, d.ID)
	}
	if d.Method != "" {
		place = fmt.Sprintf("method %s (id %d)", d.Method, d.ID)
	}
	switch {
	case d.Field == "":
	case d.Reply:
		place += ", result " + d.Field
	case d.Method != "":
		place += ", argument " + d.Field
	default:
		place += ", field " + d.Field
	}
	return fmt.Sprintf("%s: %s here, %s there", place, shown(d.Mine), shown(d.Theirs))
}

// shown is what a side says, cut to what fits into a sentence.
func shown(s string) string {
	const most = 200
	switch {
	case s == "":
		return "missing"
	case len(s) > most:
		return strings.ToValidUTF8(s[:most], "") + "…"
	}
	return s
}

// Compare returns all that differs between two catalogues that passed Check: mine, which is said to be here, and theirs, there. Messages and fields are
// matched by their names. The result is empty if and only if their descriptions are the same text. Work and result are proportional to
// the two texts, whoever wrote them.
func Compare(mine, theirs *Catalogue) []Difference {
	c := comparison{mine: mine, theirs: theirs}
	c.header()
	byName := map[string]*Message{}
	for i := range theirs.Messages {
		byName[theirs.Messages[i].Name] = &theirs.Messages[i]
	}
	for i := range mine.Messages {
		m := &mine.Messages[i]
		c.message(m, byName[m.Name])
		delete(byName, m.Name)
	}
	for i := range theirs.Messages {
		if m := &theirs.Messages[i]; byName[m.Name] != nil {
			c.place = Difference{Message: m.Name, ID: m.ID}
			c.differ("", m.summary())
		}
	}
	c.methods()
	return c.found
}

type comparison struct {
	mine, theirs *Catalogue
	place        Difference // what is compared, without what they say
	found        []Difference
}

// about says which field of of is compared from here on.
func (c *comparison) about(of Difference, field string) {
	c.place = of
	c.place.Field = field
}

// differ notes what both say, if that is not the same.
func (c *comparison) differ(mine, theirs string) {
	if mine == theirs {
		return
	}
	d := c.place
	d.Mine, d.Theirs = mine, theirs
	c.found = append(c.found, d)
}

func (c *comparison) header() {
	a, b := c.mine, c.theirs
	c.differ("name "+a.Name, "name "+b.Name)
	c.differ("protocol "+a.Protocol, "protocol "+b.Protocol)
	c.differ("codec "+a.Codec.String(), "codec "+b.Codec.String())
	c.differ(a.idsOf(Host, a.HostIDs), b.idsOf(Host, b.HostIDs))
	c.differ(a.idsOf(Client, a.ClientIDs), b.idsOf(Client, b.ClientIDs))
	c.differ(listed("states", a.States), listed("states", b.States))
}

// idsOf says how many ids a side has, and what that makes of them on the wire.
func (c *Catalogue) idsOf(s Side, n int) string {
	if c.Codec == Bytes {
		return fmt.Sprintf("ids of the %v in a byte", s)
	}
	return fmt.Sprintf("%d ids of the %v in %d bits", n, s, c.IDBits(s))
}

// listed says which names there are.
func listed(what string, names []string) string {
	if len(names) == 0 {
		return "no " + what
	}
	return what + " " + strings.Join(names, ",")
}

// summary says what a message is that only one side has.
func (m *Message) summary() string { return fmt.Sprintf("from %v, delivery %v", m.From, m.Delivery) }

// message compares a message of mine with theirs of the same name, nil if there is none.
func (c *comparison) message(a, b *Message) {
	c.place = Difference{Message: a.Name, ID: a.ID}
	if b == nil {
		c.differ(a.summary(), "")
		return
	}
	c.differ(fmt.Sprintf("id %d", a.ID), fmt.Sprintf("id %d", b.ID))
	c.differ("from "+a.From.String(), "from "+b.From.String())
	c.differ("delivery "+a.Delivery.String(), "delivery "+b.Delivery.String())
	c.differ(fmt.Sprintf("channel %d", a.Channel), fmt.Sprintf("channel %d", b.Channel))
	c.differ(c.mine.allowedIn(a.States), c.theirs.allowedIn(b.States))
	c.fields(Difference{Message: a.Name, ID: a.ID}, "", a.Fields, b.Fields)
}

// allowedIn says in which states of the session a message may be sent.
func (c *Catalogue) allowedIn(states uint64) string {
	if states == 0 {
		return "allowed in any state"
	}
	return listed("allowed in states", c.stateNames(states))
}

// fields compares the fields of a message or method, or of what is at path in it.
func (c *comparison) fields(of Difference, path string, a, b []Field) {
	inB := indexFields(b)
	inA := indexFields(a)
	moved := movedFields(a, inB)
	for i := range a {
		f := &a[i]
		c.about(of, join(path, f.Name))
		j, both := inB[f.Name]
		if !both {
			c.differ(f.describe(c.mine.Codec), "")
			continue
		}
		c.differ(f.describe(c.mine.Codec), b[j].describe(c.theirs.Codec))
		if moved[f.Name] {
			c.differ(after(a, i), after(b, j))
		}
		if f.Kind == b[j].Kind {
			c.fields(of, join(path, f.Name), f.Fields, b[j].Fields)
		}
	}
	for j := range b {
		if _, both := inA[b[j].Name]; !both {
			c.about(of, join(path, b[j].Name))
			c.differ("", b[j].describe(c.theirs.Codec))
		}
	}
}

// describe says what a field is, without what is nested in it.
func (f *Field) describe(codec Codec) string { return string(f.appendForm(nil, codec)) }

// join returns the path of the field of that name in what is at path.
func join(path, name string) string {
	switch {
	case name == "":
		return path + "[]"
	case path == "":
		return name
	}
	return path + "." + name
}

func indexFields(fields []Field) map[string]int {
	at := make(map[string]int, len(fields))
	for i := range fields {
		at[fields[i].Name] = i
	}
	return at
}

// after says where in its struct a field comes.
func after(fields []Field, i int) string {
	if i == 0 {
		return "comes first"
	}
	return "comes after " + fields[i-1].Name
}

// movedFields returns the names of the fewest fields that would have to move to bring those that both have into one order.
func movedFields(a []Field, inB map[string]int) map[string]bool {
	var names []string
	var order []int
	for i := range a {
		if j, both := inB[a[i].Name]; both {
			names, order = append(names, a[i].Name), append(order, j)
		}
	}
	moved := map[string]bool{}
	for i, stays := range longestRise(order) {
		moved[names[i]] = !stays
	}
	return moved
}

// longestRise says which elements of order make up its longest subsequence that ascends (patience sorting).
func longestRise(order []int) []bool {
	var ends []int // ends[n] is the index of the least element that a rise of n+1 elements ends in
	before := make([]int, len(order))
	for i, v := range order {
		n := sort.Search(len(ends), func(n int) bool { return order[ends[n]] >= v })
		before[i] = -1
		if n > 0 {
			before[i] = ends[n-1]
		}
		if n == len(ends) {
			ends = append(ends, i)
		}
		ends[n] = i
	}
	rises := make([]bool, len(order))
	if len(ends) > 0 {
		for i := ends[len(ends)-1]; i >= 0; i = before[i] {
			rises[i] = true
		}
	}
	return rises
}
