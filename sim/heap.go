package sim

// never is the due time of what is not to happen.
const never int64 = 1<<63 - 1

// moment orders everything that happens: by time, and what is due at one time in the order in which it was arranged.
type moment struct {
	due   int64
	order uint64
}

func (m moment) before(other moment) bool {
	return m.due < other.due || m.due == other.due && m.order < other.order
}

// eventKind says what an entry of the heap stands for.
type eventKind uint8

const (
	eventArrive eventKind = iota // slot is of a datagram
	eventServe                   // slot is a bottleneck, which has sent its first datagram
	eventCall                    // slot is a function given to At
)

type entry struct {
	moment
	slot int32
	kind eventKind
}

// eventHeap is a heap of four children a node: half the depth of a binary one, and the children share cache lines.
type eventHeap []entry

const arity = 4

func (h *eventHeap) push(e entry) {
	*h = append(*h, e)
	a := *h
	i := len(a) - 1
	for i > 0 {
		parent := (i - 1) / arity
		if !e.before(a[parent].moment) {
			break
		}
		a[i] = a[parent]
		i = parent
	}
	a[i] = e
}

// pop takes the first entry. The heap must not be empty.
func (h *eventHeap) pop() entry {
	a := *h
	first, last := a[0], a[len(a)-1]
	a = a[:len(a)-1]
	*h = a
	if len(a) > 0 {
		a.sink(last)
	}
	return first
}

// sink puts e in the place of the root and moves it down to where it belongs.
func (h eventHeap) sink(e entry) {
	i := 0
	for {
		child := h.firstChild(i)
		if child < 0 || !h[child].before(e.moment) {
			break
		}
		h[i] = h[child]
		i = child
	}
	h[i] = e
}

// firstChild gives the child of i that is due first, -1 if it has none.
func (h eventHeap) firstChild(i int) int {
	from := i*arity + 1
	if from >= len(h) {
		return -1
	}
	best := from
	for c := from + 1; c < min(from+arity, len(h)); c++ {
		if h[c].before(h[best].moment) {
			best = c
		}
	}
	return best
}
