package wire

// Unit writes a unit vector as 2 + 1 + 2n bits, n from 2 to 32: the index of its largest part, whether that is negative, and the other two parts, x √2, as Snorm of n
// bits. The largest follows from them. A length more than 1 % off 1 fails with ErrRotation; what is within is scaled to 1.
func (w *BitWriter) Unit(x, y, z float64, n int) {
	if !w.may(n, 2) || !w.finite(x) || !w.finite(y) || !w.finite(z) {
		return
	}
	parts := [4]float64{x, y, z}
	s, ok := smallestOf(&parts, 3, n)
	if !ok {
		w.Fail(ErrRotation)
		return
	}
	w.put(uint64(s.index)|uint64(bit(parts[s.index] < 0))<<2, 3)
	w.levels(&s, 3, n)
}

// Unit reads what BitWriter.Unit wrote. What no unit vector is written as fails with ErrRotation or, for a zero with a sign, ErrCanonical.
func (r *BitReader) Unit(n int) (x, y, z float64) {
	if !r.may(n, 2) || !r.has(3+2*n) {
		return 0, 0, 0
	}
	start := r.off
	index := int(r.next(2))
	negative := r.next(1) != 0
	s, err := r.smallest(index, 3, n)
	if err != nil {
		r.failAt(start, err)
		return 0, 0, 0
	}
	parts := s.parts(3, n)
	if negative {
		parts[s.index] = -parts[s.index]
	}
	return parts[0], parts[1], parts[2]
}

// Quat writes a rotation as 2 + 3n bits, n from 2 to 32: the index of the largest part of the quaternion, and the other three, times its sign and √2, as Snorm of n
// bits. The largest follows from them. A length more than 1 % off 1 fails with ErrRotation; what is within is scaled to 1.
func (w *BitWriter) Quat(x, y, z, w4 float64, n int) {
	if s, ok := w.quat(x, y, z, w4, n); ok {
		w.put(uint64(s.index), 2)
		w.levels(&s, 4, n)
	}
}

// Quat reads what BitWriter.Quat wrote; of the two quaternions of a rotation, the one whose largest part is positive. What no quaternion is written as fails with
// ErrRotation or, for a zero with a sign, ErrCanonical.
func (r *BitReader) Quat(n int) (x, y, z, w float64) {
	if !r.may(n, 2) || !r.has(2+3*n) {
		return 0, 0, 0, 0
	}
	start := r.off
	s, err := r.smallest(int(r.next(2)), 4, n)
	if err != nil {
		r.failAt(start, err)
		return 0, 0, 0, 0
	}
	parts := s.parts(4, n)
	return parts[0], parts[1], parts[2], parts[3]
}

// YawQuat writes a rotation as 1 bit and Radians of yawBits bits, 1 to 32, if it is a turn about Y alone, else as 1 bit and a Quat of quatBits bits, 2 to 32. It is a turn
// about Y alone if the Quat would have zeros for x and z.
func (w *BitWriter) YawQuat(x, y, z, w4 float64, yawBits, quatBits int) {
	if !w.may(yawBits, 1) {
		return
	}
	s, ok := w.quat(x, y, z, w4, quatBits)
	switch {
	case !ok:
	case s.yaw():
		w.put(1, 1)
		w.put(steps(2*turns(y, w4), yawBits), yawBits)
	default:
		w.put(uint64(s.index)<<1, 3)
		w.levels(&s, 4, quatBits)
	}
}

// YawQuat reads what BitWriter.YawQuat wrote. It fails as Quat does, and with ErrCanonical for a turn about Y alone that is a Quat.
func (r *BitReader) YawQuat(yawBits, quatBits int) (x, y, z, w float64) {
	if !r.may(yawBits, 1) || !r.may(quatBits, 2) {
		return 0, 0, 0, 0
	}
	start := r.off
	if r.Bool() {
		if !r.has(yawBits) {
			r.off = start
			return 0, 0, 0, 0
		}
		w, y = direction(r.next(yawBits), yawBits+1)
		return 0, y, 0, w
	}
	x, y, z, w = r.Quat(quatBits)
	if r.err == nil && x == 0 && z == 0 {
		r.failAt(start, ErrCanonical)
		return 0, 0, 0, 0
	}
	if r.err != nil {
		r.off = start
	}
	return x, y, z, w
}

// quat returns how a quaternion is written, and false if it cannot be, or something failed before.
func (w *BitWriter) quat(x, y, z, w4 float64, n int) (smallest, bool) {
	if !w.may(n, 2) || !w.finite(x) || !w.finite(y) || !w.finite(z) || !w.finite(w4) {
		return smallest{}, false
	}
	parts := [4]float64{x, y, z, w4}
	s, ok := smallestOf(&parts, 4, n)
	if !ok {
		w.Fail(ErrRotation)
		return smallest{}, false
	}
	if parts[s.index] < 0 {
		for i := range s.level {
			s.level[i] = -s.level[i]
		}
	}
	return s, true
}
