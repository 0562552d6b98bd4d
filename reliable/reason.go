package reliable

import (
	"strings"
	"unicode"

	"github.com/gannet-net/gannet/framing"
)

// shownReason is the longest Refuse reason that is shown to people, in bytes.
const shownReason = 64

// readable makes text from the wire safe to show: cut, and without control characters.
func readable(text []byte) string {
	return printable(framing.CutReason(string(text), shownReason))
}

// printable is s without its control characters.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return -1
		}
		return r
	}, s)
}
