package rpc

import (
	"fmt"
	"io"
	"strings"

	"github.com/gannet-net/gannet/msgs/layout"
)

// recordedBytes is how much of a call is kept.
const recordedBytes = 64

// recorder keeps the last calls, those that came in and those that were sent, for when something has gone wrong.
type recorder struct {
	ring []record
	next int // the oldest
}

// record is one frame.
type record struct {
	at    int64
	peer  *peer
	sent  bool
	route *route // nil if it was not known, or of a control frame
	id    NetID
	end   Drop
	start int // of the arguments, in bits
	size  int
	bytes [recordedBytes]byte
}

func newRecorder(n int) recorder { return recorder{ring: make([]record, max(n, 0))} }

func (r *recorder) add(e record, raw []byte) {
	if len(r.ring) == 0 {
		return
	}
	at := &r.ring[r.next]
	*at = e
	at.size = len(raw)
	copy(at.bytes[:], raw)
	if r.next++; r.next == len(r.ring) {
		r.next = 0
	}
}

func (in *In) record(end Drop) {
	in.calls.recorder.add(record{at: in.at, peer: in.peer, route: in.route, id: in.id, end: end, start: in.start}, in.raw)
}

// Record writes the last n calls, the oldest first, one a line: when it was, from whom or to whom, what, on which object, with which arguments, and how it ended. It is for a kick, a
// panic, or whoever asks. Of long calls the beginning is there.
func (c *Calls) Record(w io.Writer, n int) { c.recorder.write(w, n, nil) }

// write writes the last n calls of a peer, or of all if that is nil.
func (r *recorder) write(w io.Writer, n int, of *peer) {
	var list []*record
	for i := range r.ring {
		e := &r.ring[(r.next+i)%len(r.ring)]
		if e.peer != nil && (of == nil || e.peer == of) {
			list = append(list, e)
		}
	}
	for _, e := range list[max(0, len(list)-max(n, 0)):] {
		fmt.Fprintln(w, e.describe())
	}
}

func (e *record) describe() string {
	var b strings.Builder
	direction := "from"
	if e.sent {
		direction = "to"
	}
	fmt.Fprintf(&b, "%d %s %v: ", e.at, direction, e.peer.Peer)
	if e.route == nil {
		b.WriteString("frame")
	} else {
		b.WriteString(e.route.Name)
	}
	if e.id != 0 {
		fmt.Fprintf(&b, " on %v", e.id)
	}
	e.arguments(&b)
	fmt.Fprintf(&b, ", %d bytes", e.size)
	if !e.sent {
		fmt.Fprintf(&b, ", %v", e.end)
	}
	return b.String()
}

// arguments writes the arguments as far as they are there and can be read.
func (e *record) arguments(b *strings.Builder) {
	if e.route == nil || e.start == 0 {
		return
	}
	m := e.route.described()
	if m == nil {
		return
	}
	l, _ := e.route.contract.Catalogue.Layout()
	var list []string
	_ = l.WalkCall(m, m.Fields, e.bytes[:min(e.size, recordedBytes)], e.start, func(s layout.Step) bool {
		list = append(list, s.Path()+" "+s.String())
		return true
	}) // what does not read is cut, or malformed
	b.WriteString("(" + strings.Join(list, ", ") + ")")
}
