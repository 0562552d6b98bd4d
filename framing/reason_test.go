package framing

import (
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

func TestReasonsAreCutBetweenCharacters(t *testing.T) {
	for _, row := range []struct {
		reason string
		limit  int
		want   string
	}{
		{"full", 11, "full"},
		{"full", 4, "full"},
		{"full", 3, "ful"},
		{"full", 0, ""},
		{"full", -1, ""},
		{"", 11, ""},
		{"maintenance!", MaxRefuseReason, "maintenance"},
		{"né", 3, "né"},
		{"né", 2, "n"},
		{"1€", 4, "1€"},
		{"1€", 3, "1"},
		{"1€", 2, "1"},
		{"😀", 4, "😀"},
		{"😀", 3, ""},
		{"full \xff house", 11, "full "},
		{"\xff", 11, ""},
		{"cut off \xc3", 11, "cut off "},
		{"real \ufffd", 11, "real \ufffd"},
	} {
		require.Equal(t, row.want, CutReason(row.reason, row.limit), "%q to %d", row.reason, row.limit)
	}
}

// requireCut requires of a cut reason what its documentation promises.
func requireCut(t *testing.T, reason string, limit int) {
	t.Helper()
	cut := CutReason(reason, limit)
	require.Equal(t, reason[:len(cut)], cut, "a beginning")
	require.LessOrEqual(t, len(cut), max(limit, 0))
	require.True(t, utf8.ValidString(cut))
	if rest := reason[len(cut):]; rest != "" {
		r, size := utf8.DecodeRuneInString(rest)
		require.True(t, r == utf8.RuneError && size == 1 || len(cut)+size > limit, "%q could be longer", cut)
	}
}
