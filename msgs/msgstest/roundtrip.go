package msgstest

import (
	"bytes"
	"fmt"

	"github.com/gannet-net/gannet/msgs"
)

// roundTrip tests that the sample and its bytes become one another, whatever the message was before and whatever becomes of the bytes.
func (x *trial) roundTrip() {
	x.Helper()
	x.appends()
	fresh := x.fresh()
	x.comesBack(fresh, "into a new message")
	for _, before := range x.others {
		used := x.fresh()
		b, err := before.Append(nil)
		if err != nil || parse(used, b) != nil {
			continue // the trial of that sample tells
		}
		x.comesBack(used, "into a message that was used before")
		if was, is := fmt.Sprintf("%+v", fields(fresh)), fmt.Sprintf("%+v", fields(used)); was != is {
			x.fail(x.bytes, "decoded into a message that was used before, it is\n%s\nand not\n%s", is, was)
		}
	}
	if n := len(x.bytes); n < x.entry.MinSize || n > x.entry.MaxSize {
		x.fail(x.bytes, "%d bytes are not within the %d to %d of its entry", n, x.entry.MinSize, x.entry.MaxSize)
	}
}

// appends tests that Append appends, and the same each time.
func (x *trial) appends() {
	x.Helper()
	before := []byte("before")
	b, err := encode(x.sample, bytes.Clone(before))
	switch {
	case err != nil:
		x.fail(b, "it cannot be appended to other bytes: %v", err)
	case !bytes.Equal(b, append(before, x.bytes...)):
		x.fail(b, "Append to other bytes does not give those bytes and then % X", x.bytes)
	}
}

// comesBack tests that the bytes of the sample, decoded into m, encode to the same bytes.
func (x *trial) comesBack(m msgs.Message, how string) {
	x.Helper()
	lent := bytes.Clone(x.bytes)
	if err := parse(m, lent); err != nil {
		x.fail(x.bytes, "Parse %s refuses what Append wrote: %v", how, err)
		return
	}
	for i := range lent {
		lent[i] ^= 0xFF
	}
	again, err := encode(m, nil)
	switch {
	case err != nil:
		x.fail(x.bytes, "what was decoded %s cannot be encoded: %v", how, err)
	case !bytes.Equal(again, x.bytes):
		x.fail(x.bytes, "what was decoded %s, and then overwritten where it came from, is not the message: it encodes to\n% X", how, again)
	}
}
