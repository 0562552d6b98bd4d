package loopback

import "math/bits"

// Buffers come in powers of two from 64 B to the largest message.
const (
	minClass = 6
	maxClass = 20
)

// poison is what a buffer holds after it was given back, if the pool is asked for that.
const poison = 0xDD

// pool keeps buffers that were given back for messages to come. It is not safe for concurrent use.
type pool struct {
	free   [maxClass - minClass + 1][][]byte
	kept   int // bytes in free
	limit  int // bytes in free at most; the garbage collector gets what is above
	poison bool
}

// get returns a buffer of size bytes, at most maxReliable. What it holds is unspecified.
func (p *pool) get(size int) []byte {
	class := classOf(size)
	free := &p.free[class]
	if len(*free) == 0 {
		return make([]byte, size, 1<<(class+minClass))
	}
	last := len(*free) - 1
	b := (*free)[last]
	(*free)[last] = nil
	*free = (*free)[:last]
	p.kept -= cap(b)
	return b[:size]
}

// put takes back a buffer that get returned, and nil.
func (p *pool) put(b []byte) {
	if b == nil {
		return
	}
	if p.poison {
		overwrite(b[:cap(b)])
	}
	if p.kept+cap(b) > p.limit {
		return
	}
	free := &p.free[classOf(cap(b))]
	*free = append(*free, b)
	p.kept += cap(b)
}

func overwrite(b []byte) {
	for i := range b {
		b[i] = poison
	}
}

// classOf returns the index of the smallest class that holds size bytes.
func classOf(size int) int {
	return max(bits.Len(uint(max(size, 1)-1)), minClass) - minClass
}
