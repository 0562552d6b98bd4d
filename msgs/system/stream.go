package system

import (
	"encoding/binary"
	"errors"
)

// ErrFrameTooLarge is returned for a message above the limit of a stream.
var ErrFrameTooLarge = errors.New("system: a message on the stream is above its limit")

const frameHeader = 4

// AppendFrame appends a message to b as a stream carries it: its length in 4 bytes, little-endian, and the message.
func AppendFrame(b, message []byte) []byte {
	return append(binary.LittleEndian.AppendUint32(b, uint32(len(message))), message...)
}

// Frames takes a stream of bytes apart into the messages that AppendFrame wrote, however the stream was cut. The zero value is not ready: set Limit.
type Frames struct {
	Limit int // bytes of a message

	buffer []byte
	next   int // the first byte that was not returned
	err    error
}

// Feed takes bytes from the stream, which it copies. It returns ErrFrameTooLarge if a message is announced that is above Limit: then the stream is of no use any more.
func (f *Frames) Feed(b []byte) error {
	if f.err == nil {
		f.buffer = append(f.buffer[:copy(f.buffer, f.buffer[f.next:])], b...)
		f.next = 0
		f.check()
	}
	return f.err
}

// Next returns the next whole message, which is valid until the next Feed.
func (f *Frames) Next() ([]byte, bool) {
	if f.err != nil || len(f.buffer)-f.next < frameHeader {
		return nil, false
	}
	n := int(f.announced())
	if len(f.buffer)-f.next-frameHeader < n {
		return nil, false
	}
	from := f.next + frameHeader
	f.next = from + n
	f.check()
	return f.buffer[from:f.next:f.next], true
}

func (f *Frames) announced() uint32 { return binary.LittleEndian.Uint32(f.buffer[f.next:]) }

// check fails if the message that comes next is too large.
func (f *Frames) check() {
	if len(f.buffer)-f.next >= frameHeader && f.announced() > uint32(f.Limit) {
		f.err = ErrFrameTooLarge
	}
}
