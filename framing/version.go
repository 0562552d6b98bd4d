package framing

import (
	"errors"
	"fmt"
)

// BaseVersion is the version string of the base protocol.
const BaseVersion = "HRD-LOCAL-1"

// CheckVersion returns an error that says what is wrong with v as a version string, nil if nothing is: it has to be 1 to
// MaxVersion bytes of printable ASCII without spaces (0x21 to 0x7E), because a host drops every other Connect without an answer.
func CheckVersion(v string) error {
	switch {
	case len(v) == 0:
		return errors.New("version string is empty")
	case len(v) > MaxVersion:
		return fmt.Errorf("version string of %d bytes is longer than %d", len(v), MaxVersion)
	case !isVersionText([]byte(v)):
		return fmt.Errorf("version string %q holds something else than printable ASCII without spaces", v)
	}
	return nil
}

func isVersionText(v []byte) bool {
	for _, c := range v {
		if c < 0x21 || c > 0x7E {
			return false
		}
	}
	return true
}
