package msgs

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/gannet-net/gannet/msgs/layout"
	"github.com/gannet-net/gannet/transport"
)

// Catalogue is what the router and the one of the other side have to agree on, for the Config of a transport, which compares the two while it connects. If
// they differ it is given up with a *transport.CatalogueError that wraps a *MismatchError on each side.
func (r *Router) Catalogue() transport.Catalogue {
	text := describe(r.config.Catalogues)
	c := transport.Catalogue{
		Description: text,
		Explain:     func(theirs string) error { return mismatch(text, theirs) },
	}
	binary.LittleEndian.PutUint64(c.Fingerprint[:], layout.Fingerprint(text))
	return c
}

// MismatchError says what differs between the catalogues of the two sides.
type MismatchError struct {
	Differences []Mismatch // at least one
}

// Mismatch is one thing that the two sides say differently.
type Mismatch struct {
	Catalogue string // its name
	layout.Difference
}

// String says it in a sentence, such as "chat: message Say (id 10), field Text: text max=200 here, text max=100 there".
func (m Mismatch) String() string { return m.Catalogue + ": " + m.Difference.String() }

func (e *MismatchError) Error() string {
	const most = 8
	lines := make([]string, 0, most+1)
	for i, m := range e.Differences {
		if i == most {
			lines = append(lines, fmt.Sprintf("and %d more", len(e.Differences)-most))
			break
		}
		lines = append(lines, m.String())
	}
	return strings.Join(lines, "; ")
}

// describe writes the mounts as MESSAGES.md 3.2 has it.
func describe(mounts []Mount) string {
	sorted := slices.Clone(mounts)
	slices.SortFunc(sorted, func(a, b Mount) int {
		return cmp.Or(cmp.Compare(a.Channel, b.Channel), cmp.Compare(a.Catalogue.Name, b.Catalogue.Name), cmp.Compare(a.Catalogue.Fingerprint, b.Catalogue.Fingerprint))
	})
	var b strings.Builder
	for _, m := range sorted {
		fmt.Fprintf(&b, "%s%d%s\n%s", mountLine, m.Channel, m.anyModeWords(), m.Catalogue.Description)
	}
	return b.String()
}

// mountLine is how the line before a catalogue starts. No line of a layout does.
const mountLine = "mount channel "

func (m Mount) anyModeWords() string {
	if len(m.AnyMode) == 0 {
		return ""
	}
	names := make([]string, 0, len(m.AnyMode))
	for _, d := range m.AnyMode {
		names = append(names, d.Entry.Name)
	}
	slices.Sort(names)
	return " anymode " + strings.Join(slices.Compact(names), ",")
}

// described is one mount of a description.
type described struct {
	where  string // the line before the catalogue
	layout *layout.Catalogue
}

// parseMounts reads a description, which may be from a stranger: the number of its mounts is bounded by that of the channels. Of a catalogue that is
// not compared it reads no more than the line that names it.
func parseMounts(text string, compared func(name string) bool) ([]described, error) {
	var mounts []described
	for text != "" {
		head, rest, _ := strings.Cut(text, "\n")
		if !strings.HasPrefix(head, mountLine) || len(head) > layout.MaxText {
			return nil, fmt.Errorf("no mount at its byte %d from the end", len(text))
		}
		if len(mounts) == numChannels {
			return nil, fmt.Errorf("more than %d mounts", numChannels)
		}
		body := toNextMount(rest)
		text = rest[len(body):]
		c, err := layout.Parse(firstLine(body))
		if err == nil && compared(c.Name) {
			c, err = layout.Parse(body)
		}
		if err != nil {
			return nil, err
		}
		mounts = append(mounts, described{printable(head), c})
	}
	return mounts, nil
}

// firstLine is the first line of text with its end.
func firstLine(text string) string { return text[:strings.IndexByte(text, '\n')+1] }

// toNextMount is the part of text before its next mount.
func toNextMount(text string) string {
	if strings.HasPrefix(text, mountLine) {
		return ""
	}
	if i := strings.Index(text, "\n"+mountLine); i >= 0 {
		return text[:i+1]
	}
	return text
}

// mismatch compares two descriptions that are not the same text.
func mismatch(mine, theirs string) error {
	here, err := parseMounts(mine, func(string) bool { return true })
	if err != nil {
		return fmt.Errorf("msgs: the description of this side: %w", err)
	}
	left := map[string]int{}
	for _, m := range here {
		left[m.layout.Name]++
	}
	there, err := parseMounts(theirs, func(name string) bool {
		left[name]--
		return left[name] >= 0
	})
	if err != nil {
		return fmt.Errorf("msgs: the other side describes its catalogues in a way that this side cannot read: %w", err)
	}
	e := &MismatchError{}
	for _, a := range here {
		i := slices.IndexFunc(there, func(b described) bool { return b.layout.Name == a.layout.Name })
		if i < 0 {
			e.add(a.layout.Name, layout.Difference{Mine: a.summary()})
			continue
		}
		e.compare(a, there[i])
		there = slices.Delete(there, i, i+1)
	}
	for _, b := range there {
		e.add(b.layout.Name, layout.Difference{Theirs: b.summary()})
	}
	if len(e.Differences) == 0 {
		return errors.New("msgs: the descriptions say the same, but their fingerprints differ")
	}
	return e
}

func (d described) summary() string { return fmt.Sprintf("protocol %s", d.layout.Protocol) }

func (e *MismatchError) add(catalogue string, d layout.Difference) {
	e.Differences = append(e.Differences, Mismatch{catalogue, d})
}

// compare adds what differs between two mounts of the same name.
func (e *MismatchError) compare(a, b described) {
	if a.where != b.where {
		e.add(a.layout.Name, layout.Difference{Mine: a.where, Theirs: b.where})
	}
	for _, d := range layout.Compare(a.layout, b.layout) {
		e.add(a.layout.Name, d)
	}
}
