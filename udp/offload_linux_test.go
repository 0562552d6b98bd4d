package udp_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gannet-net/gannet/udp"
)

func TestKernelsThatDamageRunsAreKnown(t *testing.T) {
	for release, damaging := range map[string]bool{
		"6.18.44": false, "6.17.0-1-generic": false, "7.0": true, "7.0.12-arch1-1": true, "7.0-rc3": true, "7.1.0": true, "7.1.4-generic": true,
		"7.1.5": false, "7.1.40": false, "7.2.0": false, "8.0.1": false, "": false, "linux": false, "70.0.1": false,
	} {
		require.Equal(t, damaging, udp.IsDamaging(release), release)
	}
}
