package wire

import "math"

// Degrees writes an angle in n bits, 1 to 32: wrapped to a turn of 2^n steps, and cut. What lies below a step by no more than 2^-24 of a turn, nor a quarter of a
// step, is that step: so much less is what an angle may be that went through a float32. NaN and infinities fail with ErrNotFinite.
func (w *BitWriter) Degrees(v float64, n int) { w.angle(v, 360, n) }

// Degrees reads what BitWriter.Degrees wrote, from 0 to below 360.
func (r *BitReader) Degrees(n int) float64 { return r.angle(360, n) }

// Radians writes an angle as Degrees does.
func (w *BitWriter) Radians(v float64, n int) { w.angle(v, 2*math.Pi, n) }

// Radians reads what BitWriter.Radians wrote, from 0 to below 2 pi.
func (r *BitReader) Radians(n int) float64 { return r.angle(2*math.Pi, n) }

// YawUnit writes the angle atan2(z, x) of a unit vector without y in n bits, as Radians does. A vector whose length is more than 1 % off, or whose y is not 0
// to within 0.0001, fails with ErrRotation.
func (w *BitWriter) YawUnit(x, y, z float64, n int) {
	if !w.may(n, 1) || !w.flat(x, y, z) {
		return
	}
	if !unitLength(float64(x*x) + float64(z*z)) {
		w.Fail(ErrRotation)
		return
	}
	w.put(steps(turns(z, x), n), n)
}

// YawUnit reads what BitWriter.YawUnit wrote.
func (r *BitReader) YawUnit(n int) (x, y, z float64) {
	if !r.may(n, 1) || !r.has(n) {
		return 0, 0, 0
	}
	x, z = direction(r.next(n), n)
	return x, 0, z
}

// YawVec writes the angle atan2(z, x) of a vector without y in n bits, as Radians does, and its length as a float32 whose low 3 bits are 0, since it would not be
// the same again if x and z went through a float32. What is shorter than 2^-126 is 0, without an angle. A y that is not 0 to within 0.0001 fails with
// ErrRotation, a length that no float32 holds with ErrNotFinite.
func (w *BitWriter) YawVec(x, y, z float64, n int) {
	if !w.may(n, 1) || !w.flat(x, y, z) {
		return
	}
	length := roundLength(math.Sqrt(float64(x*x) + float64(z*z)))
	if !finite32(length) {
		w.Fail(ErrNotFinite)
		return
	}
	var angle uint64
	if length != 0 {
		angle = steps(turns(z, x), n)
	}
	w.put(angle, n)
	w.put(uint64(length), 32)
}

// YawVec reads what BitWriter.YawVec wrote. A length that is not finite fails with ErrNotFinite; one that BitWriter.YawVec does not write, and a length of
// 0 with an angle, with ErrCanonical.
func (r *BitReader) YawVec(n int) (x, y, z float64) {
	if !r.may(n, 1) || !r.has(n+32) {
		return 0, 0, 0
	}
	angle, bits := r.next(n), uint32(r.next(32))
	length := float64(math.Float32frombits(bits))
	switch {
	case !finite32(bits):
		r.failAt(r.off-n-32, ErrNotFinite)
		return 0, 0, 0
	case bits != roundLength(length) || length == 0 && angle != 0:
		r.failAt(r.off-n-32, ErrCanonical)
		return 0, 0, 0
	}
	x, z = direction(angle, n)
	return x * length, 0, z * length
}

// roundLength returns the bits of a float32 near v, the low 3 of which are 0: those of 0 if v is below the least that has all its precision, those of an infinity if
// it is too great, and others than its own if v is negative.
func roundLength(v float64) uint32 {
	const low, leastNormal = 1<<3 - 1, 1 << 23
	bits := (math.Float32bits(float32(math.Abs(v))) + (low+1)/2) &^ low
	if bits < leastNormal {
		return 0
	}
	return bits
}

// flat reports whether a vector without y can be written.
func (w *BitWriter) flat(x, y, z float64) bool {
	if w.finite(x) && w.finite(y) && w.finite(z) && math.Abs(y) >= nearZero {
		w.Fail(ErrRotation)
	}
	return w.err == nil
}

// angle writes v, of which a turn has turn.
func (w *BitWriter) angle(v, turn float64, n int) {
	if !w.may(n, 1) || !w.finite(v) {
		return
	}
	if v < 0 || v >= turn {
		v = math.Mod(v, turn)
	}
	w.put(steps(v/turn, n), n)
}

// angle reads an angle, of which a turn has turn.
func (r *BitReader) angle(turn float64, n int) float64 {
	if !r.may(n, 1) || !r.has(n) {
		return 0
	}
	return float64(r.next(n)) * turn / scale(n)
}

// steps returns t turns, from -2 to 2, as steps of 2^-n of a turn, cut and wrapped to one turn.
func steps(t float64, n int) uint64 {
	slack := min(scale(n)/(1<<24), 0.25)
	return uint64(int64(math.Floor(float64(t*scale(n))+slack))) & mask(n)
}
