package reliable

// seqAfter returns how far a is ahead of b: negative if it is behind. Sequences wrap; exactly 2^31 apart counts as ahead (PROTOCOL.md 4.1).
func seqAfter(a, b int32) int64 {
	d := uint32(a) - uint32(b)
	if d > 1<<31 {
		return int64(d) - 1<<32
	}
	return int64(d)
}
