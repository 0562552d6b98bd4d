package reliable

// ring is a first-in first-out queue that grows and reuses its memory. The zero value is ready.
type ring[T any] struct {
	items       []T // length is a power of two, or 0
	head, count int32
}

func (r *ring[T]) len() int { return int(r.count) }

func (r *ring[T]) mask() int32 { return int32(len(r.items) - 1) }

func (r *ring[T]) push(v T) {
	if int(r.count) == len(r.items) {
		r.grow()
	}
	r.items[(r.head+r.count)&r.mask()] = v
	r.count++
}

// front returns the oldest item, which must exist.
func (r *ring[T]) front() *T { return &r.items[r.head] }

func (r *ring[T]) pop() T {
	var zero T
	v := r.items[r.head]
	r.items[r.head] = zero
	r.head = (r.head + 1) & r.mask()
	r.count--
	return v
}

func (r *ring[T]) grow() {
	items := make([]T, max(2, 2*len(r.items)))
	for i := range r.count {
		items[i] = r.items[(r.head+i)&r.mask()]
	}
	r.items, r.head = items, 0
}
