package udp

// fifo is a queue in a ring that grows as needed and never shrinks. The zero value is empty and ready.
type fifo[T any] struct {
	ring       []T // length is a power of two
	head, used int
}

func (f *fifo[T]) len() int { return f.used }

func (f *fifo[T]) push(v T) {
	if f.used == len(f.ring) {
		f.grow()
	}
	f.ring[(f.head+f.used)&(len(f.ring)-1)] = v
	f.used++
}

// pop reports false if the queue is empty.
func (f *fifo[T]) pop() (T, bool) {
	var zero T
	if f.used == 0 {
		return zero, false
	}
	v := f.ring[f.head]
	f.ring[f.head] = zero
	f.head = (f.head + 1) & (len(f.ring) - 1)
	f.used--
	return v, true
}

// at is the i-th value from the front; i must be below len.
func (f *fifo[T]) at(i int) *T { return &f.ring[(f.head+i)&(len(f.ring)-1)] }

func (f *fifo[T]) grow() {
	ring := make([]T, max(2, 2*len(f.ring)))
	for i := range f.used {
		ring[i] = *f.at(i)
	}
	f.ring, f.head = ring, 0
}

// remove takes out the first value for which is reports true, if there is one.
func (f *fifo[T]) remove(is func(T) bool) bool {
	for i := range f.used {
		if !is(*f.at(i)) {
			continue
		}
		for ; i+1 < f.used; i++ {
			*f.at(i) = *f.at(i + 1)
		}
		var zero T
		*f.at(f.used - 1) = zero
		f.used--
		return true
	}
	return false
}
