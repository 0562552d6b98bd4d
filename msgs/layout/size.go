package layout

import (
	"math"
	"math/bits"
)

// Unlimited is the longest size that Sizes tells, in bytes. A message that ends in a KindRest has it.
const Unlimited = math.MaxInt32

// manyBits is where sizes stop growing while they are added up, so that no sum overflows.
const manyBits = Unlimited * 8

// Sizes returns how many bytes a message has at least and at most, its id included. With codec Bits the most may be a few bytes more than any
// message has, since padding in front of text is counted in full.
func (c *Catalogue) Sizes(m *Message) (least, most int) {
	lo, hi := c.fieldsBits(m.Fields)
	id := int64(c.IDBits(m.From))
	return int(min(lo+id+7, manyBits) / 8), int(min(hi+id+7, manyBits) / 8)
}

// IDBits returns how many bits the id of a message takes that from sends. Where both may send it, their ids are alike.
func (c *Catalogue) IDBits(from Side) int {
	if c.Codec == Bytes {
		return 8
	}
	ids := c.ClientIDs
	if from == Host {
		ids = c.HostIDs
	}
	return bits.Len(uint(max(ids-1, 0)))
}

// fieldsBits returns how many bits fields take together, at least and at most.
func (c *Catalogue) fieldsBits(fields []Field) (least, most int64) {
	for i := range fields {
		lo, hi := c.fieldBits(&fields[i])
		if fields[i].If != "" {
			lo = 0
		}
		least, most = min(least+lo, manyBits), min(most+hi, manyBits)
	}
	return least, most
}

// fieldBits returns how many bits a field takes that is there.
func (c *Catalogue) fieldBits(f *Field) (least, most int64) {
	switch f.Kind {
	case KindText, KindBlob:
		return c.stringBits(f)
	case KindRest:
		return 0, manyBits
	case KindList:
		_, most = c.fieldsBits(f.Fields)
		count := int64(c.countBits(f.Len))
		return count, min(count+int64(f.Len)*most, manyBits)
	case KindArray:
		least, most = c.fieldsBits(f.Fields)
		return min(int64(f.Len)*least, manyBits), min(int64(f.Len)*most, manyBits)
	case KindStruct:
		return c.fieldsBits(f.Fields)
	case KindYawQuat:
		yaw, quat := int64(1+f.YawBits), int64(3+3*f.Bits)
		return min(yaw, quat), max(yaw, quat)
	}
	n := int64(c.plainBits(f))
	return n, n
}

// ItemBits returns the fewest bits that an item of a list or array takes, at least 1: a reader compares a count with what is left by it.
func (c *Catalogue) ItemBits(list *Field) int {
	least, _ := c.fieldsBits(list.Fields)
	return int(max(least, 1))
}

// stringBits returns the bits of a length and of the bytes after it, and of the padding between them.
func (c *Catalogue) stringBits(f *Field) (least, most int64) {
	if c.Codec == Bytes {
		return 16, 16 + 8*int64(f.Len)
	}
	const padding = 7
	if f.Kind == KindText {
		return 1, 1 + int64(f.Bits) + padding + 8*int64(f.Len)
	}
	length := int64(c.countBits(f.Len))
	return length, length + padding + 8*int64(f.Len)
}

// countBits returns the bits of the count of a list, or of the length of a blob with codec Bits, of at most n.
func (c *Catalogue) countBits(n int) int {
	switch {
	case c.Codec == Bits:
		return bits.Len(uint(n))
	case n <= math.MaxUint8:
		return 8
	}
	return 16
}

// boolBits returns the bits of a bool.
func (c *Catalogue) boolBits() int {
	if c.Codec == Bits {
		return 1
	}
	return 8
}

// plainBits returns the bits of a value that has always as many.
func (c *Catalogue) plainBits(f *Field) int {
	switch f.Kind {
	case KindBool:
		return c.boolBits()
	case KindUFixed, KindFixed:
		return f.Int + f.Fraction
	case KindVec3Fixed:
		return 3 * (f.Int + f.Fraction)
	case KindUnit:
		return 3 + 2*f.Bits
	case KindQuat:
		return 2 + 3*f.Bits
	case KindYawVec:
		return f.Bits + 32
	}
	row := f.Kind.row()
	switch {
	case row.form == enum && c.Codec == Bits:
		return bits.Len(uint(max(len(f.Values)-1, 0)))
	case row.size > 0:
		return row.size
	}
	return f.Bits
}
