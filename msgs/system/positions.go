package system

import (
	"time"

	"github.com/gannet-net/gannet/wire"
)

// Entity is what legacy messages tell of something that moves.
type Entity struct {
	NetID     NetID
	At        Position
	Angle     float32 // degrees
	Velocity  Position
	Animation uint8
}

// entitySize is the bytes of an Entity.
const entitySize = 4 + 12 + 4 + 12 + 1

// Positions are what a server tells each viewer about what moves in its sight, some times a second.
type Positions struct {
	Hz    int     // 10 to 20; 15 if it is 0
	Range float32 // how far a viewer sees, in metres

	due int64
}

// Due reports whether positions are to be sent at time now, in nanoseconds.
func (p *Positions) Due(now int64) bool {
	if now < p.due {
		return false
	}
	hz := p.Hz
	if hz == 0 {
		hz = 15
	}
	p.due = now + int64(time.Second)/int64(min(max(hz, 10), 20))
	return true
}

// Append appends, to b, those of the entities that a viewer at a place sees: how many (16 bits), and each with its values as little-endian bytes. They are sent by
// LegacySender, reliably where a change must not be missed.
func (p *Positions) Append(b []byte, viewer Position, entities []Entity) []byte {
	w := wire.NewWriter(b)
	seen := 0
	for i := range entities {
		if p.sees(viewer, &entities[i]) {
			seen++
		}
	}
	seen = min(seen, 1<<16-1)
	w.Uint16(uint16(seen))
	for i := range entities {
		if seen > 0 && p.sees(viewer, &entities[i]) {
			entities[i].write(&w)
			seen--
		}
	}
	return w.Bytes()
}

func (p *Positions) sees(viewer Position, e *Entity) bool {
	x, y, z := e.At.X-viewer.X, e.At.Y-viewer.Y, e.At.Z-viewer.Z
	return x*x+y*y+z*z <= p.Range*p.Range
}

func (e *Entity) write(w *wire.Writer) {
	w.Uint32(uint32(e.NetID))
	e.At.write(w)
	w.Float32(e.Angle)
	e.Velocity.write(w)
	w.Uint8(e.Animation)
}

func (p Position) write(w *wire.Writer) {
	w.Float32(p.X)
	w.Float32(p.Y)
	w.Float32(p.Z)
}

// ParsePositions reads what Positions.Append wrote, and appends it to list.
func ParsePositions(list []Entity, b []byte) ([]Entity, error) {
	r := wire.NewReader(b)
	n := int(r.Uint16())
	if r.Len() < n*entitySize {
		r.Fail(wire.ErrShort)
	}
	for range n {
		if r.Err() != nil {
			break
		}
		list = append(list, Entity{NetID(r.Uint32()), readPosition(&r), r.Float32(), readPosition(&r), r.Uint8()})
	}
	return list, r.Err()
}

func readPosition(r *wire.Reader) Position { return Position{r.Float32(), r.Float32(), r.Float32()} }
