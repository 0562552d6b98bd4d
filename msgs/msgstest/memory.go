package msgstest

import (
	"reflect"
	"runtime"
	"testing"

	"github.com/gannet-net/gannet/msgs"
	"github.com/gannet-net/gannet/msgs/layout"
)

// slack is what Parse may allocate whatever the message: an error, and what finds its place.
const slack = 1024

// allocations tests that encoding into a buffer, and decoding into a message that was used before, need no memory.
func (x *trial) allocations() {
	x.Helper()
	buffer := make([]byte, 0, 2*len(x.bytes)+1024)
	if n := testing.AllocsPerRun(20, func() { _, _ = x.sample.Append(buffer) }); n > 0 {
		x.fail(x.bytes, "Append into a buffer that is large enough makes %v allocations", n)
	}
	used := x.fresh()
	if parse(used, x.bytes) != nil {
		return // the round trip tells
	}
	if n := testing.AllocsPerRun(20, func() { _ = used.Parse(x.bytes) }); n > 0 {
		x.fail(x.bytes, "Parse into a message that held the same before makes %v allocations", n)
	}
}

// boundedMemory tests that Parse of a mutant allocates no more than twice what its bytes can stand for, and slack.
func (x *trial) boundedMemory(made []mutant) {
	x.Helper()
	_ = parse(x.fresh(), nil) // what is made once is no part of it
	perBit := perBit(x.layout, reflect.TypeOf(fields(x.sample)).Elem(), x.of.Fields)
	used := x.measure(made)
	failures := 0
	for i, m := range made {
		most := slack + 2*len(m.bytes) + int(2*perBit*float64(8*len(m.bytes)))
		for again := 0; used[i] > uint64(most) && again < 3; again++ {
			used[i] = min(used[i], x.measure(made[i : i+1])[0]) // something else may have allocated as well
		}
		if used[i] > uint64(most) {
			x.fail(m.bytes, "with %s, Parse of %d bytes allocates %d, more than %d: check a number against what is left before you make room for it",
				m.name, len(m.bytes), used[i], most)
			if failures++; failures == enough {
				return
			}
		}
	}
}

// measure returns how many bytes of memory each mutant takes to decode.
func (x *trial) measure(made []mutant) []uint64 {
	targets, used := make([]msgs.Message, len(made)), make([]uint64, len(made))
	for i := range targets {
		targets[i] = x.fresh()
	}
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	for i, m := range made {
		before := stats.TotalAlloc
		_ = parse(targets[i], m.bytes)
		runtime.ReadMemStats(&stats)
		used[i] = stats.TotalAlloc - before
	}
	return used
}

// perBit returns how many bytes of memory the lists in fields take at most for each bit of a message: items can be larger in memory than on the wire.
func perBit(c *layout.Catalogue, t reflect.Type, fields []layout.Field) float64 {
	sum := 0.0
	for i := range fields {
		f := &fields[i]
		in := t
		if f.Name != "" {
			field, ok := t.FieldByName(f.Name)
			if !ok {
				continue // the comparison with the description tells
			}
			in = field.Type
		}
		switch f.Kind {
		case layout.KindStruct:
			sum += perBit(c, in, f.Fields)
		case layout.KindArray:
			sum += perBit(c, in.Elem(), f.Fields)
		case layout.KindList:
			sum += float64(in.Elem().Size())/float64(c.ItemBits(f)) + perBit(c, in.Elem(), f.Fields)
		}
	}
	return sum
}
