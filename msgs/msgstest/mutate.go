package msgstest

import (
	"bytes"
	"fmt"
	"math"
	"math/bits"

	"github.com/gannet-net/gannet/msgs/layout"
)

// mutant is a variant of the bytes of a message. Most are malformed, but some are other messages.
type mutant struct {
	name  string
	bytes []byte
}

// Of a message with many items, most are alike: only so many values of each field are mutated, and so many prefixes tried.
const (
	fieldMutants  = 8
	prefixMutants = 1024
)

// mutator makes the mutants of one message.
type mutator struct {
	catalogue *layout.Catalogue
	source    []byte
	made      []mutant
	known     map[string]bool
	seen      map[*layout.Field]int
}

// mutants returns the variants of the bytes of a message of type m that decoders get wrong.
func mutants(c *layout.Catalogue, m *layout.Message, source []byte) []mutant {
	x := &mutator{catalogue: c, source: source, known: map[string]bool{string(source): true}, seen: map[*layout.Field]int{}}
	x.lengths()
	end := c.IDBits(m.From)
	_ = c.Walk(m, source, func(s layout.Step) bool {
		end = s.Offset + s.Bits
		if x.seen[s.Field]++; x.seen[s.Field] <= fieldMutants {
			x.value(s)
		}
		return true
	})
	for bit := end; bit < 8*len(source); bit++ {
		x.set("a bit of the padding at the end", bit, 1, 1)
	}
	return x.made
}

// lengths makes messages that are too short or too long.
func (x *mutator) lengths() {
	for n := 0; n < len(x.source); n += 1 + len(x.source)/prefixMutants {
		x.add(fmt.Sprintf("the first %d bytes", n), x.source[:n:n])
	}
	for _, tail := range [][]byte{{0}, {0xFF}, make([]byte, 100), x.source} {
		x.add(fmt.Sprintf("%d more bytes", len(tail)), append(bytes.Clone(x.source), tail...))
	}
}

// value makes messages with another value in the place of one.
func (x *mutator) value(s layout.Step) {
	path := s.Path()
	packed := x.catalogue.Codec == layout.Bits
	switch k := s.Field.Kind; {
	case k == layout.KindBool && !packed:
		x.sets(path, s.Offset, 8, 0, 1, 2, 0xFF)
	case k == layout.KindBool:
		x.sets(path, s.Offset, 1, 0, 1)
	case k == layout.KindText, k == layout.KindBlob:
		x.text(s)
	case k == layout.KindList:
		x.count(path, s.Offset, s.Bits, uint64(s.Value().(int)), uint64(s.Field.Len), 8*len(x.source)-s.Offset-s.Bits)
	case k == layout.KindF32:
		x.sets(path, s.Offset, 32, uint64(math.Float32bits(float32(math.NaN()))), 0x7F800000, 0xFF800000, 0xFFFFFFFF)
	case k == layout.KindF64:
		x.float64s(s)
	case len(s.Field.Values) > 0:
		x.enum(s)
	case s.Field.Ranged:
		x.ranged(s)
	case packed && k != layout.KindRest:
		x.flips(s)
	}
}

// text makes another length, and other bytes, of a string or of bytes.
func (x *mutator) text(s layout.Step) {
	path, n := s.Path(), len(s.Value().([]byte))
	at, width, length, most := s.Offset, 16, uint64(n), uint64(s.Field.Len)
	if x.catalogue.Codec == layout.Bits {
		width = bitLen(most)
	}
	if x.catalogue.Codec == layout.Bits && s.Field.Kind == layout.KindText {
		x.flip(path+": whether it is empty", at)
		at, width, length, most = at+1, s.Field.Bits, length-1, most-1
	}
	if n == 0 && at > s.Offset {
		return // there is no length
	}
	x.count(path, at, width, length, most, 8*len(x.source)-at-width)
	content := s.Offset + s.Bits - 8*n
	for bit := at + width; bit < content; bit++ {
		x.flip(path+": a bit of its padding", bit)
	}
	if s.Field.Kind == layout.KindText {
		x.notText(path, content/8, n)
	}
}

