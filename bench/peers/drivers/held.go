package drivers

import (
	"io"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gannet-net/gannet/bench/peers/peer"
)

// frames sends messages on a stream of bytes: a peer.FrameWriter, or a heldWriter.
type frames interface {
	Send(lane int, payload []byte) error
	Await()
	Close()
}

// newFrames gives what a stream of a use should have. Hosts of rooms hold messages back; all is nil at clients.
func newFrames(w io.Writer, s peer.Setup, all *held) frames {
	if all != nil && s.Use == peer.Rooms {
		return &heldWriter{all: all, w: w}
	}
	return peer.NewFrameWriter(w, gathered(s))
}

// gathered is how many bytes of messages may gather for a write to a stream; 0 writes each by itself.
func gathered(s peer.Setup) int {
	switch s.Use {
	case peer.Bulk:
		return max(64<<10, s.Message)
	case peer.Bottleneck:
		return 4 << 10
	}
	return 0
}

// held is the streams of a host with messages that wait for Flush, so that a frame is one write to each client.
type held struct {
	sent atomic.Int64 // messages

	mu      sync.Mutex
	waiting []*heldWriter
}

func (h *held) add(w *heldWriter) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.waiting = append(h.waiting, w)
}

// Flush writes what waits.
func (h *held) Flush() {
	h.mu.Lock()
	waiting := h.waiting
	h.waiting = nil
	h.mu.Unlock()
	for _, w := range waiting {
		w.write()
	}
}

// over flushes after Receive, if that may have sent.
func (h *held) over(receive peer.Receive) peer.Receive {
	return func(lane int, payload []byte) {
		before := h.sent.Load()
		receive(lane, payload)
		if h.sent.Load() != before {
			h.Flush()
		}
	}
}

// heldWriter is the messages of one stream that wait.
type heldWriter struct {
	all *held
	w   io.Writer

	mu      sync.Mutex
	waiting []byte
	err     error // of the last write
}

// Send takes a message for the next Flush.
func (w *heldWriter) Send(lane int, payload []byte) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.waiting) == 0 {
		w.all.add(w)
	}
	w.waiting = peer.AppendFrame(w.waiting, lane, payload)
	w.all.sent.Add(1)
	return w.err
}

func (w *heldWriter) write() {
	w.mu.Lock()
	defer w.mu.Unlock()
	_, w.err = w.w.Write(w.waiting)
	w.waiting = w.waiting[:0]
}

// Await sleeps: Send never finds the queue full.
func (w *heldWriter) Await() { time.Sleep(time.Millisecond) }

// Close does nothing: closing the stream ends its write.
func (w *heldWriter) Close() {}
