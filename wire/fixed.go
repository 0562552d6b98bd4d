package wire

import "math"

// nearZero is the size below which a fixed-point value is 0, if it is below a step as well. A value that comes out of arithmetic as a little less than 0 would
// be cut to a whole step below it.
const nearZero = 0.0001

// maxFixed is how many bits a fixed-point value has at most: what a float64 holds.
const maxFixed = 53

// UFixed writes v as i bits of integer part, 0 to 32, and then f bits of fraction, 0 to 32, together 1 to 53, cut. It is clamped to [0, 2^i). NaN and
// infinities fail with ErrNotFinite.
func (w *BitWriter) UFixed(v float64, i, f int) {
	if w.mayFixed(i, f, 0) && w.finite(v) {
		steps, clamped := cutFixed(v, i, f, 0)
		w.fixed(steps, i, f, clamped)
	}
}

// UFixed reads what BitWriter.UFixed wrote. The result is exact, and in a float32 as well if i + f is at most 24.
func (r *BitReader) UFixed(i, f int) float64 {
	if !r.mayFixed(i, f, 0) || !r.has(i+f) {
		return 0
	}
	return r.fixed(i, f, 0)
}

// Fixed writes v as i bits of its floor plus 2^(i-1), 1 to 32, and then f bits of fraction, 0 to 32, together at most 53, cut. It is clamped to
// [-2^(i-1), 2^(i-1)). A value whose size is below 0.0001 and below a step of 2^-f is 0. NaN and infinities fail with ErrNotFinite.
func (w *BitWriter) Fixed(v float64, i, f int) {
	if w.mayFixed(i, f, 1) && w.finite(v) {
		steps, clamped := cutFixed(v, i, f, bias(i))
		w.fixed(steps, i, f, clamped)
	}
}

// Fixed reads what BitWriter.Fixed wrote. The result is exact, and in a float32 as well if i + f is at most 24.
func (r *BitReader) Fixed(i, f int) float64 {
	if !r.mayFixed(i, f, 1) || !r.has(i+f) {
		return 0
	}
	return r.fixed(i, f, bias(i))
}

// Vec3 writes three values as Fixed does.
func (w *BitWriter) Vec3(x, y, z float64, i, f int) {
	if !w.mayFixed(i, f, 1) || !w.finite(x) || !w.finite(y) || !w.finite(z) {
		return
	}
	for _, v := range [...]float64{x, y, z} {
		steps, clamped := cutFixed(v, i, f, bias(i))
		w.fixed(steps, i, f, clamped)
	}
}

// Vec3 reads three values as Fixed does.
func (r *BitReader) Vec3(i, f int) (x, y, z float64) {
	if !r.mayFixed(i, f, 1) || !r.has(3*(i+f)) {
		return 0, 0, 0
	}
	x = r.fixed(i, f, bias(i))
	y = r.fixed(i, f, bias(i))
	z = r.fixed(i, f, bias(i))
	return x, y, z
}

// fixed writes steps of 2^-f: first the whole numbers, then the fraction.
func (w *BitWriter) fixed(steps uint64, i, f int, clamped bool) {
	if clamped {
		w.clamped++
	}
	whole, fraction := steps>>(f&63), steps&mask(f)
	if i+f <= 32 {
		w.put(whole|fraction<<(i&63), i+f)
		return
	}
	w.put(whole, i)
	w.put(fraction, f)
}

// fixed reads a fixed-point number, which is there, less bias.
func (r *BitReader) fixed(i, f int, bias float64) float64 {
	var whole, fraction uint64
	if i+f <= 32 {
		v := r.next(i + f)
		whole, fraction = v&mask(i), v>>(i&63)
	} else {
		whole, fraction = r.next(i), r.next(f)
	}
	return float64(float64(int64(whole<<(f&63)|fraction))*scale(-f)) - bias
}

// cutFixed returns how many steps of 2^-f v plus bias is, cut, in i + f bits, and whether v was outside them. It cuts once, and the sum is one of integers:
// to take the whole and the fraction each from a sum of its own can round one of them over a border and not the other, which is a whole unit wrong.
func cutFixed(v float64, i, f int, bias float64) (steps uint64, clamped bool) {
	scaled := v * scale(f)
	if math.Abs(v) < nearZero && math.Abs(scaled) < 1 {
		scaled = 0
	}
	sum := math.Floor(scaled) + float64(bias*scale(f))
	switch {
	case sum < 0:
		return 0, true
	case sum >= scale(i+f):
		return mask(i + f), true
	default:
		return uint64(int64(sum)), false
	}
}

// mayFixed reports whether a value can be written with i bits, at least low, before and f behind the point.
func (w *BitWriter) mayFixed(i, f, low int) bool {
	if !fixedWidth(i, f, low) {
		w.Fail(ErrWidth)
	}
	return w.err == nil
}

// mayFixed reports whether a value can be read with i bits, at least low, before and f behind the point.
func (r *BitReader) mayFixed(i, f, low int) bool {
	if !fixedWidth(i, f, low) {
		r.Fail(ErrWidth)
	}
	return r.err == nil
}

// fixedWidth reports whether a fixed-point value can have i bits, at least low, before and f behind the point.
func fixedWidth(i, f, low int) bool {
	return i >= low && i <= 32 && f >= 0 && f <= 32 && i+f >= 1 && i+f <= maxFixed
}

// bias is what is added to a signed fixed-point value of i bits, so that it has no sign.
func bias(i int) float64 { return scale(i - 1) }

// scale returns 2^n, for n from -63 to 63. It is put together from its exponent, which is faster than a conversion.
func scale(n int) float64 { return math.Float64frombits(uint64(n+1023) << 52) }
