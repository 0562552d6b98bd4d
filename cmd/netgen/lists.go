package main

import (
	"go/types"
	"math"

	"github.com/gannet-net/gannet/msgs/layout"
)

const defaultMax = 255

func (f form) slice(u *types.Slice) (value, bool) {
	if types.Identical(types.Unalias(u.Elem()), types.Typ[types.Uint8]) && !f.words.has("bits") {
		return f.blob()
	}
	if f.words.has("rest") {
		f.errorf(f.words.at("rest"), "rest is for a []byte: write max= for the list %s", f.name)
		return *f.value, false
	}
	f.Kind = layout.KindList
	f.Len = int(f.words.number("max", 1, math.MaxUint16, defaultMax))
	return f.items(u.Elem(), f.words.without("max"))
}

func (f form) blob() (value, bool) {
	f.onlyWords(f.words, "a list of bytes", "max", "rest")
	f.Kind = layout.KindBlob
	f.Len = int(f.words.number("max", 1, math.MaxUint16, defaultMax))
	if f.words.has("rest") {
		f.Kind, f.Len = layout.KindRest, 0
		switch {
		case f.words.has("max"):
			f.errorf(f.words.at("rest"), "rest takes all that is left, so max= bounds nothing: keep one of them")
		case f.words.has("if"):
			f.errorf(f.words.at("rest"), "rest can be nothing already: leave if= out")
		case f.cat.Codec == layout.Bits:
			f.errorf(f.words.at("rest"), "rest is for codec=bytes: write max= instead")
		}
	}
	return *f.value, true
}

func (f form) array(u *types.Array) (value, bool) {
	if f.words.has("guid") {
		return f.guid(u)
	}
	if u.Len() < 1 || u.Len() > math.MaxUint16 {
		f.errorf(f.pos, "%s is an array of %d items: write 1 to %d", f.name, u.Len(), math.MaxUint16)
		return *f.value, false
	}
	f.Kind, f.Len = layout.KindArray, int(u.Len())
	return f.items(u.Elem(), f.words)
}

func (f form) guid(u *types.Array) (value, bool) {
	f.onlyWords(f.words, "a guid", "guid")
	if u.Len() != 16 || !types.Identical(types.Unalias(u.Elem()), types.Typ[types.Uint8]) {
		f.errorf(f.words.at("guid"), "a guid is 16 bytes: make %s a [16]byte", f.name)
		return *f.value, false
	}
	f.packedOnly("guid")
	f.Kind = layout.KindGUID
	return *f.value, true
}

// items reads what a list or array consists of. The words that the list has no use for are those of its items.
func (f form) items(elem types.Type, words wordSet) (value, bool) {
	words = words.without("if")
	item, ok := f.scanner.value(elem, words, f.pos, "an item of "+f.name)
	if !ok {
		return *f.value, false
	}
	if item.Kind == layout.KindRest {
		f.errorf(f.pos, "rest is for a field of its own: write max= for the lists in %s", f.name)
		return *f.value, false
	}
	f.item = &item
	if f.Kind == layout.KindList {
		return *f.value, f.bounded(elem, int64(fewestBits(f.cat.Codec, item.describe())))
	}
	return *f.value, true
}

// What a message may make its receiver take: so much for each byte of it, or so much for a list whatever the message is.
const (
	mostGrowth = 256
	mostAnyway = 4 << 10 // bytes
)

// bounded reports whether the length of a message bounds the memory of a list in it, of which an item takes at least so many bits.
func (f form) bounded(elem types.Type, bits int64) bool {
	size := types.SizesFor("gc", "amd64").Sizeof(elem)
	switch {
	case bits == 0:
		f.errorf(f.pos, "an item of %s takes no room, so nothing bounds how many there are: send their number instead", f.name)
		return false
	case 8*size > mostGrowth*bits && int64(f.Len)*size > mostAnyway:
		f.errorf(f.pos, "an item of %s takes %d bytes of memory and may come as %d bits, so a short message could take %d bytes: write max=%d, or make a list of what is behind if=",
			f.name, size, bits, int64(f.Len)*size, max(1, mostAnyway/size))
		return false
	}
	return true
}
