// Package mutants makes the systematic mutants of datagrams, the seeds of hostile input: a datagram that ends before, inside and behind each of its fields, lengths
// that claim nothing, a little, as much as there is, one less or more, and everything, choices that nobody has, numbers at the edges of windows and where they go
// round, and bits that are flipped. It knows where fields lie, and nothing of what they mean: whoever builds a datagram checks that its layout fits.
package mutants

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
)

// Sort is what a field holds, which decides how it is changed.
type Sort uint8

const (
	// Bytes are any bytes.
	Bytes Sort = iota
	// Length is how many bytes the field behind it has, in two bytes.
	Length
	// Choice is a byte of which few values mean something: a kind, a code, a bool.
	Choice
	// Serial is a number that goes round, such as a sequence or an id.
	Serial
)

// Field is a part of a datagram.
type Field struct {
	Name string
	Sort Sort
	Size int // in bytes; AsSaid or Rest
}

// Sizes that differ from datagram to datagram.
const (
	AsSaid = -1 // as the Length before it says
	Rest   = -2 // all that is left
)

// Mutant is a datagram that was changed, and how.
type Mutant struct {
	Name     string
	Datagram []byte
}

// place is where a field lies.
type place struct {
	Field
	at, end int
}

// Of gives the mutants of d, which has the fields of a layout. It fails if d does not have them.
func Of(d []byte, layout []Field) ([]Mutant, error) {
	places, err := lay(d, layout)
	if err != nil {
		return nil, err
	}
	all := []Mutant{{"nothing of it", d[:0]}, {"a byte more", append(slices.Clone(d), 0)}}
	if len(d) > 0 {
		all = append(all, Mutant{"a byte less", d[:len(d)-1]})
	}
	for _, p := range places {
		all = append(all, p.cuts(d)...)
		all = append(all, p.flips(d)...)
		switch p.Sort {
		case Length:
			all = append(all, p.lengths(d)...)
		case Choice:
			all = append(all, p.choices(d)...)
		case Serial:
			all = append(all, p.serials(d)...)
		}
	}
	return all, nil
}

// lay finds where the fields of d lie.
func lay(d []byte, layout []Field) (places []place, err error) {
	at, said := 0, 0
	for _, f := range layout {
		size := f.Size
		switch size {
		case AsSaid:
			size = said
		case Rest:
			size = len(d) - at
		}
		if size < 0 || at+size > len(d) {
			return nil, fmt.Errorf("mutants: %s does not fit into %d bytes", f.Name, len(d))
		}
		if f.Sort == Length {
			said = int(binary.LittleEndian.Uint16(d[at:]))
		}
		places = append(places, place{f, at, at + size})
		at += size
	}
	if at != len(d) {
		return nil, fmt.Errorf("mutants: %d bytes are in no field", len(d)-at)
	}
	return places, nil
}

// cuts end the datagram before the field and inside of it.
func (p place) cuts(d []byte) []Mutant {
	all := []Mutant{{"ends before " + p.Name, d[:p.at]}}
	if p.end-p.at > 1 {
		all = append(all, Mutant{"ends inside " + p.Name, d[:p.end-1]})
	}
	return all
}

// flips change one bit at either end of the field.
func (p place) flips(d []byte) (all []Mutant) {
	if p.at == p.end {
		return nil
	}
	first, last := slices.Clone(d), slices.Clone(d)
	first[p.at] ^= 1
	last[p.end-1] ^= 0x80
	return append(all, Mutant{"the lowest bit of " + p.Name, first}, Mutant{"the highest bit of " + p.Name, last})
}

func (p place) lengths(d []byte) (all []Mutant) {
	left := len(d) - p.end
	for _, n := range []struct {
		what string
		n    int
	}{
		{"claims nothing", 0}, {"claims one byte", 1}, {"claims one less than there is", max(0, left-1)},
		{"claims all there is", left}, {"claims one more than there is", left + 1}, {"claims the most", math.MaxUint16},
	} {
		all = append(all, Mutant{p.Name + " " + n.what, p.put(d, uint64(n.n))})
	}
	return all
}

func (p place) choices(d []byte) []Mutant {
	return []Mutant{{p.Name + " and one", p.put(d, p.value(d)+1)}, {p.Name + " of all ones", p.put(d, math.MaxUint64)}}
}

// window is that of reliable messages.
const window = 1024

func (p place) serials(d []byte) (all []Mutant) {
	now, half := p.value(d), uint64(1)<<(8*(p.end-p.at)-1)
	for _, n := range []struct {
		what string
		n    uint64
	}{
		{"of zero", 0}, {"and one", now + 1}, {"less one", now - 1}, {"at the end of a window", now + window - 1}, {"behind a window", now + window},
		{"of a window ago", now - window}, {"half way round", now + half}, {"just less than half way round", now + half - 1}, {"of all ones", math.MaxUint64},
	} {
		all = append(all, Mutant{p.Name + " " + n.what, p.put(d, n.n)})
	}
	return all
}

// value reads the field as a number of up to eight bytes.
func (p place) value(d []byte) (v uint64) {
	for i := p.end - 1; i >= p.at; i-- {
		v = v<<8 | uint64(d[i])
	}
	return v
}

// put is d with the field set to v, as far as it has room.
func (p place) put(d []byte, v uint64) []byte {
	d = slices.Clone(d)
	for i := p.at; i < p.end; i, v = i+1, v>>8 {
		d[i] = byte(v)
	}
	return d
}