// notText writes what is not UTF-8 over n bytes of text: a byte that nothing begins with, an overlong zero, half of a surrogate pair, and a rune that is cut off.
func (x *mutator) notText(path string, at, n int) {
	for _, bad := range []string{"\xFF", "\xC0\x80", "\xED\xA0\x80", "\xE2\x82", "\xF5\x80\x80\x80"} {
		if len(bad) > n {
			continue
		}
		for _, where := range []int{at, at + n - len(bad)} {
			b := bytes.Clone(x.source)
			copy(b[where:], bad)
			x.add(fmt.Sprintf("%s: bytes % X at %d", path, bad, where), b)
		}
	}
}

// count makes other numbers of items or bytes, which are is of at most most, with left bits behind them.
func (x *mutator) count(path string, at, width int, is, most uint64, left int) {
	numbers := []uint64{0, 1, is - 1, is + 1, most, most + 1, 1<<width - 1}
	for _, each := range []int{1, 8, 16, 32, 64} { // bits of an item
		fit := uint64(max(left, 0) / each)
		numbers = append(numbers, fit-1, fit, fit+1)
	}
	x.sets(path+": its number", at, width, numbers...)
}

func (x *mutator) float64s(s layout.Step) {
	for _, v := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		bits := math.Float64bits(v)
		if x.catalogue.Codec == layout.Bits {
			bits = bits<<32 | bits>>32
		}
		x.set(fmt.Sprintf("%s: %v", s.Path(), v), s.Offset, 64, bits)
	}
}

// enum makes neighbours of the declared values.
func (x *mutator) enum(s layout.Step) {
	all := s.Field.Values
	x.sets(s.Path(), s.Offset, s.Bits, uint64(all[0]-1), uint64(all[len(all)-1]+1), math.MaxUint64)
	for i, v := range all[:min(len(all), 2*fieldMutants)] {
		if i+1 < len(all) && v+1 != all[i+1] {
			x.sets(s.Path(), s.Offset, s.Bits, uint64(v+1))
		}
	}
}

// ranged makes the neighbours of the bounds.
func (x *mutator) ranged(s layout.Step) {
	bias, f := uint64(0), s.Field
	if f.Kind == layout.KindInt {
		bias = 1 << (f.Bits - 1)
	}
	for _, v := range []uint64{uint64(f.Min) - 1, uint64(f.Min), uint64(f.Max), uint64(f.Max) + 1} {
		v += bias
		if s.Bits == 64 && x.catalogue.Codec == layout.Bits {
			v = v<<32 | v>>32
		}
		x.set(fmt.Sprintf("%s: a bound", s.Path()), s.Offset, s.Bits, v)
	}
}

// flips inverts each bit of a value, and sets all of them to 0 and 1.
func (x *mutator) flips(s layout.Step) {
	ones, zeros := bytes.Clone(x.source), bytes.Clone(x.source)
	for bit := s.Offset; bit < s.Offset+s.Bits; bit++ {
		x.flip(s.Path()+": a bit", bit)
		setBits(ones, bit, 1, 1)
		setBits(zeros, bit, 1, 0)
	}
	x.add(s.Path()+": all bits 1", ones)
	x.add(s.Path()+": all bits 0", zeros)
}

func (x *mutator) flip(name string, bit int) {
	x.set(name, bit, 1, uint64(^x.source[bit/8]>>(bit%8)&1))
}

// sets makes a mutant for each number.
func (x *mutator) sets(name string, at, width int, numbers ...uint64) {
	for _, n := range numbers {
		x.set(fmt.Sprintf("%s: %d", name, n&(1<<width-1)), at, width, n)
	}
}

// set makes a mutant with the low bits of v in width bits from bit at on.
func (x *mutator) set(name string, at, width int, v uint64) {
	b := bytes.Clone(x.source)
	setBits(b, at, width, v)
	x.add(name, b)
}

// add keeps a mutant, unless it has the same bytes as another.
func (x *mutator) add(name string, b []byte) {
	if x.known[string(b)] {
		return
	}
	x.known[string(b)] = true
	x.made = append(x.made, mutant{name, b})
}

// setBits writes the low width bits of v from bit at on, the lowest first, which in whole bytes is little-endian.
func setBits(b []byte, at, width int, v uint64) {
	for i := range width {
		bit := at + i
		b[bit/8] = b[bit/8]&^(1<<(bit%8)) | byte(v>>i&1)<<(bit%8)
	}
}

func bitLen(v uint64) int { return bits.Len64(v) }
