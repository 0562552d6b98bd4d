package sim

import (
	"encoding/hex"
	"fmt"
	"io"
	"strconv"
)

// Trace writes one line for each event from now on. describe says what a payload is, in one line; nil is the hex of its
// first 16 bytes. Each line is one Write; wrap w in a bufio.Writer where that is slow. WriteError gives the first error
// of w.
func (nw *Network) Trace(w io.Writer, describe func(payload []byte) string) {
	if describe == nil {
		describe = hexPrefix
	}
	t := &tracer{nw: nw, w: w, describe: describe}
	nw.Watch(t.event)
}

// WriteError gives the first error that a writer given to Trace or Pcap returned. Writing ends there, the run goes on.
func (nw *Network) WriteError() error { return nw.writeError }

// tracer writes the readable trace:
//
//	0.050000000 delivered   client>host 10.0.0.1:49152>10.0.0.2:7000 64 B 0500000000
type tracer struct {
	nw       *Network
	w        io.Writer
	describe func([]byte) string
	line     []byte
}

func (t *tracer) event(e Event) {
	b := appendSeconds(t.line[:0], e.Time)
	b = fmt.Appendf(b, " %-10s ", e.Kind)
	if e.Kind == Noted {
		b = append(b, e.Text...)
	} else {
		b = t.appendDatagram(b, &e)
	}
	t.line = append(b, '\n')
	t.nw.write(t.w, t.line)
}

func (t *tracer) appendDatagram(b []byte, e *Event) []byte {
	if e.Kind == Lost {
		b = append(append(b, e.Drop.String()...), ' ')
	}
	b = append(append(b, e.From.name...), '>')
	if e.To != nil {
		b = append(b, e.To.name...)
	}
	b = e.Source.AppendTo(append(b, ' '))
	b = e.Destination.AppendTo(append(b, '>'))
	b = strconv.AppendInt(append(b, ' '), int64(len(e.Payload)), 10)
	b = append(b, " B "...)
	return append(b, t.describe(e.Payload)...)
}

// appendSeconds writes nanoseconds as seconds.
func appendSeconds(b []byte, t int64) []byte {
	return fmt.Appendf(b, "%d.%09d", t/1e9, t%1e9)
}

func hexPrefix(payload []byte) string {
	if len(payload) > 16 {
		return hex.EncodeToString(payload[:16]) + "…"
	}
	return hex.EncodeToString(payload)
}

// write keeps the first error and ends all writing there.
func (nw *Network) write(w io.Writer, b []byte) {
	if nw.writeError != nil {
		return
	}
	_, nw.writeError = w.Write(b)
}
