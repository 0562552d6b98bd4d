package framing

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestVersionsThatMayBeSet(t *testing.T) {
	for _, v := range []string{BaseVersion, "1", "!", "~", "HRD-LOCAL-2", strings.Repeat("v", MaxVersion)} {
		require.NoError(t, CheckVersion(v), "%q", v)
		_, drop := Parse(AppendConnect(nil, v), Host)
		require.Equal(t, Accepted, drop, "%q", v)
	}
}

func TestVersionsThatMayNotBeSetSayWhy(t *testing.T) {
	for v, why := range map[string]string{
		"":                      "version string is empty",
		strings.Repeat("v", 33): "version string of 33 bytes is longer than 32",
		"HRD LOCAL":             `version string "HRD LOCAL" holds something else than printable ASCII without spaces`,
		"v\x00":                 `version string "v\x00" holds something else than printable ASCII without spaces`,
		"v\x7f":                 `version string "v\x7f" holds something else than printable ASCII without spaces`,
		"vé":                    `version string "vé" holds something else than printable ASCII without spaces`,
		"\xff":                  `version string "\xff" holds something else than printable ASCII without spaces`,
	} {
		require.EqualError(t, CheckVersion(v), why)
	}
}

func TestExactlyTheVisibleASCIICharactersMakeAVersion(t *testing.T) {
	for c := range 256 {
		v := string([]byte{'v', byte(c)})
		require.Equal(t, '!' <= c && c <= '~', CheckVersion(v) == nil, "%q", v)
	}
}
