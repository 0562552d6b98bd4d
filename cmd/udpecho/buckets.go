package main

import "math/bits"

// bucketBits is how many bits of a time a bucket tells apart: quantiles are up to 1/128 too high.
const bucketBits = 7

// buckets count times without keeping them, in memory that does not grow. The zero value is empty.
type buckets struct {
	counts [(64 - bucketBits) << bucketBits]uint32
	total  int
}

// add counts a time in nanoseconds; one below zero counts as zero.
func (b *buckets) add(t int64) {
	b.counts[bucketOf(uint64(max(t, 0)))]++
	b.total++
}

// bucketOf gives short times a bucket each, and longer ones 128 buckets for each doubling.
func bucketOf(t uint64) int {
	shift := max(bits.Len64(t)-bucketBits-1, 0)
	return shift<<bucketBits + int(t>>shift)
}

// ceiling is the greatest time in a bucket.
func ceiling(bucket int) int64 {
	shift := max(bucket>>bucketBits-1, 0)
	return int64(uint64(bucket-shift<<bucketBits+1)<<shift - 1)
}

// quantile is the nearest rank for a share in parts per thousand, 0 if nothing was counted.
func (b *buckets) quantile(perMille int) int64 {
	rank := (b.total*perMille + 999) / 1000
	for bucket, n := range b.counts {
		if rank -= int(n); n > 0 && rank <= 0 {
			return ceiling(bucket)
		}
	}
	return 0
}
