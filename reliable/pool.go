package reliable

import (
	"bytes"
	"math/bits"
	"reflect"

	"github.com/gannet-net/gannet/framing/packet"
)

const (
	minClass = 6  // smallest buffer: 64 bytes
	maxClass = 20 // largest buffer: 1 MiB

	// maxIdleBytes bounds what a pool keeps for reuse; the rest goes back to the runtime. The messages of a flood that are on their way fit.
	maxIdleBytes = 8 << 20
)

// Pool keeps message buffers for reuse, in size classes of powers of two. The zero value is ready. Several endpoints may
// share one; it is not safe for use by several goroutines at once.
type Pool struct {
	// Poison overwrites each buffer with 0xDD when it is given back, so that a payload used after its time shows.
	Poison bool

	classes     [maxClass + 1][][]byte
	outstanding int
	idle        int // bytes in classes

	// What endpoints need only while they run, and what they have in common.
	packet  []byte         // the packet that is built or was opened
	frames  []packet.Frame // of the packet that was opened
	builder packet.Builder
	runs    [rangesSize]byte
	parity  [packet.MaxParity]byte
	shard   [packet.MaxPacket]byte
	shared  *Config // of the endpoint that was made last

	slow bool // endpoints take no short cuts; for tests
}

// config is c, or the same settings of the endpoint before, to be read only. What belongs to one endpoint is not in it.
func (p *Pool) config(c Config) *Config {
	c.Sealer, c.Seed, c.PeerID, c.HandshakeRTT = nil, [32]byte{}, 0, 0
	if p.shared == nil || !reflect.DeepEqual(*p.shared, c) {
		p.shared = &c
	}
	return p.shared
}

// Outstanding is the number of buffers taken and not given back.
func (p *Pool) Outstanding() int { return p.outstanding }

// copyOf returns a buffer of the pool that holds the bytes of b.
func (p *Pool) copyOf(b []byte) []byte {
	buf := p.get(len(b))
	copy(buf, b)
	return buf
}

// get returns a buffer of n bytes whose content is undefined.
func (p *Pool) get(n int) []byte {
	if n == 0 {
		return []byte{}
	}
	p.outstanding++
	c := classOf(n)
	free := p.classes[c]
	if len(free) == 0 {
		return make([]byte, n, 1<<c)
	}
	buf := free[len(free)-1]
	p.classes[c] = free[:len(free)-1]
	p.idle -= 1 << c
	return buf[:n]
}

// put takes back a buffer that get returned.
func (p *Pool) put(buf []byte) {
	if cap(buf) == 0 {
		return
	}
	p.outstanding--
	buf = buf[:cap(buf)]
	if p.Poison {
		for rest := buf; len(rest) > 0; {
			rest = rest[copy(rest, poison[:]):]
		}
	}
	c := classOf(len(buf))
	if p.idle+1<<c <= maxIdleBytes {
		p.classes[c] = append(p.classes[c], buf)
		p.idle += 1 << c
	}
}

// poison is what buffers are overwritten with, so much at a time.
var poison = [256]byte(bytes.Repeat([]byte{0xDD}, 256))

func classOf(n int) int { return max(minClass, bits.Len(uint(n-1))) }
