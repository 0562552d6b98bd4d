package wire

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

// pose is what most of a game's messages are: where something is, how it is turned, and how it moves.
type pose struct {
	id                                 uint8
	px, py, pz, qx, qy, qz, qw, vx, vy float32
	vz                                 float32
}

var standing = pose{id: 17, px: 1250.125, py: -3.5, pz: 77.25, qx: 0.1, qy: 0.7, qz: -0.1, qw: 0.7, vx: 1, vy: -9.75, vz: 0.5}

// appendBytes appends a pose as 41 bytes.
func (p *pose) appendBytes(b []byte) ([]byte, error) {
	w := NewWriter(b)
	w.Uint8(p.id)
	w.Float32(p.px)
	w.Float32(p.py)
	w.Float32(p.pz)
	w.Float32(p.qx)
	w.Float32(p.qy)
	w.Float32(p.qz)
	w.Float32(p.qw)
	w.Float32(p.vx)
	w.Float32(p.vy)
	w.Float32(p.vz)
	return w.Bytes(), w.Err()
}

// parseBytes reads what appendBytes appended.
func (p *pose) parseBytes(b []byte) error {
	r := NewReader(b)
	p.id = r.Uint8()
	p.px = r.Float32()
	p.py = r.Float32()
	p.pz = r.Float32()
	p.qx = r.Float32()
	p.qy = r.Float32()
	p.qz = r.Float32()
	p.qw = r.Float32()
	p.vx = r.Float32()
	p.vy = r.Float32()
	p.vz = r.Float32()
	return r.Err()
}

// appendBits appends a pose as 325 bits, none of the numbers at a byte border.
func (p *pose) appendBits(b []byte) ([]byte, error) {
	w := NewBitWriter(b)
	w.Bits(uint32(p.id), 5)
	w.Float32(p.px)
	w.Float32(p.py)
	w.Float32(p.pz)
	w.Float32(p.qx)
	w.Float32(p.qy)
	w.Float32(p.qz)
	w.Float32(p.qw)
	w.Float32(p.vx)
	w.Float32(p.vy)
	w.Float32(p.vz)
	return w.Bytes(), w.Err()
}

// parseBits reads what appendBits appended.
func (p *pose) parseBits(b []byte) error {
	r := NewBitReader(b)
	p.id = uint8(r.Bits(5))
	p.px = r.Float32()
	p.py = r.Float32()
	p.pz = r.Float32()
	p.qx = r.Float32()
	p.qy = r.Float32()
	p.qz = r.Float32()
	p.qw = r.Float32()
	p.vx = r.Float32()
	p.vy = r.Float32()
	p.vz = r.Float32()
	return r.Err()
}

// appendQuantized appends a pose as 5 + 66 + 29 + 48 bits, 19 bytes.
func (p *pose) appendQuantized(b []byte) ([]byte, error) {
	w := NewBitWriter(b)
	w.Bits(uint32(p.id), 5)
	w.Vec3(float64(p.px), float64(p.py), float64(p.pz), 13, 9)
	w.Quat(float64(p.qx), float64(p.qy), float64(p.qz), float64(p.qw), 9)
	w.Vec3(float64(p.vx), float64(p.vy), float64(p.vz), 8, 8)
	return w.Bytes(), w.Err()
}

// parseQuantized reads what appendQuantized appended.
func (p *pose) parseQuantized(b []byte) error {
	r := NewBitReader(b)
	p.id = uint8(r.Bits(5))
	x, y, z := r.Vec3(13, 9)
	p.px, p.py, p.pz = float32(x), float32(y), float32(z)
	x, y, z, w := r.Quat(9)
	p.qx, p.qy, p.qz, p.qw = float32(x), float32(y), float32(z), float32(w)
	x, y, z = r.Vec3(8, 8)
	p.vx, p.vy, p.vz = float32(x), float32(y), float32(z)
	return r.Err()
}

// appendNaive appends what appendBits does, bit by bit.
func (p *pose) appendNaive(b []byte) ([]byte, error) {
	var m modelWriter
	m.b = b
	m.bits(uint64(p.id), 5)
	for _, v := range [...]float32{p.px, p.py, p.pz, p.qx, p.qy, p.qz, p.qw, p.vx, p.vy, p.vz} {
		m.bits(uint64(math.Float32bits(v)), 32)
	}
	return m.b, nil
}

// parseNaive reads what appendBits appended, bit by bit.
func (p *pose) parseNaive(b []byte) error {
	m := modelReader{b: b}
	p.id = uint8(m.bits(5))
	for _, v := range [...]*float32{&p.px, &p.py, &p.pz, &p.qx, &p.qy, &p.qz, &p.qw, &p.vx, &p.vy, &p.vz} {
		*v = math.Float32frombits(uint32(m.bits(32)))
	}
	return nil
}

// codecs are the ways to send a pose, and how many bytes each takes.
var codecs = []struct {
	name   string
	append func(p *pose, b []byte) ([]byte, error)
	parse  func(p *pose, b []byte) error
	size   int
}{
	{"bytes", (*pose).appendBytes, (*pose).parseBytes, 41},
	{"bits", (*pose).appendBits, (*pose).parseBits, 41},
	{"bit-by-bit", (*pose).appendNaive, (*pose).parseNaive, 41},
	{"quantized", (*pose).appendQuantized, (*pose).parseQuantized, 19},
}

func TestAPoseTakesNoMemoryInAnyCodec(t *testing.T) {
	for _, c := range codecs {
		b, err := c.append(&standing, nil)
		require.NoError(t, err, c.name)
		require.Len(t, b, c.size, c.name)

		var got pose
		exact := make([]byte, 0, c.size)
		require.Zero(t, testing.AllocsPerRun(10, func() {
			exact, _ = c.append(&standing, exact[:0])
			err = c.parse(&got, exact)
		}), c.name)
		require.NoError(t, err, c.name)
		require.Equal(t, b, exact, c.name)
		require.InDelta(t, standing.px, got.px, 1e-9, c.name)
		require.InDelta(t, standing.qw, got.qw, 0.005, c.name)
	}
}

func BenchmarkAppend(b *testing.B) {
	for _, c := range codecs {
		b.Run(c.name, func(b *testing.B) {
			buffer := make([]byte, 0, 64)
			for b.Loop() {
				buffer, _ = c.append(&standing, buffer[:0])
			}
		})
	}
}

func BenchmarkParse(b *testing.B) {
	for _, c := range codecs {
		b.Run(c.name, func(b *testing.B) {
			encoded, err := c.append(&standing, nil)
			require.NoError(b, err)
			var p pose
			for b.Loop() {
				err = c.parse(&p, encoded)
			}
			require.NoError(b, err)
		})
	}
}
