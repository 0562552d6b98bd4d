package msgstest

import (
	"crypto/sha256"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gannet-net/gannet/msgs"
	"github.com/gannet-net/gannet/msgs/layout"
)

// shownValues is how many values of a sample stand in a golden file. All its bytes are in the hash at the end.
const shownValues = 64

// renew is what to do if bytes are to differ.
const renew = "if that is meant, give the catalogue another protocol string"

// Golden compares the bytes of the samples with those in a file, which has a line for each field: its path, its value, and its bytes. The file belongs into the
// repository, where its diffs show what changes on the wire.
//
// Under one protocol string, unless it ends in -dev, the same values must give the same bytes for ever. What the file does not have yet, a message or a sample, is added to it, and
// all of it is written anew under another protocol string, or with -update if a package of the test registers that flag. Then the test passes and says so in
// its log: look at the file and commit it.
func Golden(t *testing.T, file string, c *msgs.Catalogue, samples ...msgs.Message) {
	t.Helper()
	s := newSuite(t, c)
	if s == nil {
		return
	}
	if s.golden(t, file, isUpdate(), samples) {
		t.Logf("%s was written: read it, and commit it if it is right", file)
	}
}

// isUpdate reports whether the test was run with -update.
func isUpdate() bool {
	f := flag.Lookup("update")
	return f != nil && f.Value.String() == "true"
}

// golden reports whether it wrote the file.
func (s *suite) golden(r reporter, file string, update bool, samples []msgs.Message) bool {
	r.Helper()
	text := s.vectors(r, samples)
	old, err := os.ReadFile(file)
	if err != nil && !os.IsNotExist(err) {
		r.Errorf("%v", err)
		return false
	}
	was := strings.ReplaceAll(string(old), "\r\n", "\n")
	if was == text {
		return false
	}
	isDev := strings.HasSuffix(s.catalogue.Protocol, "-dev")
	if !update && !isDev && firstLine(was) == firstLine(text) {
		if difference := firstDifference(was, text); difference != "" {
			r.Errorf("catalogue %s has other bytes than %s for the same values: %s\n%s", s.catalogue.Name, file, difference, renew)
			return false
		}
	}
	if err := write(file, text); err != nil {
		r.Errorf("%v", err)
		return false
	}
	return true
}

// firstLine is the line of a golden file that names catalogue and protocol.
func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}

func write(file, text string) error {
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	return os.WriteFile(file, []byte(text), 0o644)
}

// firstDifference names the first sample of the same message with the same values that has other bytes in two texts. It is "" if there is none.
func firstDifference(was, is string) string {
	bytesOf := map[string]string{}
	for block := range strings.SplitSeq(was, "\n\n") {
		bytesOf[valuesOf(block)] = strings.TrimSpace(block)
	}
	for block := range strings.SplitSeq(is, "\n\n") {
		block = strings.TrimSpace(block)
		if before, found := bytesOf[valuesOf(block)]; found && before != block {
			return fmt.Sprintf("it was\n%s\nand is\n%s", before, block)
		}
	}
	return ""
}

// valuesOf is what stands in the lines of a sample, but for the bytes, in an order that does not depend on that of the fields.
func valuesOf(block string) string {
	lines := strings.Split(strings.TrimSpace(block), "\n")
	for i, line := range lines {
		if end := strings.LastIndex(line, ": "); end > 0 {
			lines[i] = line[:end]
		}
	}
	if strings.HasPrefix(lines[len(lines)-1], "  = ") { // size and hash
		lines = lines[:len(lines)-1]
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

// vectors returns the content of a golden file.
func (s *suite) vectors(r reporter, samples []msgs.Message) string {
	r.Helper()
	var b strings.Builder
	fmt.Fprintf(&b, "# What samples of catalogue %s, protocol %s, are on the wire: path, value, bytes", s.catalogue.Name, s.catalogue.Protocol)
	if s.catalogue.Codec == layout.Bits {
		b.WriteString(" (the first bit is the lowest of the first), number of bits")
	}
	b.WriteString(".\n")
	for _, sample := range samples {
		if x := s.trial(r, sample, nil); x != nil {
			x.vector(&b)
		}
	}
	return b.String()
}

// vector writes the lines of one sample.
func (x *trial) vector(b *strings.Builder) {
	x.Helper()
	id := x.layout.IDBits(x.of.From)
	fmt.Fprintf(b, "\n%s\n", x.entry.Name)
	x.line(b, "id", fmt.Sprint(x.entry.ID), 0, id)
	count := 0
	err := x.layout.Walk(x.of, x.bytes, func(s layout.Step) bool {
		if count++; count <= shownValues {
			x.line(b, s.Path(), s.String(), s.Offset, s.Bits)
		}
		return true
	})
	if err != nil {
		x.fail(x.bytes, "the description refuses what Append wrote: %v", err)
	}
	if count > shownValues {
		fmt.Fprintf(b, "  … %d more values\n", count-shownValues)
	}
	fmt.Fprintf(b, "  = %d bytes, sha256 %x\n", len(x.bytes), sha256.Sum256(x.bytes))
}

// line writes one value that takes n bits from bit at on.
func (x *trial) line(b *strings.Builder, path, value string, at, n int) {
	const most = 64 // bytes of a value
	hex := fmt.Sprintf("% X", cut(x.bytes, at, min(n, 8*most)))
	if n > 8*most {
		hex += fmt.Sprintf(" … (%d bytes)", n/8)
	}
	if len(value) > most {
		value = value[:most] + "…"
	}
	if x.catalogue.Codec == layout.Bits {
		hex += fmt.Sprintf(" (%d bits)", n)
	}
	fmt.Fprintf(b, "  %s %s: %s\n", path, strings.ToValidUTF8(value, ""), hex)
}

// cut returns n bits of b from bit at on, moved to the front.
func cut(b []byte, at, n int) []byte {
	out := make([]byte, (n+7)/8)
	for i := range n {
		out[i/8] |= b[(at+i)/8] >> ((at + i) % 8) & 1 << (i % 8)
	}
	return out
}
