package peer

import (
	"bufio"
	"encoding/binary"
	"io"
	"sync"
	"time"
)

// frameHead is the length of a message and its lane, before it.
const frameHead = 5

// AppendFrame appends a message for a stream of bytes: 4 bytes of length, the lane, the message.
func AppendFrame(b []byte, lane int, payload []byte) []byte {
	b = binary.LittleEndian.AppendUint32(b, uint32(len(payload)))
	return append(append(b, byte(lane)), payload...)
}

// ReadFrames calls receive with each message of a stream until it ends. In bulk it reads up to 64 KiB and a message at once; one of a crowd has little memory.
func ReadFrames(r io.Reader, s Setup, receive Receive) error {
	const few, much = 1 << 10, 64 << 10
	size := s.Message + frameHead + few
	if s.Use == Bulk || s.Use == Bottleneck {
		size += much
	}
	buffered := bufio.NewReaderSize(r, size)
	for {
		head, err := buffered.Peek(frameHead)
		if err != nil {
			return err
		}
		size, lane := int(binary.LittleEndian.Uint32(head)), int(head[4])
		if size > s.Message {
			return io.ErrShortBuffer
		}
		whole, err := buffered.Peek(frameHead + size)
		if err != nil {
			return err
		}
		receive(lane, whole[frameHead:])
		_, _ = buffered.Discard(len(whole))
	}
}

// FrameWriter sends messages on a stream of bytes. If it coalesces, a goroutine writes what gathered while it wrote before; else each message is a write.
type FrameWriter struct {
	w     io.Writer
	limit int // bytes that may gather; 0 writes each message by itself

	mu      sync.Mutex
	filling []byte
	waiting bool // Await does
	closed  bool
	some    sync.Cond     // filling is not empty, or closed
	room    chan struct{} // has one element if there may be room again
}

// NewFrameWriter makes a writer. With limit 0 each Send is a write, else up to so many bytes gather for a goroutine that lives until Close.
func NewFrameWriter(w io.Writer, limit int) *FrameWriter {
	f := &FrameWriter{w: w, limit: limit, room: make(chan struct{}, 1)}
	f.some.L = &f.mu
	if limit > 0 {
		f.filling = make([]byte, 0, limit)
		go f.write(make([]byte, 0, limit))
	}
	return f
}

// Send takes a message, or returns ErrFull. A message larger than the limit goes into an empty buffer.
func (f *FrameWriter) Send(lane int, payload []byte) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.limit == 0 {
		f.filling = AppendFrame(f.filling[:0], lane, payload)
		_, err := f.w.Write(f.filling)
		return err
	}
	if f.closed {
		return io.ErrClosedPipe
	}
	if len(f.filling) > 0 && len(f.filling)+frameHead+len(payload) > f.limit {
		f.waiting = true
		return ErrFull
	}
	f.filling = AppendFrame(f.filling, lane, payload)
	f.some.Signal()
	return nil
}

// Await waits until there is room, for at most 5 ms.
func (f *FrameWriter) Await() {
	late := time.NewTimer(5 * time.Millisecond)
	defer late.Stop()
	select {
	case <-f.room:
	case <-late.C:
	}
}

// Close ends the goroutine once its present write is over, so close what it writes to as well.
func (f *FrameWriter) Close() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.closed = true
	f.some.Signal()
}

// write writes what gathers, with two buffers in turn, until Close or an error.
func (f *FrameWriter) write(spare []byte) {
	for {
		full := f.take(spare)
		if full == nil {
			return
		}
		if _, err := f.w.Write(full); err != nil {
			f.Close()
			return
		}
		spare = full[:0]
	}
}

// take swaps the buffers when there is something to write; nil if the writer is closed.
func (f *FrameWriter) take(spare []byte) []byte {
	f.mu.Lock()
	defer f.mu.Unlock()
	for len(f.filling) == 0 && !f.closed {
		f.some.Wait()
	}
	if f.closed {
		return nil
	}
	full := f.filling
	f.filling = spare
	if f.waiting {
		f.waiting = false
		select {
		case f.room <- struct{}{}:
		default:
		}
	}
	return full
}
