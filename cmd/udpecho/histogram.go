package main

import (
	"fmt"
	"math"
	"strings"
)

const (
	histogramRows  = 12
	histogramWidth = 40
)

// histogram draws the values up to their 99.9 % quantile in rows of equal width, and the rest in one row.
func (d distribution) histogram() string {
	if len(d) == 0 {
		return ""
	}
	step := niceStep(d.quantile(999) - d[0])
	start := d[0] / step * step
	var counts [histogramRows + 1]int
	most := 0
	for _, v := range d {
		row := min(int((v-start)/step), histogramRows)
		counts[row]++
		most = max(most, counts[row])
	}
	return drawRows(counts[:], most, start, step)
}

// niceStep is the smallest of 0.1, 0.2, 0.5, 1, … milliseconds of which the rows cover the span.
func niceStep(span int64) int64 {
	for unit := int64(1e5); ; unit *= 10 {
		for _, factor := range []int64{1, 2, 5} {
			if step := unit * factor; step*(histogramRows-1) >= span {
				return step
			}
		}
	}
}

func drawRows(counts []int, most int, start, step int64) string {
	last := len(counts) - 1
	for last > 0 && counts[last] == 0 {
		last--
	}
	var b strings.Builder
	for i, n := range counts[:last+1] {
		low := start + int64(i)*step
		label := fmt.Sprintf("%6g ..%6g ms", milliseconds(float64(low)), milliseconds(float64(low+step)))
		if i == histogramRows {
			label = fmt.Sprintf("%6g ms and up ", milliseconds(float64(low)))
		}
		b.WriteString(strings.TrimRight(fmt.Sprintf("  %s %7d %s", label, n, bar(n, most)), " ") + "\n")
	}
	return b.String()
}

// bar is at least one mark for what is not nothing.
func bar(n, most int) string {
	return strings.Repeat("#", int(math.Ceil(float64(n)*histogramWidth/float64(max(most, 1)))))
}
