package wire

import "math"

// The functions of package math differ by a last bit from processor to processor: some have instructions of their own, and some multiply and add in one. What is
// written would differ with it. These here do the same steps on all: each product that is added to something is rounded first, by a conversion.

// turns returns atan2(y, x) in turns, from -1/2 to 1/2. It is 0 for 0, 0.
func turns(y, x float64) float64 {
	low, high := min(math.Abs(x), math.Abs(y)), max(math.Abs(x), math.Abs(y))
	if high == 0 {
		return 0
	}
	t := arctan(low/high) / (2 * math.Pi)
	if math.Abs(y) > math.Abs(x) {
		t = 0.25 - t
	}
	if x < 0 {
		t = 0.5 - t
	}
	if y < 0 {
		return -t
	}
	return t
}

// arctan returns the arc tangent of t, from 0 to 1: the series for a quarter of the angle.
func arctan(t float64) float64 {
	t = halfAngle(halfAngle(t))
	square := t * t
	var sum float64
	for i := len(odd) - 1; i >= 0; i-- {
		sum = odd[i] - float64(square*sum)
	}
	return 4 * t * sum
}

// odd are the factors of the powers of t in the series: t - t^3/3 + t^5/5 and so on.
var odd = [...]float64{1, 1.0 / 3, 1.0 / 5, 1.0 / 7, 1.0 / 9, 1.0 / 11, 1.0 / 13, 1.0 / 15, 1.0 / 17, 1.0 / 19, 1.0 / 21}

// halfAngle returns the tangent of half the angle whose tangent is t.
func halfAngle(t float64) float64 { return t / (1 + math.Sqrt(1+float64(t*t))) }

// direction returns the cosine and the sine of k steps of 2^-n of a turn, n from 1 to 33.
func direction(k uint64, n int) (cos, sin float64) {
	k <<= 33 - n
	const eighth = 1 << 30
	quarters := (k + eighth) / (2 * eighth)
	angle := float64(int64(k-quarters*2*eighth)) * (2 * math.Pi / (1 << 33))
	cos, sin = series(angle)
	switch quarters & 3 {
	case 1:
		return -sin, cos
	case 2:
		return -cos, -sin
	case 3:
		return sin, -cos
	default:
		return cos, sin
	}
}

// series returns the cosine and the sine of an angle from -pi/4 to pi/4, in radians.
func series(angle float64) (cos, sin float64) {
	square := angle * angle
	cos, sin = 1, 1
	for i := 18.0; i > 0; i -= 2 {
		cos = 1 - float64(square/(i*(i-1))*cos)
		sin = 1 - float64(square/(i*(i+1))*sin)
	}
	return cos, angle * sin
}
