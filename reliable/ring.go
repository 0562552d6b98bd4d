package reliable

// ring is a first-in first-out queue that grows and reuses its memory. The zero value is ready.
type ring[T any] struct {
	items       []T // length is a power of two, or 0
	head, count int32
}

func (r *ring[T]) len() int { return int(r.count) }

func (r *ring[T]) mask() int32 { return int32(len(r.items) - 1) }

func (r *ring[T]) push(v T) { *r.place() = v }

// place makes room for a new item at the end.
func (r *ring[T]) place() *T {
	if int(r.count) == len(r.items) {
		r.grow()
	}
	item := &r.items[(r.head+r.count)&r.mask()]
	r.count++
	return item
}

// front returns the oldest item, which must exist.
func (r *ring[T]) front() *T { return &r.items[r.head] }

func (r *ring[T]) pop() T {
	v := *r.front()
	r.drop()
	return v
}

// drop takes out the oldest item, which must exist.
func (r *ring[T]) drop() {
	var zero T
	*r.front() = zero
	r.head = (r.head + 1) & r.mask()
	r.count--
}

func (r *ring[T]) grow() {
	items := make([]T, max(2, 2*len(r.items)))
	for i := range r.count {
		items[i] = r.items[(r.head+i)&r.mask()]
	}
	r.items, r.head = items, 0
}
