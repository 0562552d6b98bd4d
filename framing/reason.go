package framing

import "unicode/utf8"

// CutReason returns the longest beginning of reason that has at most limit bytes and is valid UTF-8. It ends between two
// characters, and before the first byte that belongs to none.
func CutReason(reason string, limit int) string {
	end := 0
	for end < len(reason) {
		r, size := utf8.DecodeRuneInString(reason[end:])
		if end+size > limit || r == utf8.RuneError && size == 1 {
			break
		}
		end += size
	}
	return reason[:end]
}
