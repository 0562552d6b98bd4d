package main

// trend is the straight line that lies closest to points, by the least squares.
type trend struct{ slope, mean, span float64 } // y for each x, the mean of y, and how far x goes

// trendOf is that of the second half of the points, in which what only happens at the start is over. It is zero for fewer than two.
func trendOf(x, y []float64) trend {
	x, y = x[len(x)/2:], y[len(y)/2:]
	if len(x) < 2 {
		return trend{}
	}
	mx, my := mean(x), mean(y)
	var above, below float64
	for i := range x {
		above += (x[i] - mx) * (y[i] - my)
		below += (x[i] - mx) * (x[i] - mx)
	}
	if below == 0 {
		return trend{mean: my}
	}
	return trend{slope: above / below, mean: my, span: x[len(x)-1] - x[0]}
}

// driftPercent is how far the line goes from its begin to its end, of the mean.
func (t trend) driftPercent() float64 {
	if t.mean == 0 {
		return 0
	}
	return 100 * t.slope * t.span / t.mean
}
