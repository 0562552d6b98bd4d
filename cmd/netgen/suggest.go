package main

import (
	"slices"
	"strings"
)

// didYouMean names the known word that is closest to a misspelt one, or all of them if none is close. It is the end of a sentence.
func didYouMean(misspelt string, known []string) string {
	best, least := "", 1+max(1, min(2, len(misspelt)/3))
	for _, k := range known {
		if d := distance(misspelt, k); d < least {
			best, least = k, d
		}
	}
	if best != "" {
		return "did you mean " + best + "?"
	}
	sorted := slices.Sorted(slices.Values(known))
	return "known here: " + strings.Join(sorted, ", ")
}

// distance is the number of letters to insert, delete, replace or swap with their neighbour to turn a into b.
func distance(a, b string) int {
	before, row := make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		twoAgo := before
		before, row = row, make([]int, len(b)+1)
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			row[j+1] = min(before[j+1]+1, row[j]+1, before[j]+cost)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], twoAgo[j-1]+1)
			}
		}
	}
	return row[len(b)]
}
