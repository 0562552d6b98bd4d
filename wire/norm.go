package wire

import "math"

// Unorm writes round(v x (2^n - 1)) in n bits, 1 to 32, v clamped to [0, 1]. 0 and 1 are exact. NaN and infinities fail with ErrNotFinite.
func (w *BitWriter) Unorm(v float64, n int) {
	if !w.may(n, 1) || !w.finite(v) {
		return
	}
	w.put(nearest(w.clamp(v, 0)*float64(mask(n))), n)
}

// Unorm reads what BitWriter.Unorm wrote.
func (r *BitReader) Unorm(n int) float64 {
	if !r.may(n, 1) || !r.has(n) {
		return 0
	}
	return float64(r.next(n)) / float64(mask(n))
}

// Snorm writes round(|v| x (2^(n-1) - 1)) in n-1 bits, and then a bit that is set if v is negative, v clamped to [-1, 1]. What rounds to 0 has no sign. n is 2 to
// 32; -1, 0 and 1 are exact. NaN and infinities fail with ErrNotFinite.
func (w *BitWriter) Snorm(v float64, n int) {
	if !w.may(n, 2) || !w.finite(v) {
		return
	}
	v = w.clamp(v, -1)
	level := int64(nearest(math.Abs(v) * float64(mask(n-1))))
	if v < 0 {
		level = -level
	}
	w.put(signed(level, n), n)
}

// Snorm reads what BitWriter.Snorm wrote. A zero with a sign fails with ErrCanonical.
func (r *BitReader) Snorm(n int) float64 {
	if !r.may(n, 2) || !r.has(n) {
		return 0
	}
	level, ok := unsigned(r.next(n), n)
	if !ok {
		r.failAt(r.off-n, ErrCanonical)
		return 0
	}
	return float64(level) / float64(mask(n-1))
}

// clamp returns v, or what is nearest to it in [low, 1], and counts that.
func (w *BitWriter) clamp(v, low float64) float64 {
	if v < low || v > 1 {
		w.clamped++
	}
	return min(max(v, low), 1)
}

// nearest rounds x, which is not negative and below 2^63, halves up. The conversion forbids a processor that can multiply and add in one instruction to take a
// product x into the difference before it is rounded: all processors have to write the same bits.
func nearest(x float64) uint64 {
	x = float64(x)
	whole := math.Floor(x)
	if x-whole >= 0.5 {
		whole++
	}
	return uint64(int64(whole))
}

// signed returns level as n bits: its size, and its sign above.
func signed(level int64, n int) uint64 {
	if level < 0 {
		return uint64(-level) | 1<<((n-1)&63)
	}
	return uint64(level)
}

// unsigned returns the level that n bits are, and false for a zero with a sign.
func unsigned(v uint64, n int) (level int64, ok bool) {
	level = int64(v & mask(n-1))
	if v>>((n-1)&63) == 0 {
		return level, true
	}
	return -level, level != 0
}
