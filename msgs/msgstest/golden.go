package msgstest

import (
	"crypto/sha256"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gannet-net/gannet/msgs"
	"github.com/gannet-net/gannet/msgs/layout"
)

// shownValues is how many values of a sample stand in a golden file. All its bytes are in the hash at the end.
const shownValues = 64

// renew is what to do if bytes are to differ.
const renew = "if that is meant, give the catalogue another protocol string, delete the file, and run the test twice"

// Golden compares the bytes of the samples with those in a file, which has a line for each field: its path, its value, and its bytes. The file belongs into the
// repository, where its diffs show what changes on the wire. If there is none, Golden writes it and fails, so that somebody looks at it. To write it anew, delete it, or
// run the test with -update if a package of the test registers that flag.
func Golden(t *testing.T, file string, c *msgs.Catalogue, samples ...msgs.Message) {
	t.Helper()
	s := newSuite(t, c)
	if s == nil {
		return
	}
	s.golden(t, file, isUpdate(), samples)
}

// isUpdate reports whether the test was run with -update.
func isUpdate() bool {
	f := flag.Lookup("update")
	return f != nil && f.Value.String() == "true"
}

func (s *suite) golden(r reporter, file string, update bool, samples []msgs.Message) {
	r.Helper()
	text := s.vectors(r, samples)
	want, err := os.ReadFile(file)
	switch {
	case update || os.IsNotExist(err):
		if err := write(file, text); err != nil {
			r.Errorf("%v", err)
		} else if !update {
			r.Errorf("%s is new: read it, and commit it if it is right", file)
		}
	case err != nil:
		r.Errorf("%v", err)
	case string(want) != text:
		r.Errorf("the bytes of catalogue %s are not those of %s any more: %s\n%s", s.catalogue.Name, file, firstDifference(string(want), text), renew)
	}
}

func write(file, text string) error {
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	return os.WriteFile(file, []byte(text), 0o644)
}

// firstDifference names the first line in which two texts differ.
func firstDifference(want, got string) string {
	wants, gots := strings.Split(want, "\n"), strings.Split(got, "\n")
	for i := range min(len(wants), len(gots)) {
		if wants[i] != gots[i] {
			return fmt.Sprintf("line %d was\n%s\nand is\n%s", i+1, wants[i], gots[i])
		}
	}
	return fmt.Sprintf("it had %d lines, and has %d", len(wants), len(gots))
}

// vectors returns the content of a golden file.
func (s *suite) vectors(r reporter, samples []msgs.Message) string {
	r.Helper()
	var b strings.Builder
	fmt.Fprintf(&b, "# What samples of catalogue %s are on the wire: path, value, bytes", s.catalogue.Name)
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
