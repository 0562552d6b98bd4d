package testflag

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// skipper records that a test was skipped.
type skipper struct {
	testing.TB
	skipped bool
}

func (s *skipper) Helper()     {}
func (s *skipper) Skip(...any) { s.skipped = true }

func setLong(t *testing.T, on bool) {
	before := *long
	*long = on
	t.Cleanup(func() { *long = before })
}

func TestLongRunsAreSkippedUnlessAskedFor(t *testing.T) {
	setLong(t, false)
	s := &skipper{TB: t}
	NeedLong(s)
	require.True(t, s.skipped)
	require.False(t, Long())
}

func TestLongRunsRunWhenAskedFor(t *testing.T) {
	setLong(t, true)
	s := &skipper{TB: t}
	NeedLong(s)
	require.False(t, s.skipped)
	require.True(t, Long())
}
