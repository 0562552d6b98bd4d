package wire

import "math"

// smallest is a unit vector of 3 or 4 parts without its largest one. A part is a level from -m to m, where m = 2^(n-1) - 1 stands for 1/√2: no other part than the
// largest can be larger. The largest follows from the others, since the squares of all levels add up to 2m².
//
// All bits that read as a vector have to be written from it again. So the largest part that follows must be the one that a writer takes for the largest, and whether
// it is can be said in integers, without rounding: see settled. A writer lowers levels until that holds.
type smallest struct {
	index int      // of the largest part: the first of them if several are equally large
	level [4]int64 // of the others
}

// Indices of the parts of a quaternion.
const (
	partX = 0
	partZ = 2
)

// nearTie is how much larger than one before it a part has to be so that it is the larger one, in levels. It is more than the rounding of a float32 of parts that
// are equal, and less than what settled leaves between parts that are not.
const nearTie = 0.125

// smallestOf returns the levels of the first dims of parts at n bits, and false if their length is not 1.
func smallestOf(parts *[4]float64, dims, n int) (s smallest, ok bool) {
	var square, largest float64
	for _, v := range parts[:dims] {
		square += float64(v * v)
		largest = max(largest, math.Abs(v))
	}
	if !unitLength(square) {
		return s, false
	}
	toLevel := levelOfOne(n) / math.Sqrt(square)
	for float64(math.Abs(parts[s.index])*toLevel) < float64(largest*toLevel)-nearTie {
		s.index++
	}
	var exact [4]float64
	for i, v := range parts[:dims] {
		if i != s.index {
			exact[i] = float64(math.Abs(v) * toLevel)
			s.level[i] = int64(min(nearest(exact[i]), mask(n-1)))
		}
	}
	for !s.settled(dims, n) {
		s.level[s.highest(&exact)]--
	}
	for i, v := range parts[:dims] {
		if v < 0 {
			s.level[i] = -s.level[i]
		}
	}
	return s, true
}

// unitLength reports whether a vector whose squares add up to square has the length 1, to within 1 %.
func unitLength(square float64) bool { return square > 0.99*0.99 && square < 1.01*1.01 }

// levelOfOne is how many levels of n bits a part of 1 would have.
func levelOfOne(n int) float64 { return float64(mask(n-1)) * math.Sqrt2 }

// highest returns the index of the level, above 0, that is most above its exact value.
func (s *smallest) highest(exact *[4]float64) int {
	best, above := -1, math.Inf(-1)
	for i, level := range s.level {
		if a := float64(level) - exact[i]; level > 0 && a > above {
			best, above = i, a
		}
	}
	return best
}

// rest returns the square of the level of the largest part.
func (s *smallest) rest(n int) int64 {
	m := int64(mask(n - 1))
	rest := 2 * m * m
	for _, level := range s.level {
		rest -= level * level
	}
	return rest
}

// settled reports whether the largest part that follows from the levels is at least as large as those behind it, and larger than those before it by a quarter of a
// level.
func (s *smallest) settled(dims, n int) bool {
	rest := s.rest(n)
	for i, level := range s.level[:dims] {
		margin := rest - level*level
		if margin < 0 || i < s.index && margin <= max(level, -level)/2 {
			return false
		}
	}
	return true
}

// parts returns the vector, its largest part positive.
func (s *smallest) parts(dims, n int) (parts [4]float64) {
	toPart := 1 / levelOfOne(n)
	for i, level := range s.level[:dims] {
		parts[i] = float64(level) * toPart
	}
	parts[s.index] = math.Sqrt(float64(s.rest(n))) * toPart
	return parts
}

// yaw reports whether a quaternion turns about Y alone.
func (s *smallest) yaw() bool {
	return s.index != partX && s.index != partZ && s.level[partX] == 0 && s.level[partZ] == 0
}

// levels writes all levels but that of the largest part.
func (w *BitWriter) levels(s *smallest, dims, n int) {
	for i, level := range s.level[:dims] {
		if i != s.index {
			w.put(signed(level, n), n)
		}
	}
}

// smallest reads all levels but that of the largest part, which are there, and checks them.
func (r *BitReader) smallest(index, dims, n int) (s smallest, err error) {
	if index >= dims {
		return s, ErrRotation
	}
	s.index = index
	for i := range dims {
		if i == index {
			continue
		}
		var ok bool
		if s.level[i], ok = unsigned(r.next(n), n); !ok {
			return s, ErrCanonical
		}
	}
	if !s.settled(dims, n) {
		return s, ErrRotation
	}
	return s, nil
}
